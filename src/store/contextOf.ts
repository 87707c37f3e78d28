import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';

/**
 * Context size in tokens that the first of these entries with a usage reports, the newest one standing first; 0 if none does. What
 * came from the cache counts: input tokens alone are near 0 on a cache hit.
 */
export function contextOf(newestFirst: Iterable<SessionStoreEntry>): number {
  for (const entry of newestFirst) {
    const { usage } = (entry.message ?? {}) as { usage?: Record<string, unknown> };
    const size =
      tokens(usage?.input_tokens) + tokens(usage?.cache_read_input_tokens) + tokens(usage?.cache_creation_input_tokens);
    if (size > 0) return size;
  }
  return 0;
}

function tokens(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
