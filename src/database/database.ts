import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Database } from 'better-sqlite3';
import { type DurableWrite, reach } from '../durableWrites.js';
import type { Locale } from '../locale/locale.js';
import { databaseFault } from './faults.js';
import { openMemory, openReadonly, openWritable, restJournal } from './opening.js';

export interface DatabaseOptions {
  /**
   * Look only: the file must exist and not a byte of it is written.
   * @default false
   */
  readonly readonly?: boolean;
  /**
   * Language of the error messages.
   * @default activeLocale()
   */
  readonly locale?: Locale;
}

/** One opened view of a database file. Several of them on one path share one connection. */
export interface RunDatabase {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  /** The shared connection. Writes go through `transaction`. */
  readonly handle: Database;
  /**
   * Runs `work` in one write transaction (`BEGIN IMMEDIATE`) and gives its result; whatever it throws undoes all of it. A call
   * inside a call joins: it commits with the outermost one, and undoes its own part alone when it throws and the caller goes on.
   * Faults of the file become FlowerErrors.
   *
   * @param write its name as a durable write, if it is the outermost one. @default 'books.other'
   */
  transaction<T>(work: () => T, write?: DurableWrite): T;
  /**
   * Runs `work` once the outermost transaction is committed, at once when none is open; not at all if it is undone. Of several
   * under one name the last one runs. It must not throw.
   */
  afterCommit(name: string, work: () => void): void;
  /** False once the file at the path is gone or another one: what is written then would be seen by nobody. */
  isInPlace(): boolean;
  /** What SQLite finds wrong with the file, one line each; empty if it is sound. Reads the whole file. */
  integrityCheck(): string[];
  /** Gives the connection back; the last one closes it. Idempotent. */
  close(): void;
}

/**
 * Opens `sessions.db`, or another database of the same form: creates it and its folders, makes sure of the tables for session
 * entries and makes one small write, so that a full or read-only disk is an error now and not after a model call was paid for.
 *
 * @throws FlowerError with a code of `DatabaseFaultCode`. A file of a newer flower is left byte for byte alone.
 *
 * @example
 * const database = openDatabase('/home/ann/app/runs/sessions.db');
 * try { database.transaction(() => database.handle.exec("DELETE FROM meta WHERE store_key = 'x'")); }
 * finally { database.close(); }
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): RunDatabase {
  const { readonly = false, locale } = options;
  try {
    return new OpenedDatabase(acquire(path, readonly, locale), locale);
  } catch (error) {
    throw databaseFault(error, path, locale) ?? error;
  }
}

class OpenedDatabase implements RunDatabase {
  readonly #connection: Connection;
  readonly #locale: Locale | undefined;
  #closed = false;

  constructor(connection: Connection, locale: Locale | undefined) {
    this.#connection = connection;
    this.#locale = locale;
  }

  get path(): string {
    return this.#connection.path;
  }

  get handle(): Database {
    return this.#connection.handle;
  }

  transaction<T>(work: () => T, write?: DurableWrite): T {
    try {
      return this.#connection.transaction(work, write);
    } catch (error) {
      throw databaseFault(error, this.path, this.#locale) ?? error;
    }
  }

  afterCommit(name: string, work: () => void): void {
    this.#connection.afterCommit(name, work);
  }

  isInPlace(): boolean {
    return this.#connection.isInPlace();
  }

  integrityCheck(): string[] {
    try {
      const lines = this.handle.pragma('integrity_check') as { integrity_check: string }[];
      return lines.map((line) => line.integrity_check).filter((line) => line !== 'ok');
    } catch (error) {
      return [databaseFault(error, this.path, this.#locale)?.message ?? String(error)];
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.release();
  }
}

/** The connections of this process by absolute path. */
const connections = new Map<string, Connection>();

function readonlyKey(path: string): string {
  return `readonly ${path}`;
}

function acquire(path: string, readonly: boolean, locale: Locale | undefined): Connection {
  if (path === ':memory:') return new Connection(null, ':memory:', openMemory());
  const absolute = canonical(path, readonly);
  const writable = connections.get(absolute);
  if (writable?.isInPlace()) return writable.retain();
  if (!readonly) return new Connection(absolute, absolute, openWritable(absolute, locale));
  const looking = connections.get(readonlyKey(absolute));
  if (looking?.isInPlace()) return looking.retain();
  const isOpenHere = writable !== undefined || looking !== undefined;
  return new Connection(readonlyKey(absolute), absolute, openReadonly(absolute, isOpenHere, locale));
}

class Connection {
  readonly path: string;
  readonly handle: Database;
  readonly #key: string | null;
  readonly #file: string | null;
  readonly #committed = new Map<string, () => void>();
  #references = 1;

  constructor(key: string | null, path: string, handle: Database) {
    this.#key = key;
    this.path = path;
    this.handle = handle;
    this.#file = fileIdentity(path);
    if (key) connections.set(key, this);
  }

  retain(): Connection {
    this.#references += 1;
    return this;
  }

  release(): void {
    this.#references -= 1;
    if (this.#references > 0) return;
    if (this.#key && connections.get(this.#key) === this) connections.delete(this.#key);
    // Beside a file that is another one by now, the log of that name is not ours to remove.
    if (this.isInPlace()) restJournal(this.handle);
    this.handle.close();
  }

  transaction<T>(work: () => T, write: DurableWrite = 'books.other'): T {
    if (this.handle.inTransaction) return this.handle.transaction(work)();
    let result: T;
    try {
      result = this.handle
        .transaction(() => {
          const value = work();
          reach(`${write}:before`);
          return value;
        })
        .immediate();
    } catch (error) {
      this.#committed.clear();
      throw error;
    }
    reach(`${write}:after`);
    this.#runCommitted();
    return result;
  }

  afterCommit(name: string, work: () => void): void {
    this.#committed.set(name, work);
    if (!this.handle.inTransaction) this.#runCommitted();
  }

  isInPlace(): boolean {
    return this.#file === null || fileIdentity(this.path) === this.#file;
  }

  #runCommitted(): void {
    const works = [...this.#committed.values()];
    this.#committed.clear();
    for (const work of works) work();
  }
}

function fileIdentity(path: string): string | null {
  if (path === ':memory:') return null;
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return 'gone';
  }
}

/** One name for one file, through links. For a file that does not exist yet its folder is created first. */
function canonical(path: string, readonly: boolean): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  if (readonly) return absolute;
  mkdirSync(dirname(absolute), { recursive: true });
  return join(realpathSync(dirname(absolute)), basename(absolute));
}
