import type { OrderedCall } from './calls.js';
import { type Block, blocksOf, type Entry, isNote, mapBlocks, resultId, resultText } from './entry.js';
import { isMadeUp } from './madeUp.js';
import { isInterruptResult } from './recognise.js';

/** A result, and where it stands in the list. */
export interface Site {
  readonly index: number;
  readonly entry: Entry;
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
  entries.forEach((entry, index) => {
    if (entry.type !== 'user' || isNote(entry)) return;
    for (const block of blocksOf(entry)) {
      const id = resultId(block);
      if (id === null) continue;
      order = calls.get(id)?.order ?? order;
      const text = resultText(block);
      if (text === null) continue;
      const site = { index, entry, block, id, text, order };
      if (!isWanted(site) || isMadeUp(entry) || isInterruptResult(entry) || pointsToFile(block)) continue;
      sites.push(site);
    }
  });
  return sites.sort((a, b) => a.order - b.order);
}

/** The list with other contents in these results; the list itself if there are none. */
export function withContents(entries: readonly Entry[], contents: ReadonlyMap<Site, string>): readonly Entry[] {
  if (contents.size === 0) return entries;
  const list = [...entries];
  for (const [{ index, entry, block }, content] of contents) {
    // There may be another content in this entry already.
    list[index] = mapBlocks(list[index] ?? entry, (other) => (other === block ? { ...block, content } : other));
  }
  return list;
}

/** True for a result that was put into a file, as a whole or in part. The text that points to one is short. */
function pointsToFile({ content }: Block): boolean {
  const parts = Array.isArray(content) ? content.map((part) => part?.text) : [content];
  return parts.some((text) => typeof text === 'string' && text.length < 500 && spilledName.test(text));
}

const spilledName = /\b[0-9a-f]{16}\.\w{2,4}\b/;
