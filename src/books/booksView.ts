import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Statement } from 'better-sqlite3';
import { openDatabase, type RunDatabase } from '../database/database.js';
import { migrate } from '../database/migrations.js';
import { realPath } from '../database/runDir.js';
import type { Locale } from '../locale/locale.js';
import { newestEpoch, spentIn } from './epochs.js';
import { hasOlderBooks, importOlderBooks } from './importOlderBooks.js';
import type { EventPage, EventRow, ManifestRow, Repair, RunOutcome, RunRecord } from './types.js';
import { staleViews } from './views.js';

export interface EventsOptions {
  /**
   * Only events behind this `seq`.
   * @default 0
   */
  readonly after?: number;
  /**
   * At most so many; never more than 500.
   * @default 500
   */
  readonly limit?: number;
}

const largestPage = 500;

/** The books of a run directory, to read. `peekBooks` opens them without writing a byte. */
export class BooksView {
  /** Path of the run directory. */
  readonly runDir: string;
  protected readonly database: RunDatabase;
  readonly #openAside: () => RunDatabase | null;
  #aside: RunDatabase | null = null;
  readonly #statements = new Map<string, Statement>();

  constructor(database: RunDatabase, runDir: string, openAside: () => RunDatabase | null) {
    this.database = database;
    this.runDir = runDir;
    this.#openAside = openAside;
  }

  /** Every row of the manifest: the runs in the order in which they began, each one's steps in theirs. */
  rows(): ManifestRow[] {
    const rows = this.sql('SELECT row FROM steps JOIN runs USING (run) ORDER BY runs.rowid, position').pluck().all();
    return rows.map((row) => JSON.parse(String(row)) as ManifestRow);
  }

  /** All runs, oldest first. */
  runs(): RunRecord[] {
    return this.sql('SELECT * FROM runs ORDER BY rowid').all().map(runRecord);
  }

  /** The run that began last, or null. */
  lastRun(): RunRecord | null {
    const row = this.sql('SELECT * FROM runs ORDER BY rowid DESC LIMIT 1').get();
    return row ? runRecord(row) : null;
  }

  /** How the run that began last ended; null if there is none, or it has not ended or was killed. */
  lastOutcome(): ({ readonly run: string; readonly startedAt: number; readonly endedAt: number } & RunOutcome) | null {
    const last = this.lastRun();
    if (!last?.outcome || last.endedAt === null) return null;
    return { run: last.run, startedAt: last.startedAt, endedAt: last.endedAt, ...last.outcome };
  }

  /** One page of a run's event log. A run of an older flower has none. */
  events(run: string, options: EventsOptions = {}): EventPage {
    const { after = 0, limit = largestPage } = options;
    const wanted = Math.max(0, Math.min(limit, largestPage));
    const rows = this.sql('SELECT * FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?').all(
      run,
      after,
      wanted + 1,
    );
    return { events: rows.slice(0, wanted).map(eventRow), more: rows.length > wanted };
  }

  /** The `seq` of a run's last event, 0 if it has none. */
  lastSeq(run: string): number {
    return Number(this.sql('SELECT coalesce(max(seq), 0) FROM events WHERE run = ?').pluck().get(run));
  }

  /** What was spent in this directory since the last `--new`, by any process, side questions included. US dollars. */
  spentUsd(): number {
    const epoch = newestEpoch(this.database.handle);
    this.#aside ??= this.#openAside();
    return spentIn(this.database.handle, epoch) + (this.#aside ? spentIn(this.#aside.handle, epoch) : 0);
  }

  /** The ceiling for `spentUsd`, null for none. */
  budgetUsd(): number | null {
    const budget = this.sql('SELECT budget_usd FROM epochs ORDER BY epoch DESC LIMIT 1').pluck().get();
    return typeof budget === 'number' ? budget : null;
  }

  /** What was kept under a name, undefined if nothing was. */
  kept(name: string): unknown {
    // A reader may meet a file of an earlier schema.
    if (!this.sql("SELECT 1 FROM sqlite_schema WHERE name = 'kept'").get()) return undefined;
    const value = this.sql('SELECT value FROM kept WHERE name = ?').pluck().get(name);
    return typeof value === 'string' ? JSON.parse(value) : undefined;
  }

  /** Sessions whose history has a hole. */
  repairs(): Repair[] {
    const rows = this.sql(
      'SELECT store_key AS storeKey, since, transcript FROM repairs ORDER BY since, store_key',
    ).all();
    return rows as Repair[];
  }

  /** The names of the views, `manifest.json` or `lineage.json`, that do not show what the books hold. */
  staleViews(): string[] {
    return staleViews(this.database.handle, this.runDir);
  }

  /** What is wrong with the database file, one line each; empty if it is sound. */
  integrityCheck(): string[] {
    return this.database.integrityCheck();
  }

  /** Gives the database back. Idempotent. */
  close(): void {
    this.#aside?.close();
    this.database.close();
  }

  protected sql(source: string): Statement {
    const known = this.#statements.get(source);
    if (known) return known;
    const statement = this.database.handle.prepare(source);
    this.#statements.set(source, statement);
    return statement;
  }
}

/**
 * Opens the books of a run directory without writing a byte, also beside a running flower. The JSON files of an older directory
 * are read as they stand. Null if the directory holds no books.
 *
 * @throws FlowerError with a code of `DatabaseFaultCode`.
 *
 * @example
 * const view = peekBooks('/home/ann/app/runs');
 * try { console.log(view?.lastOutcome()?.verified); } finally { view?.close(); }
 */
export function peekBooks(runDir: string, locale?: Locale): BooksView | null {
  const database = peekDatabase(runDir, locale);
  return database && new BooksView(database, realPath(runDir), () => peekDatabase(join(runDir, 'aside'), locale));
}

function peekDatabase(runDir: string, locale: Locale | undefined): RunDatabase | null {
  const path = join(runDir, 'sessions.db');
  if (existsSync(path)) {
    const database = openDatabase(path, { readonly: true, ...(locale && { locale }) });
    if (database.handle.pragma('user_version', { simple: true }) !== 0) return database;
    database.close();
  } else if (!hasOlderBooks(runDir)) {
    return null;
  }
  const imported = openDatabase(':memory:');
  migrate(imported, { 1: () => importOlderBooks(imported.handle, runDir, { touch: false }) });
  return imported;
}

function runRecord(row: unknown): RunRecord {
  const { run, epoch, started_at, ended_at, ended, claimed, verified, reason, limit_until } = row as {
    run: string;
    epoch: number;
    started_at: number;
    ended_at: number | null;
    ended: RunOutcome['ended'] | null;
    claimed: number | null;
    verified: RunOutcome['verified'] | null;
    reason: string | null;
    limit_until: number | null;
  };
  const outcome = ended && verified ? { ended, claimed: claimed === 1, verified, reason: reason ?? '' } : null;
  return { run, epoch, startedAt: started_at, endedAt: ended_at, outcome, limitUntil: limit_until };
}

function eventRow(row: unknown): EventRow {
  const { seq, at, step, kind, text, tool, payload } = row as Omit<EventRow, 'payload'> & { payload: string };
  return { seq, at, step, kind, text, tool, payload: JSON.parse(payload) };
}
