import { blocksOf, callId, type Entry, withContent } from './entry.js';
import { mapOrDrop } from './relink.js';

/** Drops entries whose uuid was there before, and calls whose id was: the first of them is the record. */
export function distinct(entries: readonly Entry[]): { entries: readonly Entry[]; duplicates: number } {
  const uuids = new Set<string>();
  const calls = new Set<string>();
  let count = 0;
  for (const entry of entries) {
    if (typeof entry.uuid === 'string') {
      uuids.add(entry.uuid);
      count += 1;
    }
    if (entry.type !== 'assistant') continue;
    for (const block of blocksOf(entry)) {
      const id = callId(block);
      if (id === null) continue;
      calls.add(id);
      count += 1;
    }
  }
  if (count === uuids.size + calls.size) return { entries, duplicates: 0 };

  // The first one takes its uuid or id out of the set, so that no other finds it there.
  const once = entries.filter(({ uuid }) => typeof uuid !== 'string' || uuids.delete(uuid));
  let duplicates = entries.length - once.length;
  const single = mapOrDrop(once, (entry) => {
    if (entry.type !== 'assistant') return entry;
    const blocks = blocksOf(entry);
    const kept = blocks.filter((block) => {
      const id = callId(block);
      return id === null || calls.delete(id);
    });
    duplicates += blocks.length - kept.length;
    if (kept.length === blocks.length) return entry;
    return kept.length > 0 ? withContent(entry, kept) : null;
  });
  return { entries: single, duplicates };
}
