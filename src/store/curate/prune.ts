import { looksOnly } from '../looksOnly.js';
import type { PrunePolicy } from '../prunePolicy.js';
import { distinct } from './distinct.js';
import { dropNoise } from './dropNoise.js';
import { type Entry, uuidOf } from './entry.js';
import { type HealOptions, type HealTexts, heal } from './heal.js';
import type { Mended } from './mended.js';

export interface Pruned {
  readonly entries: readonly Entry[];
  /** Entries that were left out. */
  readonly pruned: number;
  readonly denialsDropped: number;
  /** Entries that were added, moved or changed to make the history valid. */
  readonly healed: number;
  readonly mended: Mended;
}

/** Takes out what misleads, then mends what is invalid. */
export function prune(
  entries: readonly Entry[],
  policy: PrunePolicy,
  texts: HealTexts,
  options: HealOptions = {},
): Pruned {
  const single = distinct(entries);
  const quiet = dropNoise(single.entries, policy, options.looksOnly ?? looksOnly);
  const { entries: healed, mended } = heal(quiet.entries, texts, options);
  const known = new Set(entries.map(uuidOf));
  const sound = new Set(quiet.entries);
  return {
    entries: healed,
    pruned: entries.length - healed.filter((entry) => known.has(uuidOf(entry))).length,
    denialsDropped: quiet.denialsDropped,
    healed: healed.filter((entry) => !sound.has(entry)).length,
    mended: { ...mended, duplicates: mended.duplicates + single.duplicates },
  };
}
