import type { OrderedCall } from './calls.js';
import { type Block, blocksOf, type Entry, isNote, resultId, resultText } from './entry.js';
import { isMadeUp } from './madeUp.js';
import { isInterruptResult } from './recognise.js';

export interface Site {
  readonly block: Block;
  readonly id: string;
  readonly text: string;
}

/**
 * The results that `isWanted` and whose text may be replaced, in the order of their calls: later stages move results, and which
 * ones are the newest must not depend on that. What curation itself wrote does not count (made-up results, what an interrupt left,
 * pointers to a file), or curating twice would not give the same.
 */
export function replaceableResults(
  entries: readonly Entry[],
  calls: ReadonlyMap<string, OrderedCall>,
  isWanted: (site: Site) => boolean,
): readonly Site[] {
  const sites: (Site & { readonly order: number })[] = [];
  let order = 0;
  for (const entry of entries) {
    if (entry.type !== 'user' || isNote(entry)) continue;
    for (const block of blocksOf(entry)) {
      const id = resultId(block);
      if (id === null) continue;
      order = calls.get(id)?.order ?? order;
      const text = resultText(block);
      if (text === null || !isWanted({ block, id, text })) continue;
      if (!isMadeUp(entry) && !isInterruptResult(entry) && !pointsToFile(block)) sites.push({ block, id, text, order });
    }
  }
  return sites.sort((a, b) => a.order - b.order);
}

/** True for a result that was put into a file, as a whole or in part. The text that points to one is short. */
function pointsToFile({ content }: Block): boolean {
  const parts = Array.isArray(content) ? content.map((part) => part?.text) : [content];
  return parts.some((text) => typeof text === 'string' && text.length < 500 && spilledName.test(text));
}

const spilledName = /\b[0-9a-f]{16}\.\w{2,4}\b/;
