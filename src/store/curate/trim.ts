import type { TrimPolicy } from '../trimPolicy.js';
import { callsOf } from './calls.js';
import type { Entry } from './entry.js';
import { replaceableResults, type Site, withContents } from './replaceableResults.js';

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
  calls = callsOf(entries),
): { entries: readonly Entry[]; cleared: number; kept: number; charsSaved: number } {
  const sites = replaceableResults(entries, calls, ({ text }) => text.length >= policy.minChars);
  const pointers = new Map<Site, string>();
  let charsSaved = 0;
  for (const site of sites.slice(0, Math.max(0, sites.length - policy.keepRecent))) {
    const { text } = site;
    const path = spill(text, 'txt');
    if (path === null) continue;
    pointers.set(site, policy.placeholder(path, text.length));
    charsSaved += text.length;
  }
  return {
    entries: withContents(entries, pointers),
    cleared: pointers.size,
    kept: sites.length - pointers.size,
    charsSaved,
  };
}
