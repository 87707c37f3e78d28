import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';

/**
 * Context size in tokens that the newest of these entries with a usage reported; 0 if none did. What came from the cache counts:
 * input tokens alone are near 0 on a cache hit.
 */
export function contextOf(entries: readonly SessionStoreEntry[]): number {
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const usage = (entries[i]?.message as { usage?: unknown } | undefined)?.usage as
      | Record<string, unknown>
      | undefined;
    const size =
      tokens(usage?.input_tokens) + tokens(usage?.cache_read_input_tokens) + tokens(usage?.cache_creation_input_tokens);
    if (size > 0) return size;
  }
  return 0;
}

function tokens(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
