import type { EphemeralPolicy } from '../ephemeralPolicy.js';
import { callsOf, type LooksOnly } from './calls.js';
import type { Entry } from './entry.js';
import { replaceableResults, withContents } from './replaceableResults.js';

/**
 * Marks the results of commands that only look as out of date, all but the newest ones: an old `git status` is worthless, and can
 * be asked for again. The text that stands in its place is the same at every load, since it is part of the prompt cache's prefix.
 */
export function expire(
  entries: readonly Entry[],
  policy: EphemeralPolicy,
  looksOnly: LooksOnly,
  calls = callsOf(entries),
): { entries: readonly Entry[]; expired: number } {
  const commandOf = (id: string) => calls.get(id)?.command ?? '';
  const sites = replaceableResults(
    entries,
    calls,
    ({ id, text }) => text.length <= policy.maxChars && looksOnly(commandOf(id)),
  );
  const age = policy.keepRecent + 1;
  const old = sites.slice(0, Math.max(0, sites.length - policy.keepRecent));
  const contents = new Map(old.map((site) => [site, policy.placeholder(commandOf(site.id), age)]));
  return { entries: withContents(entries, contents), expired: contents.size };
}
