import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import SQLite, { type Database } from 'better-sqlite3';
import writeFileAtomic from 'write-file-atomic';
import { reach } from '../durableWrites.js';
import { FlowerError } from '../errors.js';
import { type Locale, text } from '../locale/locale.js';
import { databaseFault } from './faults.js';
import { prepareRunDir, realPath, removeLeftovers } from './runDir.js';

export interface RunLockOptions {
  /**
   * How long to try while another process holds it, in milliseconds. The default outlasts a reader's look, which takes an instant.
   * @default 1000
   */
  readonly waitMs?: number;
  /**
   * Language of the error messages.
   * @default activeLocale()
   */
  readonly locale?: Locale;
}

/** The right to write in a run directory. */
export interface RunLock {
  /** Real path of the directory that is locked: the one asked for, or one above it that this process holds already. */
  readonly runDir: string;
  /** Gives it back; the last holder in this process lets it go. Idempotent. */
  release(): void;
}

/** Who holds a run directory; null where the holder has not written it down yet. */
export interface LockHolder {
  readonly pid: number | null;
  /** Unix seconds. */
  readonly startedAt: number | null;
}

/**
 * Takes the run directory for this process, with all that lies below it. The lock is an open transaction on `run.lock`, which
 * the kernel drops with the process, however it ends; `run.pid` beside it says who it is. A further call in the same process
 * gets the same lock and counts.
 *
 * @throws FlowerError `run_locked`, naming PID and start time, if another process holds it or a directory above it; nothing was
 * written then; `lock_damaged` if `run.lock` is something else. Or a code of `DatabaseFaultCode`.
 *
 * @example
 * const lock = acquireRunLock('/home/ann/app/runs');
 * try { await work(); } finally { lock.release(); }
 */
export function acquireRunLock(runDir: string, options: RunLockOptions = {}): RunLock {
  const wanted = realPath(runDir);
  const mine = [...held].find(([directory]) => wanted === directory || wanted.startsWith(directory + sep));
  if (mine) return new Share(...mine);
  for (const above of foldersAbove(wanted)) {
    const holder = holderAbove(above);
    if (holder) throw lockedFault(above, holder, options.locale);
  }
  reach('lock:before');
  const handle = takeLock(wanted, options);
  const entry: Held = { handle, count: 0 };
  held.set(wanted, entry);
  writeHolder(wanted);
  reach('lock:after');
  return new Share(wanted, entry);
}

/**
 * Who holds the lock of a run directory now, this process included; null if nobody. Writes nothing. Looking holds the lock for
 * an instant, which `acquireRunLock` outwaits.
 *
 * @example
 * const holder = lockHolder('/home/ann/app/runs');
 * if (holder) console.log(`running as ${holder.pid}`);
 */
export function lockHolder(runDir: string): LockHolder | null {
  const directory = realPath(runDir);
  if (held.has(directory)) return readHolder(directory);
  const path = lockPath(directory);
  if (!existsSync(path)) return null;
  const error = lookAt(path);
  const code = error instanceof SQLite.SqliteError ? error.code : '';
  if (code.startsWith('SQLITE_BUSY')) return readHolder(directory);
  // A process died while it created the file; whoever takes the lock next undoes that. What is in it is read only once nobody holds it.
  if (error === null || code === 'SQLITE_READONLY_ROLLBACK' || isDamage(code)) return null;
  throw databaseFault(error, path) ?? error;
}

/** Why `run.lock` is no lock, if it is something else; null if it is one, or none is there. */
export function lockDamage(runDir: string): FlowerError | null {
  const directory = realPath(runDir);
  const path = lockPath(directory);
  if (held.has(directory) || !existsSync(path)) return null;
  const error = lookAt(path);
  return error instanceof SQLite.SqliteError && isDamage(error.code) ? damagedFault(path, error, undefined) : null;
}

/** What keeps others from reading the lock's file; null if nothing does. */
function lookAt(path: string): unknown {
  let handle: Database | undefined;
  try {
    handle = new SQLite(path, { readonly: true, timeout: 0 });
    handle.prepare('SELECT count(*) FROM sqlite_schema').get();
    return null;
  } catch (error) {
    return error;
  } finally {
    handle?.close();
  }
}

interface Held {
  readonly handle: Database;
  count: number;
}

/** The run directories that this process holds, by real path. */
const held = new Map<string, Held>();

class Share implements RunLock {
  readonly runDir: string;
  readonly #held: Held;
  #released = false;

  constructor(runDir: string, entry: Held) {
    this.runDir = runDir;
    this.#held = entry;
    entry.count += 1;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#held.count -= 1;
    if (this.#held.count > 0) return;
    held.delete(this.runDir);
    rmSync(pidPath(this.runDir), { force: true });
    this.#held.handle.close();
  }
}

function takeLock(runDir: string, options: RunLockOptions): Database {
  const path = lockPath(runDir);
  let handle: Database | undefined;
  try {
    prepareRunDir(runDir);
    handle = new SQLite(path, { timeout: options.waitMs ?? 1000 });
    // In an empty file the transaction itself would need a journal, which after a kill nobody could look past.
    if (handle.pragma('page_count', { simple: true }) === 0) handle.pragma('user_version = 1');
    handle.exec('BEGIN EXCLUSIVE');
    return handle;
  } catch (error) {
    handle?.close();
    if (error instanceof SQLite.SqliteError && isDamage(error.code)) throw damagedFault(path, error, options.locale);
    const fault = databaseFault(error, path, options.locale);
    throw fault?.code === 'database_locked'
      ? lockedFault(runDir, readHolder(runDir), options.locale)
      : (fault ?? error);
  }
}

function isDamage(code: string): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(code);
}

/** It is not mended here: of two processes that did so at once, each would end up with a lock of its own. */
function damagedFault(path: string, error: Error, locale: Locale | undefined): FlowerError {
  return new FlowerError('lock_damaged', text('lock.damaged', { path, why: error.message }, locale), { cause: error });
}

function lockedFault(runDir: string, holder: LockHolder, locale: Locale | undefined): FlowerError {
  const pid = holder.pid ?? '?';
  const since = holder.startedAt === null ? '?' : localTime(holder.startedAt);
  return new FlowerError('run_locked', text('error.runLocked', { path: runDir, pid, since }, locale));
}

function writeHolder(runDir: string): void {
  try {
    removeLeftovers(runDir, /^run\.pid\.\d+$/);
    const holder = { pid: process.pid, started_at: Date.now() / 1000 };
    writeFileAtomic.sync(pidPath(runDir), `${JSON.stringify(holder)}\n`);
  } catch {
    // The lock is what counts; without the file it only has no name.
  }
}

function readHolder(runDir: string): LockHolder {
  try {
    const holder: unknown = JSON.parse(readFileSync(pidPath(runDir), 'utf8'));
    const { pid, started_at: startedAt } = Object(holder) as { pid?: unknown; started_at?: unknown };
    return { pid: typeof pid === 'number' ? pid : null, startedAt: typeof startedAt === 'number' ? startedAt : null };
  } catch {
    return { pid: null, startedAt: null };
  }
}

/** A folder above need not be flower's: whatever else is called `run.lock` there is no lock. */
function holderAbove(folder: string): LockHolder | null {
  try {
    return lockHolder(folder);
  } catch {
    return null;
  }
}

function foldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}

function localTime(seconds: number): string {
  const at = new Date(seconds * 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const lockPath = (runDir: string) => join(runDir, 'run.lock');
const pidPath = (runDir: string) => join(runDir, 'run.pid');
