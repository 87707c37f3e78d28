import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';

const unreadable = new WeakMap<object, number>();

/**
 * Entries of stored payloads, in order; what is no JSON object is left out and counted. `waiting` are payloads that are not stored
 * yet: of these, uuids that are there already are left out too.
 */
export function parsePayloads(stored: Iterable<unknown>, waiting: readonly string[] = []): SessionStoreEntry[] {
  const entries: SessionStoreEntry[] = [];
  let broken = 0;
  for (const payload of stored) {
    const entry = parse(payload);
    if (entry) entries.push(entry);
    else broken += 1;
  }
  if (waiting.length > 0) {
    const known = new Set(entries.map((entry) => entry.uuid));
    for (const payload of waiting) {
      const entry = parse(payload);
      if (!entry || (typeof entry.uuid === 'string' && known.has(entry.uuid))) continue;
      known.add(entry.uuid);
      entries.push(entry);
    }
  }
  if (broken > 0) unreadable.set(entries, broken);
  return entries;
}

/** How many payloads were left out of a list that `parsePayloads` made. The list itself has no room for it. */
export function unreadableIn(entries: readonly SessionStoreEntry[]): number {
  return unreadable.get(entries) ?? 0;
}

function parse(payload: unknown): SessionStoreEntry | null {
  try {
    const value: unknown = JSON.parse(String(payload));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SessionStoreEntry) : null;
  } catch {
    return null;
  }
}
