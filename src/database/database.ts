import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import SQLite, { type Database } from 'better-sqlite3';
import type { Locale } from '../locale/locale.js';
import { beforeDurableWrite } from './durableWrites.js';
import { databaseFault, newerFault, noLocksFault } from './faults.js';
import { newestSchema, schemaSteps } from './schema.js';

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
   */
  transaction<T>(work: () => T): T;
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

const busyTimeoutMs = 250;
/** Opening waits longer than a write: nothing runs yet, and a dozen processes may be creating the file in the same second. */
const openingTimeoutMs = 5000;

/**
 * Opens `sessions.db`, or another database of the same form: creates it and its folders, makes sure of the tables for session
 * entries and makes one small write, so that a full or read-only disk is an error now and not after a model call was paid for.
 *
 * @throws FlowerError with a code of `DatabaseFaultCode`. A file of a newer flower is left byte for byte alone.
 *
 * @example
 * const database = openDatabase('/work/app/runs/sessions.db');
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

/** True while this process holds a connection to that file; its bytes must then not be read past SQLite (see `looksAtRest`). */
function isOpenHere(path: string): boolean {
  return connections.has(path) || connections.has(readonlyKey(path));
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

  transaction<T>(work: () => T): T {
    try {
      return this.#connection.transaction(work);
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
  if (path === ':memory:' || path === '') return new Connection(null, ':memory:', openMemory());
  const absolute = canonical(path, readonly);
  const writable = connections.get(absolute);
  if (writable?.isInPlace()) return writable.retain();
  if (!readonly) return new Connection(absolute, absolute, openWritable(absolute, locale));
  const looking = connections.get(readonlyKey(absolute));
  if (looking?.isInPlace()) return looking.retain();
  return new Connection(readonlyKey(absolute), absolute, openReadonly(absolute, locale));
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
    restJournal(this.handle);
    this.handle.close();
  }

  transaction<T>(work: () => T): T {
    if (this.handle.inTransaction) return this.handle.transaction(work)();
    let result: T;
    try {
      result = this.handle
        .transaction(() => {
          const value = work();
          beforeDurableWrite('commit');
          return value;
        })
        .immediate();
    } catch (error) {
      this.#committed.clear();
      throw error;
    }
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

function openMemory(): Database {
  const handle = new SQLite(':memory:');
  handle.exec(schemaSteps[0] ?? '');
  return handle;
}

/**
 * Write-ahead logging first: readers and one writer do not wait for each other. Where the file system has no shared memory the
 * first write fails, whatever the pragma said, and the rollback journal is tried on a fresh connection.
 */
function openWritable(path: string, locale: Locale | undefined): Database {
  try {
    return prepare(path, ['journal_mode = WAL'], locale);
  } catch (error) {
    const fault = databaseFault(error, path, locale);
    if (fault?.code !== 'database_unavailable' && fault?.code !== 'database_readonly') throw error;
  }
  try {
    // Exclusive locking lets SQLite read a file left in WAL mode without shared memory, so that the mode can be changed.
    return prepare(path, ['locking_mode = EXCLUSIVE', 'journal_mode = DELETE', 'locking_mode = NORMAL'], locale);
  } catch (error) {
    const fault = databaseFault(error, path, locale);
    if (fault?.code !== 'database_unavailable' || !existsSync(path) || !statSync(path).isFile()) throw error;
    throw noLocksFault(error, path, locale);
  }
}

function prepare(path: string, pragmas: readonly string[], locale: Locale | undefined): Database {
  const handle = new SQLite(path, { timeout: openingTimeoutMs });
  try {
    refuseNewer(handle, path, locale);
    for (const pragma of pragmas) patiently(() => handle.pragma(pragma));
    handle
      .transaction(() => {
        refuseNewer(handle, path, locale);
        handle.exec(schemaSteps[0] ?? '');
        handle.pragma(`user_version = ${schemaNumber(handle)}`);
        beforeDurableWrite('open');
      })
      .immediate();
    handle.pragma(`busy_timeout = ${busyTimeoutMs}`);
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** Changing the journal mode does not always wait for a lock by itself. */
function patiently(work: () => void): void {
  const deadline = Date.now() + openingTimeoutMs;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (databaseFault(error, '')?.code !== 'database_locked' || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function openReadonly(path: string, locale: Locale | undefined): Database {
  const handle = looksAtRest(path) ? openCopy(path) : openLooking(path);
  try {
    refuseNewer(handle, path, locale);
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

function openLooking(path: string): Database {
  const open = () => new SQLite(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  const handle = open();
  try {
    schemaNumber(handle);
    return handle;
  } catch (error) {
    handle.close();
    if (!(error instanceof SQLite.SqliteError) || error.code !== 'SQLITE_READONLY_ROLLBACK') throw error;
  }
  // A process died inside a write: until somebody undoes it nobody can read the file, and only a writer may.
  const repairing = new SQLite(path, { fileMustExist: true, timeout: busyTimeoutMs });
  schemaNumber(repairing);
  repairing.close();
  return open();
}

/**
 * True for a file in WAL mode that nobody has open, as earlier flower leaves it: SQLite would create two files beside it even to
 * read. Not asked for a file that is open here: closing it again would drop the locks that SQLite holds for this process.
 */
function looksAtRest(path: string): boolean {
  if (isOpenHere(path) || existsSync(`${path}-wal`)) return false;
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return header[18] === walFormat;
}

const walFormat = 2;
const rollbackFormat = 1;

function openCopy(path: string): Database {
  const bytes = readFileSync(path);
  bytes[18] = rollbackFormat;
  bytes[19] = rollbackFormat;
  return new SQLite(bytes, { readonly: true });
}

/** Back to the rollback journal, so that what lies on the disk between two runs is one plain file. Another process may still need the log. */
function restJournal(handle: Database): void {
  try {
    if (handle.readonly || handle.memory) return;
    handle.pragma('busy_timeout = 0');
    handle.pragma('journal_mode = DELETE');
  } catch {
    // Left in WAL mode: the next opening takes it as it is.
  }
}

function refuseNewer(handle: Database, path: string, locale: Locale | undefined): void {
  const found = schemaNumber(handle);
  if (found > newestSchema) throw newerFault(path, found, newestSchema, locale);
}

function schemaNumber(handle: Database): number {
  return Number(handle.pragma('user_version', { simple: true }));
}
