import { fstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite, { type Database, type Statement } from 'better-sqlite3';

/**
 * Keeps several flower processes on one terminal from tearing each other's lines. It is an open transaction on a file that is
 * named after the device, so it falls with its owner, however that ends. Where it cannot be had at all, writing goes on without.
 */
export class TerminalLock {
  readonly #fd: number;
  readonly #directory: string;
  #file: { device: number; database: Database; begin: Statement; end: Statement } | null = null;
  #holders = 0;

  constructor(fd: number, options: { readonly directory?: string } = {}) {
    this.#fd = fd;
    this.#directory = options.directory ?? tmpdir();
  }

  /** True if this process may write now; false if another one is writing. Every true wants a `release`. */
  tryTake(): boolean {
    if (this.#holders === 0) {
      try {
        this.#open()?.begin.run();
      } catch (error) {
        if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false;
      }
    }
    this.#holders++;
    return true;
  }

  release(): void {
    this.#holders = Math.max(0, this.#holders - 1);
    if (this.#holders === 0 && this.#file?.database.inTransaction) this.#file.end.run();
  }

  close(): void {
    this.#file?.database.close();
    this.#file = null;
  }

  /** The device is looked at anew each time: a process can be moved to another terminal. */
  #open() {
    const device = fstatSync(this.#fd).rdev;
    if (this.#file?.device === device) return this.#file;
    this.close();
    const database = new SQLite(join(this.#directory, `.flower-tty${device}.lock`), { timeout: 0 });
    this.#file = { device, database, begin: database.prepare('BEGIN IMMEDIATE'), end: database.prepare('ROLLBACK') };
    return this.#file;
  }
}
