import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import SQLite, { type Database } from 'better-sqlite3';
import { reach } from '../durableWrites.js';
import type { Locale } from '../locale/locale.js';
import { databaseFault, newerFault, noLocksFault } from './faults.js';
import { newestSchema, schemaSteps } from './schema.js';

const busyTimeoutMs = 250;
/**
 * Opening waits longer than a write: nothing runs yet, and a dozen processes may be creating the file in the same second. So does who
 * only looks, and may meet one of them.
 */
const openingTimeoutMs = 5000;
/**
 * Memory for pages of a file, in KiB; the driver would take eight times as much. A run appends and seldom reads again, so that a larger
 * one only fills up over the hours.
 */
const pageCacheKiB = 2000;

/** A database in memory, with the tables for session entries. */
export function openMemory(): Database {
  const handle = new SQLite(':memory:');
  handle.exec(schemaSteps[0] ?? '');
  return handle;
}

/**
 * Write-ahead logging first: readers and one writer do not wait for each other. Where the file system has no shared memory the
 * first write fails, whatever the pragma said, and the rollback journal is tried on a fresh connection.
 */
export function openWritable(path: string, locale: Locale | undefined): Database {
  try {
    return prepare(path, 'WAL', locale);
  } catch (error) {
    const fault = databaseFault(error, path, locale);
    if (fault?.code !== 'database_unavailable' && fault?.code !== 'database_readonly') throw error;
  }
  try {
    return prepare(path, 'DELETE', locale);
  } catch (error) {
    const fault = databaseFault(error, path, locale);
    if (fault?.code !== 'database_unavailable' || !existsSync(path) || !statSync(path).isFile()) throw error;
    throw noLocksFault(error, path, locale);
  }
}

function prepare(path: string, journal: 'WAL' | 'DELETE', locale: Locale | undefined): Database {
  const handle = new SQLite(path, { timeout: openingTimeoutMs });
  try {
    // Exclusive locking lets SQLite read a file left in WAL mode without shared memory, so that the mode can be changed.
    if (journal === 'DELETE') handle.pragma('locking_mode = EXCLUSIVE');
    refuseNewer(handle, path, locale);
    patiently(() => handle.pragma(`journal_mode = ${journal}`));
    handle.pragma('locking_mode = NORMAL');
    handle
      .transaction(() => {
        refuseNewer(handle, path, locale);
        handle.exec(schemaSteps[0] ?? '');
        handle.pragma(`user_version = ${schemaNumber(handle)}`);
        reach('database.open:before');
      })
      .immediate();
    reach('database.open:after');
    handle.pragma(`busy_timeout = ${busyTimeoutMs}`);
    handle.pragma(`cache_size = -${pageCacheKiB}`);
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

/** Opens a file to look at it. `isOpenHere`: this process has another connection to that path. */
export function openReadonly(path: string, isOpenHere: boolean, locale: Locale | undefined): Database {
  const handle = !isOpenHere && looksAtRest(path) ? openCopy(path) : openLooking(path);
  try {
    refuseNewer(handle, path, locale);
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

function openLooking(path: string): Database {
  const open = () => new SQLite(path, { readonly: true, fileMustExist: true, timeout: openingTimeoutMs });
  const handle = open();
  try {
    schemaNumber(handle);
    return handle;
  } catch (error) {
    handle.close();
    if (!(error instanceof SQLite.SqliteError) || error.code !== 'SQLITE_READONLY_ROLLBACK') throw error;
  }
  // A process died inside a write: until somebody undoes it nobody can read the file, and only a writer may.
  const repairing = new SQLite(path, { fileMustExist: true, timeout: openingTimeoutMs });
  schemaNumber(repairing);
  repairing.close();
  return open();
}

/**
 * True for a file in WAL mode that nobody has open, as earlier flower leaves it: SQLite would create two files beside it even to
 * read. Not asked for a file that is open here: closing it again would drop the locks that SQLite holds for this process. A file
 * too large to be read into memory is looked at in place all the same.
 */
function looksAtRest(path: string): boolean {
  if (existsSync(`${path}-wal`)) return false;
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return header[18] === walFormat && statSync(path).size <= largestCopy;
}

const walFormat = 2;
const rollbackFormat = 1;
const largestCopy = 2 ** 29;

function openCopy(path: string): Database {
  const bytes = readFileSync(path);
  bytes[18] = rollbackFormat;
  bytes[19] = rollbackFormat;
  return new SQLite(bytes, { readonly: true });
}

/** Back to the rollback journal, so that what lies on the disk between two runs is one plain file. Another process may still need the log. */
export function restJournal(handle: Database): void {
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
