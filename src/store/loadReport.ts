import { type Locale, text } from '../locale/locale.js';
import type { Mended } from './curate/mended.js';

/** What was done to a history at its last load. Counts that no stage gave are absent. */
export interface LoadReport {
  /** Results that were marked as out of date. */
  readonly expired?: number;
  /** Large results that were put into files. */
  readonly cleared?: number;
  /** Large results that stayed. */
  readonly kept?: number;
  /** Characters of the cleared ones. */
  readonly charsSaved?: number;
  /** What would have made the request invalid, by kind. */
  readonly mended?: Mended;
  /** What is still wrong after all that; absent if nothing is. */
  readonly faults?: readonly string[];
}

/**
 * One line for people about what a load trimmed.
 *
 * @example
 * trimReport({ lastReport: { expired: 3 } }); // '3 results marked as out of date'
 */
export function trimReport(store: { readonly lastReport: LoadReport }, locale?: Locale): string {
  const { expired = 0, cleared = 0, kept = 0, charsSaved = 0 } = store.lastReport;
  if (cleared > 0) return text('trim.full', { n: cleared, k: kept, t: Math.floor(charsSaved / 4) }, locale);
  return expired > 0 ? text('trim.expiredOnly', { n: expired }, locale) : text('trim.none', {}, locale);
}
