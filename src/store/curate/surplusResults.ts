import { blocksOf, type Entry, resultId, withContent } from './entry.js';
import { isMadeUp } from './madeUp.js';
import { isDenial } from './recognise.js';
import { mapOrDrop } from './relink.js';

/** Leaves one result for each call: a true one before one that is made up or a refusal, else the first. */
export function dropSurplusResults(entries: readonly Entry[]): { entries: readonly Entry[]; duplicates: number } {
  const chosen = new Map<string, { readonly index: number; readonly position: number; readonly isTrue: boolean }>();
  let duplicates = 0;
  entries.forEach((entry, index) => {
    if (entry.type !== 'user') return;
    const isTrue = entry.toolDenialKind !== 'interrupted' && !isMadeUp(entry) && isDenial(entry) === null;
    blocksOf(entry).forEach((block, position) => {
      const id = resultId(block);
      if (id === null) return;
      const other = chosen.get(id);
      if (other) duplicates += 1;
      if (!other || (isTrue && !other.isTrue)) chosen.set(id, { index, position, isTrue });
    });
  });
  if (duplicates === 0) return { entries, duplicates };
  const single = mapOrDrop(entries, (entry, index) => {
    if (entry.type !== 'user') return entry;
    const blocks = blocksOf(entry);
    const kept = blocks.filter((block, position) => {
      const id = resultId(block);
      const first = chosen.get(id ?? '');
      return id === null || (first?.index === index && first.position === position);
    });
    if (kept.length === blocks.length) return entry;
    return kept.length > 0 ? withContent(entry, kept) : null;
  });
  return { entries: single, duplicates };
}
