import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openDatabase, type RunDatabase } from '../database/database.js';
import { databaseFault } from '../database/faults.js';
import { migrate } from '../database/migrations.js';
import { prepareRunDir, removeLeftovers } from '../database/runDir.js';
import type { DurableWrite } from '../durableWrites.js';
import { type Locale, text } from '../locale/locale.js';
import { BooksView, peekBooks } from './booksView.js';
import { beginEpoch, followEpoch, newestEpoch } from './epochs.js';
import { fitPayload } from './fitPayload.js';
import { importOlderBooks } from './importOlderBooks.js';
import { Mailbox } from './mailbox.js';
import { insertSteps } from './steps.js';
import type { EventRow, ManifestRow, RunOutcome } from './types.js';
import { lineagePath, manifestPath, writeLineageView, writeManifestView } from './views.js';

export interface BooksOptions {
  /**
   * Language of messages and errors.
   * @default activeLocale()
   */
  readonly locale?: Locale;
  /** Told once for each view that cannot be written, in words for a person. The run is not affected. */
  readonly onViewFailed?: (message: string) => void;
  /** Told of each file of an older directory that could not be understood and was moved aside, in words for a person. */
  readonly onSetAside?: (message: string) => void;
}

/**
 * What the runs of one directory did and spent: tables in its `sessions.db`, with `manifest.json` and `lineage.json` as views that
 * nothing reads back. Several Books on one directory, in one process or many, lose nothing to each other.
 *
 * Every write is a transaction of its own or joins that of `transaction`, and throws a FlowerError with a code of
 * `DatabaseFaultCode` when it cannot be made; `database_locked` after a quarter of a second, so that a lock from outside never
 * stops the program for long. Nothing of it was written then, and it can be repeated.
 *
 * @example
 * const books = Books.open('/home/ann/app/runs');
 * books.beginRun(runId);
 * books.transaction(() => {
 *   books.putSteps(runId, rows);
 *   books.endRun(runId, { ended: 'finished', claimed: true, verified: 'achieved', reason: 'all items met' });
 * });
 * books.close();
 */
export class Books extends BooksView {
  readonly #options: BooksOptions;
  readonly #reported = new Set<string>();

  private constructor(database: RunDatabase, runDir: string, options: BooksOptions) {
    super(database, runDir, () => openAside(runDir, options));
    this.#options = options;
  }

  /**
   * Opens the books of a run directory: creates the folder with its `.gitignore`, brings the database to the newest schema,
   * imports the JSON files of an older directory, and writes views anew that are stale.
   *
   * @throws FlowerError with a code of `DatabaseFaultCode`.
   */
  static open(runDir: string, options: BooksOptions = {}): Books {
    const database = openBooksDatabase(runDir, options);
    const books = new Books(database, dirname(database.path), options);
    books.writeViews();
    return books;
  }

  /** Opens the books to read, without writing a byte; null if the directory holds none. See `peekBooks`. */
  static peek(runDir: string, locale?: Locale): BooksView | null {
    return peekBooks(runDir, locale);
  }

  /** Enters a run, in the current epoch. */
  beginRun(run: string): void {
    this.transaction(() => this.#enter(run, Date.now() / 1000), 'books.run');
  }

  /** Books how a run ended. */
  endRun(run: string, outcome: RunOutcome): void {
    const { ended, claimed, verified, reason } = outcome;
    const now = Date.now() / 1000;
    this.transaction(() => {
      this.#enter(run, now);
      this.sql(
        'UPDATE runs SET ended_at = ?, ended = ?, claimed = ?, verified = ?, reason = ?, limit_until = NULL WHERE run = ?',
      ).run(now, ended, claimed ? 1 : 0, verified, reason, run);
    }, 'books.outcome');
  }

  /** Notes until when a run waits for a usage limit, in unix seconds, so that a restart waits only for the rest; null = no more. */
  setLimitUntil(run: string, until: number | null): void {
    this.transaction(() => {
      this.#enter(run, Date.now() / 1000);
      this.sql('UPDATE runs SET limit_until = ? WHERE run = ?').run(until, run);
    });
  }

  /** Replaces the rows of one run by these, in this order. The rows of all others stay. */
  putSteps(run: string, rows: readonly ManifestRow[]): void {
    this.transaction(() => {
      this.#enter(run, rows[0]?.started_at ?? Date.now() / 1000);
      this.sql('DELETE FROM steps WHERE run = ?').run(run);
      insertSteps(this.database.handle, run, rows);
      this.database.afterCommit('manifest.json', () => this.#writeManifest());
    }, 'books.steps');
  }

  /** Adds events to a run's log. Each `seq` exists once. A payload above 64 KiB has its longest strings cut. */
  appendEvents(run: string, events: readonly EventRow[]): void {
    const insert = this.sql(
      'INSERT INTO events (run, seq, at, step, kind, text, tool, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.transaction(() => {
      for (const { seq, at, step, kind, text, tool, payload } of events) {
        insert.run(run, seq, at, step, kind, text, tool, fitPayload(payload));
      }
    }, 'books.events');
  }

  /** The inbox of this directory; what is saved through it belongs to `run`. */
  mailbox(run: string): Mailbox {
    return new Mailbox(this.database, run, () => this.#enter(run, Date.now() / 1000));
  }

  /** Sets the ceiling for `spentUsd` in US dollars, null for none. It holds until another is set, also over a `--new`. */
  setBudgetUsd(budgetUsd: number | null): void {
    if (budgetUsd !== null && !(budgetUsd >= 0)) {
      throw new TypeError(`setBudgetUsd: budgetUsd must be null or a number from 0 up, got ${budgetUsd}`);
    }
    this.transaction(() => {
      this.sql('UPDATE epochs SET budget_usd = ? WHERE epoch = (SELECT max(epoch) FROM epochs)').run(budgetUsd);
    });
  }

  /** Begins a new account: what was spent until now no longer counts. */
  newEpoch(): void {
    this.transaction(() => beginEpoch(this.database.handle));
  }

  /** Keeps a value (anything that JSON holds) under a name, in place of what was there: for whoever has to compare after a restart. */
  keep(name: string, value: unknown): void {
    this.transaction(() => {
      this.sql('INSERT INTO kept (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(
        name,
        JSON.stringify(value),
      );
    }, 'books.kept');
  }

  /** Marks a session whose history in the store has a hole. */
  markRepair(storeKey: string, transcript: string | null): void {
    this.transaction(() => {
      this.sql(
        `INSERT INTO repairs (store_key, since, transcript) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET transcript = coalesce(excluded.transcript, transcript)`,
      ).run(storeKey, Date.now() / 1000, transcript);
    });
  }

  /** Takes the mark away: the history is whole again. */
  clearRepair(storeKey: string): void {
    this.transaction(() => {
      this.sql('DELETE FROM repairs WHERE store_key = ?').run(storeKey);
    });
  }

  /**
   * Commits everything that `work` writes together or not at all, whatever of the books or the lineage it goes through. Views are
   * written after the commit.
   */
  transaction<T>(work: () => T, write?: DurableWrite): T {
    return this.database.transaction(work, write);
  }

  /**
   * Writes the views that are stale, and removes what a killed process left of them: under the write lock nobody else is
   * replacing one.
   */
  writeViews(): void {
    this.#harmless(this.runDir, () => this.transaction(() => removeLeftovers(this.runDir, unfinishedFile)));
    this.#writeManifest();
    this.#harmless(lineagePath(this.runDir), () => writeLineageView(this.database, this.runDir));
  }

  #enter(run: string, startedAt: number): void {
    const { handle } = this.database;
    if (this.sql('SELECT 1 FROM runs WHERE run = ?').get(run)) return;
    if (basename(this.runDir) === 'aside') followEpoch(handle, epochOf(dirname(this.runDir)));
    this.sql('INSERT INTO runs (run, epoch, started_at) VALUES (?, ?, ?)').run(run, newestEpoch(handle), startedAt);
  }

  #writeManifest(): void {
    this.#harmless(manifestPath(this.runDir), () => writeManifestView(this.database, this.runDir));
  }

  #harmless(path: string, write: () => void): void {
    try {
      write();
    } catch (error) {
      if (this.#reported.has(path)) return;
      this.#reported.add(path);
      const why = error instanceof Error ? error.message : String(error);
      this.#options.onViewFailed?.(text('books.viewFailed', { path, why }, this.#options.locale));
    }
  }
}

/** What a kill leaves of a view, and of a file that is written only once. */
const unfinishedFile = /^((manifest|lineage)\.json\.\d+|(\.gitignore|project\.json)\.\d+\.new)$/;

/**
 * The database of a run directory, with its folder, its newest schema and the books of an older directory in it. For whoever
 * writes to the books past `Books`.
 */
export function openBooksDatabase(runDir: string, options: BooksOptions = {}): RunDatabase {
  const { locale } = options;
  try {
    const directory = prepareRunDir(runDir);
    const database = openDatabase(join(directory, 'sessions.db'), locale && { locale });
    const onSetAside = (path: string, aside: string) =>
      options.onSetAside?.(text('books.setAside', { path, aside }, locale));
    try {
      migrate(database, { 1: () => importOlderBooks(database.handle, directory, { touch: true, onSetAside }) }, locale);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw databaseFault(error, join(runDir, 'sessions.db'), locale) ?? error;
  }
}

/** Side questions keep their books in `aside/`, on the account of this directory. */
function openAside(runDir: string, options: BooksOptions): RunDatabase | null {
  const aside = join(runDir, 'aside');
  return existsSync(join(aside, 'sessions.db')) ? openBooksDatabase(aside, options) : null;
}

function epochOf(runDir: string): number {
  const path = join(runDir, 'sessions.db');
  if (!existsSync(path)) return 0;
  const database = openDatabase(path, { readonly: true });
  try {
    return newestEpoch(database.handle);
  } finally {
    database.close();
  }
}
