import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Books } from '../books/books.js';
import type { BooksView } from '../books/booksView.js';
import type { EventRow, RunRecord } from '../books/types.js';
import { lockHolder } from '../database/runLock.js';
import { Brief } from '../documents/brief.js';
import { Goal } from '../documents/goal.js';
import type { Runtime } from '../runtime/runtime.js';
import type { RunFacts } from '../terminal/runState.js';
import { placesOf } from '../workflow/places.js';
import { lookInto, untakenMail } from './storedSessions.js';

/** Of a long run no more events are read than these; what is open now began among them. */
const NEWEST_EVENTS = 20_000;
const PAGE = 500;

/** Under this name the books keep what only the process that runs it knows. */
const LIMITS_KEPT = 'limits';

/** Writes down what those who look on from another process cannot know. */
export function keepLimits({ books, runId, handoff }: Runtime, rounds: number | null): void {
  const { window, at } = handoff.enabled ? handoff : { window: null, at: null };
  books.keep(LIMITS_KEPT, { run: runId, rounds, window, at });
}

/** Gathers what is known of a run directory. Writes nothing; works beside a running flower. Null if there are no books. */
export function runFacts(runDir: string): RunFacts | null {
  const books = Books.peek(runDir);
  if (books === null) return null;
  try {
    const holder = lockHolder(runDir);
    const last = books.lastRun();
    // Whoever holds the lock and is not in the books yet has only just begun.
    const run = holder !== null && last?.outcome ? null : last;
    const events = run ? newestEvents(books, run) : [];
    return {
      runDir,
      run,
      holder,
      events,
      rows: run ? books.rows().filter((row) => row.run === run.run) : [],
      totalUsd: books.spentUsd(),
      budgetUsd: books.budgetUsd(),
      mail: existsSync(join(runDir, 'sessions.db')) ? (lookInto(runDir, untakenMail) ?? 0) : 0,
      request: requestIn(events),
      limits: limitsOf(books, run),
      now: Date.now() / 1000,
    };
  } finally {
    books.close();
  }
}

function newestEvents(books: BooksView, { run }: RunRecord): EventRow[] {
  const [first] = books.events(run, { limit: 1 }).events;
  const events: EventRow[] = first ? [first] : [];
  let after = Math.max(first?.seq ?? 0, books.lastSeq(run) - NEWEST_EVENTS);
  for (;;) {
    const page = books.events(run, { after, limit: PAGE });
    events.push(...page.events);
    if (!page.more) return events;
    after = page.events.at(-1)?.seq ?? after;
  }
}

/** The first line of the goal, or of the brief's goal where none is set yet. */
function requestIn([first]: readonly EventRow[]): string | null {
  const { workspace } = first?.payload ?? {};
  if (typeof workspace !== 'string') return null;
  const { goal, brief } = placesOf(workspace);
  const words = Goal.load(goal)?.statement || Brief.load(brief)?.goal || '';
  return words.trim().split('\n')[0] || null;
}

function limitsOf(books: BooksView, run: RunRecord | null): RunFacts['limits'] {
  const kept = Object(books.kept(LIMITS_KEPT)) as Record<string, unknown>;
  const number = (value: unknown) => (typeof value === 'number' && kept.run === run?.run ? value : null);
  return { rounds: number(kept.rounds), window: number(kept.window), at: number(kept.at) };
}
