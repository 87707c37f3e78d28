import { looksOnly } from '../looksOnly.js';
import type { PrunePolicy } from '../prunePolicy.js';
import { distinct } from './distinct.js';
import { dropNoise } from './dropNoise.js';
import { type Entry, uuidOf } from './entry.js';
import { type HealOptions, type HealTexts, mend } from './heal.js';
import { isSound } from './isSound.js';
import { type Mended, nothingMended } from './mended.js';
import { named } from './named.js';

export interface Pruned {
  readonly entries: readonly Entry[];
  /** Entries that were left out. */
  readonly pruned: number;
  readonly denialsDropped: number;
  /** Entries that were added, moved or changed to make the history valid. */
  readonly healed: number;
  readonly mended: Mended;
  /** There was nothing to mend, so that the entries need no check. */
  readonly isSound: boolean;
}

/** Takes out what misleads, then mends what is invalid. */
export function prune(
  entries: readonly Entry[],
  policy: PrunePolicy,
  texts: HealTexts,
  options: HealOptions = {},
): Pruned {
  const wasSound = isSound(entries);
  const single = wasSound ? { entries, duplicates: 0 } : distinct(named(entries));
  const quiet = dropNoise(single.entries, policy, options.looksOnly ?? looksOnly);
  const staysSound = quiet.entries === entries ? wasSound : isSound(quiet.entries);
  const { entries: healed, mended } = staysSound
    ? { entries: quiet.entries, mended: { ...nothingMended, duplicates: single.duplicates } }
    : mend(quiet.entries, single.duplicates, texts, options);
  const known = healed === quiet.entries ? null : new Set(single.entries.map(uuidOf));
  const sound = healed === quiet.entries ? null : new Set(quiet.entries);
  const left = known ? healed.filter((entry) => known.has(uuidOf(entry))) : healed;
  return {
    entries: healed,
    pruned: entries.length - left.length,
    denialsDropped: quiet.denialsDropped,
    healed: sound ? healed.filter((entry) => !sound.has(entry)).length : 0,
    mended,
    isSound: staysSound,
  };
}
