import type { EphemeralPolicy } from '../ephemeralPolicy.js';
import { callsOf, type LooksOnly } from './calls.js';
import { type Entry, mapBlocks, mapEntries, resultId } from './entry.js';
import { replaceableResults } from './replaceableResults.js';

/**
 * Marks the results of commands that only look as out of date, all but the newest ones: an old `git status` is worthless, and can
 * be asked for again. The text that stands in its place is the same at every load, since it is part of the prompt cache's prefix.
 */
export function expire(
  entries: readonly Entry[],
  policy: EphemeralPolicy,
  looksOnly: LooksOnly,
): { entries: readonly Entry[]; expired: number } {
  const calls = callsOf(entries);
  const commandOf = (id: string) => calls.get(id)?.command ?? '';
  const sites = replaceableResults(
    entries,
    calls,
    ({ id, text }) => text.length <= policy.maxChars && looksOnly(commandOf(id)),
  );
  const old = new Set(sites.slice(0, Math.max(0, sites.length - policy.keepRecent)).map((site) => site.block));
  if (old.size === 0) return { entries, expired: 0 };
  const age = policy.keepRecent + 1;
  const expired = mapEntries(entries, (entry) =>
    mapBlocks(entry, (block) =>
      old.has(block) ? { ...block, content: policy.placeholder(commandOf(resultId(block) ?? ''), age) } : block,
    ),
  );
  return { entries: expired, expired: old.size };
}
