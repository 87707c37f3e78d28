import type { TrimPolicy } from '../trimPolicy.js';
import { callsOf } from './calls.js';
import { type Block, type Entry, mapBlocks, mapEntries } from './entry.js';
import { replaceableResults } from './replaceableResults.js';

/** Puts something into a file and gives the path to show for it; null if that failed. The same bytes give the same path. */
export type Spill = (bytes: string | Uint8Array, extension: string) => string | null;

/**
 * Puts large results into files, all but the newest ones, and leaves a pointer in place of each. One that cannot be written stays
 * as it is.
 */
export function trim(
  entries: readonly Entry[],
  policy: TrimPolicy,
  spill: Spill,
): { entries: readonly Entry[]; cleared: number; kept: number; charsSaved: number } {
  const sites = replaceableResults(entries, callsOf(entries), ({ text }) => text.length >= policy.minChars);
  const pointers = new Map<Block, string>();
  let charsSaved = 0;
  for (const { block, text } of sites.slice(0, Math.max(0, sites.length - policy.keepRecent))) {
    const path = spill(text, 'txt');
    if (path === null) continue;
    pointers.set(block, policy.placeholder(path, text.length));
    charsSaved += text.length;
  }
  const trimmed =
    pointers.size === 0
      ? entries
      : mapEntries(entries, (entry) =>
          mapBlocks(entry, (block) => {
            const content = pointers.get(block);
            return content === undefined ? block : { ...block, content };
          }),
        );
  return { entries: trimmed, cleared: pointers.size, kept: sites.length - pointers.size, charsSaved };
}
