import { type Block, blocksOf, type Entry, resultId, withContent } from './entry.js';
import { isMadeUp } from './madeUp.js';
import { mapOrDrop } from './relink.js';

/** Leaves one result for each call: a true one before a made-up one, else the first. */
export function dropSurplusResults(entries: readonly Entry[]): { entries: readonly Entry[]; duplicates: number } {
  const chosen = new Map<string, { readonly block: Block; readonly isTrue: boolean }>();
  const surplus = new Set<Block>();
  for (const entry of entries) {
    if (entry.type !== 'user') continue;
    for (const block of blocksOf(entry)) {
      const id = resultId(block);
      if (id === null) continue;
      const first = chosen.get(id);
      const isTrue = entry.toolDenialKind !== 'interrupted' && !isMadeUp(entry);
      if (first && (first.isTrue || !isTrue)) surplus.add(block);
      else {
        if (first) surplus.add(first.block);
        chosen.set(id, { block, isTrue });
      }
    }
  }
  if (surplus.size === 0) return { entries, duplicates: 0 };
  const single = mapOrDrop(entries, (entry) => {
    const blocks = blocksOf(entry);
    const kept = blocks.filter((block) => !surplus.has(block));
    if (kept.length === blocks.length) return entry;
    return kept.length > 0 ? withContent(entry, kept) : null;
  });
  return { entries: single, duplicates: surplus.size };
}
