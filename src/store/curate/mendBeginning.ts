import { type Entry, isBoundary, messageOf } from './entry.js';
import { madeUpPrompt } from './madeUp.js';

/**
 * Makes each part of a history begin with words to the model, as the service demands: where these are gone it says that they are.
 * A part begins at the start of the list and behind each compaction.
 */
export function mendBeginning(
  entries: readonly Entry[],
  words: string,
): { entries: readonly Entry[]; beginnings: number } {
  const orphaned = new Set<Entry>();
  let isOpen = false;
  for (const entry of entries) {
    if (isBoundary(entry)) isOpen = false;
    if (isOpen || !messageOf(entry)) continue;
    isOpen = true;
    if (entry.type === 'assistant') orphaned.add(entry);
  }
  if (orphaned.size === 0) return { entries, beginnings: 0 };
  const mended = entries.flatMap((entry) => {
    if (!orphaned.has(entry)) return [entry];
    const prompt = madeUpPrompt(entry, words);
    return [prompt, { ...entry, parentUuid: prompt.uuid }];
  });
  return { entries: mended, beginnings: orphaned.size };
}
