import { blocksOf, callId, type Entry, uuidOf, withContent } from './entry.js';
import { mapOrDrop } from './relink.js';

/** Drops entries whose uuid was there before, and calls whose id was: the first of them is the record. */
export function distinct(entries: readonly Entry[]): { entries: readonly Entry[]; duplicates: number } {
  const uuids = new Set<string>();
  const once = entries.filter((entry) => {
    const uuid = uuidOf(entry);
    if (uuid === null) return true;
    const isNew = !uuids.has(uuid);
    uuids.add(uuid);
    return isNew;
  });
  let duplicates = entries.length - once.length;

  const calls = new Set<string>();
  const distinctCalls = mapOrDrop(duplicates === 0 ? entries : once, (entry) => {
    if (entry.type !== 'assistant') return entry;
    const blocks = blocksOf(entry);
    const fresh = blocks.filter((block) => {
      const id = callId(block);
      if (id === null) return true;
      const isNew = !calls.has(id);
      calls.add(id);
      return isNew;
    });
    duplicates += blocks.length - fresh.length;
    if (fresh.length === blocks.length) return entry;
    return fresh.length > 0 ? withContent(entry, fresh) : null;
  });
  return { entries: distinctCalls, duplicates };
}
