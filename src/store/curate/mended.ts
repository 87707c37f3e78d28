/** What was put right so that the history makes a valid request, by kind. */
export interface Mended {
  /** Calls without a result that got one. */
  readonly orphans: number;
  /** Results that stood elsewhere than behind their call. */
  readonly moved: number;
  /** Second copies: entries, calls, results. */
  readonly duplicates: number;
  /** Results whose call is no longer there. */
  readonly lost: number;
  /** Blank texts and messages with nothing in them. */
  readonly empties: number;
  /** Entries with half a surrogate pair. */
  readonly surrogates: number;
  /** Entries whose parent was missing, later, or themselves, and beginnings that are gone. */
  readonly parents: number;
  /** Images and documents too large to send. */
  readonly oversized: number;
  /** Stored payloads that are no entry. */
  readonly unreadable: number;
}

export const nothingMended: Mended = {
  orphans: 0,
  moved: 0,
  duplicates: 0,
  lost: 0,
  empties: 0,
  surrogates: 0,
  parents: 0,
  oversized: 0,
  unreadable: 0,
};
