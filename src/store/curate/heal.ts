import { text } from '../../locale/locale.js';
import { looksOnly as realLooksOnly } from '../looksOnly.js';
import type { LooksOnly } from './calls.js';
import { distinct } from './distinct.js';
import type { Entry } from './entry.js';
import { isPaired } from './isPaired.js';
import { wordsOfLostResults } from './lostResults.js';
import { mendBeginning } from './mendBeginning.js';
import { type Mended, nothingMended } from './mended.js';
import { mendParents } from './mendParents.js';
import { named } from './named.js';
import { type OrphanTexts, placeResults } from './placeResults.js';
import { dropSurplusResults } from './surplusResults.js';
import { type Oversize, tidy } from './tidy.js';

export interface HealTexts extends OrphanTexts {
  /** Before the text of a result whose call is no longer there. @default the locale's */
  readonly lost?: string;
  /** In place of a beginning that is no longer there. @default the locale's */
  readonly start?: string;
}

export interface HealOptions {
  /** Which Bash commands only look. @default isEphemeral */
  readonly looksOnly?: LooksOnly;
  /** Give calls without a result one. @default true */
  readonly orphans?: boolean;
  /** Where images and documents go that are too large; null leaves them. @default null */
  readonly oversize?: Oversize | null;
}

type Healed = { readonly entries: readonly Entry[]; readonly mended: Mended };

/**
 * Makes a history valid that a crash, an interrupt or a cut has made invalid: what the service would refuse is replaced, moved or
 * completed. A sound list comes back as the same object, and so do its sound entries.
 *
 * @example
 * const { entries, mended } = heal(loaded, { orphan: '[do it again]', unknown: '[check first]' });
 */
export function heal(entries: readonly Entry[], texts: HealTexts, options: HealOptions = {}): Healed {
  const single = distinct(named(entries));
  return mend(single.entries, single.duplicates, texts, options);
}

/** `heal` for a list in which no uuid and no call occurs twice; `duplicates` is how many did before. */
export function mend(
  entries: readonly Entry[],
  duplicates: number,
  texts: HealTexts,
  { looksOnly = realLooksOnly, orphans = true, oversize = null }: HealOptions,
): Healed {
  const tidied = tidy(entries, oversize);
  const paired = isPaired(tidied.entries) ? null : pair(tidied.entries, texts, orphans, looksOnly);
  const begun = mendBeginning(paired?.entries ?? tidied.entries, texts.start ?? text('prune.lostStart'));
  const chained = mendParents(begun.entries);
  return {
    entries: chained.entries,
    mended: {
      ...nothingMended,
      ...tidied.counts,
      ...paired?.counts,
      duplicates: duplicates + (paired?.counts.duplicates ?? 0),
      parents: chained.parents + begun.beginnings,
    },
  };
}

function pair(entries: readonly Entry[], texts: HealTexts, makeUp: boolean, looksOnly: LooksOnly) {
  const told = wordsOfLostResults(entries, texts.lost ?? text('prune.lostCall'));
  const single = dropSurplusResults(told.entries);
  const { entries: placed, ...counts } = placeAll(single.entries, makeUp ? texts : null, looksOnly);
  return { entries: placed, counts: { ...counts, lost: told.lost, duplicates: single.duplicates } };
}

/**
 * Gives each call a result behind its message: its own one, else one that tells the truth about the call. Nothing else is mended.
 *
 * @example
 * const valid = healOrphans(loaded, { orphan: '[do it again]', unknown: '[check first]' });
 */
export function healOrphans(
  entries: readonly Entry[],
  texts: OrphanTexts,
  looksOnly: LooksOnly = realLooksOnly,
): readonly Entry[] {
  return placeAll(entries, texts, looksOnly).entries;
}

/** Words that shared an entry with a result that was moved stay behind, and may part another message from its results. */
function placeAll(
  entries: readonly Entry[],
  texts: OrphanTexts | null,
  looksOnly: LooksOnly,
): ReturnType<typeof placeResults> {
  const first = placeResults(entries, texts, looksOnly);
  if (first.moved === 0) return first;
  const rest = placeAll(first.entries, texts, looksOnly);
  return { entries: rest.entries, orphans: first.orphans + rest.orphans, moved: first.moved + rest.moved };
}
