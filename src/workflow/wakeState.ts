import { isDeepStrictEqual } from 'node:util';
import { Books } from '../books/books.js';
import { Lineage } from '../books/lineage.js';
import type { RunOutcome } from '../books/types.js';
import { Brief } from '../documents/brief.js';
import { Goal } from '../documents/goal.js';
import type { Locale } from '../locale/locale.js';
import { DOCUMENTS_KEPT, documentsNow } from './keptDocuments.js';
import { openRequests } from './openRequests.js';
import { type Places, placesOf } from './places.js';

/** What an earlier run left in a directory. */
export interface WakeState {
  /** A complete brief is there: the next run goes on from it. */
  readonly waking: boolean;
  /** What was asked for, where a clarifier was cut off and goes on; null elsewhere. */
  readonly clarifying: string | null;
  readonly brief: string;
  readonly goal: string;
  /** The workbench's root. */
  readonly home: string;
  /** The language of the directory's documents. */
  readonly locale: Locale;
  /** Items of the goal; 0 without one. */
  readonly checks: number;
  readonly woke: number;
  /** Step to session. */
  readonly steps: Readonly<Record<string, string>>;
  /** The last run that ended by itself. */
  readonly outcome: {
    readonly verified: RunOutcome['verified'];
    readonly endedAt: number;
    /** Since the last `--new`. */
    readonly costUsd: number;
    /** Brief and goal are as they were then. */
    readonly unchanged: boolean;
  } | null;
}

export interface WakeOptions {
  /** @default 'runs', against the current directory */
  readonly runDir?: string;
  /** As given to `starterFlow`. @default false */
  readonly isolate?: boolean;
  readonly locale?: Locale;
  /** As given to `starterFlow`. */
  readonly briefName?: string;
  /** As given to `starterFlow`. */
  readonly goalName?: string;
}

/**
 * Looks at what is there before a run. Writes not a byte.
 *
 * @example
 * const state = wakeState('/home/ann/app', { runDir: '/home/ann/app/runs' });
 * if (state.waking) console.log(`going on, wake ${state.woke + 1}`);
 */
export function wakeState(workspace = '.', options: WakeOptions = {}): WakeState {
  const { runDir = 'runs' } = options;
  const places = placesOf(workspace, options);
  const lineage = Lineage.open(runDir, places.workspace);
  const waking = Brief.load(places.brief)?.complete() ?? false;
  return {
    waking,
    clarifying: waking ? null : (openRequests(runDir, places)[0] ?? null),
    brief: places.brief,
    goal: places.goal,
    home: places.home,
    locale: places.locale,
    checks: Goal.load(places.goal)?.checks.length ?? 0,
    woke: lineage.woke,
    steps: { ...lineage.steps },
    outcome: lastOutcome(runDir, places),
  };
}

function lastOutcome(runDir: string, places: Places): WakeState['outcome'] {
  const books = Books.peek(runDir);
  if (!books) return null;
  try {
    const last = books.lastOutcome();
    const unchanged = isDeepStrictEqual(books.kept(DOCUMENTS_KEPT), documentsNow(places.brief, places.goal));
    return last && { verified: last.verified, endedAt: last.endedAt, costUsd: books.spentUsd(), unchanged };
  } finally {
    books.close();
  }
}
