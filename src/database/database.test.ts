import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { FlowerError } from '../errors.js';
import { openDatabase } from './database.js';
import { runChild, source, startChild } from './testing/childProcess.mjs';

const newFolder = () => mkdtempSync(join(tmpdir(), 'flower-database-'));
const newPath = () => join(newFolder(), 'runs', 'sessions.db');
const keys = (handle: SQLite.Database) => handle.prepare('SELECT store_key FROM meta ORDER BY store_key').pluck().all();
const add = (handle: SQLite.Database, key: string) => handle.prepare('INSERT INTO meta VALUES (?, 1, 1)').run(key);

/** Name, size and content of everything in a folder. */
function snapshot(folder: string): string[] {
  return readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory()
      ? `${name}/`
      : `${name} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
  });
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (FlowerError.isInstance(error)) return error.code;
    throw error;
  }
  return 'no error';
}

describe('connections', () => {
  it('are shared by path, through links, until the last one is closed', () => {
    const path = newPath();
    const first = openDatabase(path);
    const link = join(newFolder(), 'link.db');
    symlinkSync(path, link);
    const second = openDatabase(link);
    expect(second.handle).toBe(first.handle);
    first.close();
    first.close();
    add(second.handle, 'a');
    second.close();
    expect(second.handle.open).toBe(false);
  });

  it('in memory are always their own', () => {
    const [first, second] = [openDatabase(':memory:'), openDatabase(':memory:')];
    add(first.handle, 'a');
    expect(keys(second.handle)).toEqual([]);
    first.close();
    second.close();
  });

  it('know when the file at the path is gone, and a new opening does not share the lost one', () => {
    const path = newPath();
    const lost = openDatabase(path);
    expect(lost.isInPlace()).toBe(true);
    for (const name of ['', '-wal', '-shm']) rmSync(path + name, { force: true });
    expect(lost.isInPlace()).toBe(false);
    const fresh = openDatabase(path);
    expect(fresh.handle).not.toBe(lost.handle);
    expect(lost.isInPlace()).toBe(false);
    lost.close();
    add(fresh.handle, 'a');
    const again = openDatabase(path);
    expect(again.handle).toBe(fresh.handle);
    fresh.close();
    again.close();
  });

  it('leave one plain file behind', () => {
    const path = newPath();
    const database = openDatabase(path);
    add(database.handle, 'a');
    expect(existsSync(`${path}-wal`)).toBe(true);
    database.close();
    expect(readdirSync(join(path, '..'))).toEqual(['sessions.db']);
  });
});

describe('transactions', () => {
  it('commit nested calls together and undo them together', () => {
    const database = openDatabase(newPath());
    database.transaction(() => database.transaction(() => add(database.handle, 'a')));
    expect(() =>
      database.transaction(() => {
        database.transaction(() => add(database.handle, 'b'));
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(keys(database.handle)).toEqual(['a']);
    database.close();
  });

  it('undo the part of a nested call alone when the caller goes on', () => {
    const database = openDatabase(newPath());
    database.transaction(() => {
      add(database.handle, 'a');
      expect(() =>
        database.transaction(() => {
          add(database.handle, 'b');
          throw new Error('no');
        }),
      ).toThrow('no');
    });
    expect(keys(database.handle)).toEqual(['a']);
    database.close();
  });

  it('run what was asked for after the commit once, and never after an undo', () => {
    const database = openDatabase(newPath());
    const seen: string[] = [];
    const note = (word: string) => () => seen.push(`${word} ${database.handle.inTransaction}`);
    database.transaction(() => {
      database.afterCommit('view', note('first'));
      database.transaction(() => database.afterCommit('view', note('second')));
      expect(seen).toEqual([]);
    });
    expect(seen).toEqual(['second false']);
    expect(() =>
      database.transaction(() => {
        database.afterCommit('view', note('undone'));
        throw new Error('no');
      }),
    ).toThrow('no');
    database.transaction(() => {});
    database.afterCommit('view', note('at once'));
    expect(seen).toEqual(['second false', 'at once false']);
    database.close();
  });
});

describe('faults', () => {
  it('R8.12: a folder below a regular file is unavailable, in words that name the path', () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    const path = join(file, 'runs', 'sessions.db');
    expect(() => openDatabase(path, { locale: 'en' })).toThrow(path);
    expect(() => openDatabase(path, { locale: 'zh' })).toThrow(/运行/);
    expect(codeOf(() => openDatabase(path))).toBe('database_unavailable');
  });

  it('a file that is no database is corrupt, and stays as it is', () => {
    const path = join(newFolder(), 'sessions.db');
    writeFileSync(path, 'these are not the bytes of a database, though there are enough of them for a header of one');
    const before = readFileSync(path, 'utf8');
    expect(codeOf(() => openDatabase(path))).toBe('database_corrupt');
    expect(codeOf(() => openDatabase(path, { readonly: true }))).toBe('database_corrupt');
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('a damaged page is told by integrityCheck', () => {
    const path = newPath();
    const database = openDatabase(path);
    for (let i = 0; i < 2000; i += 1) add(database.handle, `key ${i}`);
    expect(database.integrityCheck()).toEqual([]);
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 8192, 20_000);
    writeFileSync(path, bytes);
    const view = openDatabase(path, { readonly: true });
    expect(view.integrityCheck().length).toBeGreaterThan(0);
    view.close();
  });

  it('a full disk is full', () => {
    const database = openDatabase(newPath());
    database.handle.pragma('max_page_count = 10');
    const fill = () =>
      database.transaction(() => {
        for (let i = 0; i < 5000; i += 1) add(database.handle, `a long enough key ${i}`);
      });
    expect(codeOf(fill)).toBe('database_full');
    expect(keys(database.handle)).toEqual([]);
    database.close();
  });

  it('a lock from outside is locked after the busy timeout, and free again afterwards', () => {
    const path = newPath();
    const database = openDatabase(path);
    const other = new SQLite(path);
    other.exec('BEGIN IMMEDIATE');
    expect(codeOf(() => database.transaction(() => add(database.handle, 'a')))).toBe('database_locked');
    other.exec('ROLLBACK');
    database.transaction(() => add(database.handle, 'a'));
    expect(keys(database.handle)).toEqual(['a']);
    other.close();
    database.close();
  });

  it('a mistake in a statement stays what it is', () => {
    const database = openDatabase(newPath());
    add(database.handle, 'a');
    expect(() => database.transaction(() => add(database.handle, 'a'))).toThrow(SQLite.SqliteError);
    database.close();
  });

  it('Z101: a file of a newer flower is refused with both numbers, its bytes and its folder untouched', () => {
    const path = newPath();
    openDatabase(path).close();
    const newer = new SQLite(path);
    newer.pragma('user_version = 41');
    newer.close();
    const before = snapshot(join(path, '..'));
    expect(() => openDatabase(path, { locale: 'en' })).toThrow(/41.*up to \d.*npm install -g flower-agent/);
    expect(codeOf(() => openDatabase(path))).toBe('database_newer');
    expect(codeOf(() => openDatabase(path, { readonly: true }))).toBe('database_newer');
    expect(snapshot(join(path, '..'))).toEqual(before);
  });
});

describe('R8.12: a file system without shared memory', () => {
  // A folder in the place of the shared-memory file makes SQLite fail exactly where such a file system does.
  it('gets the rollback journal', () => {
    const path = newPath();
    mkdirSync(`${path}-shm`, { recursive: true });
    const database = openDatabase(path);
    database.transaction(() => add(database.handle, 'a'));
    expect(database.handle.pragma('journal_mode', { simple: true })).toBe('delete');
    expect(existsSync(`${path}-wal`)).toBe(false);
    database.close();
  });

  it('gets it also for a file that was left in WAL mode', () => {
    const path = newPath();
    openDatabase(path).close();
    const wal = new SQLite(path);
    wal.pragma('journal_mode = WAL');
    add(wal, 'a');
    wal.close();
    mkdirSync(`${path}-shm`);
    const database = openDatabase(path);
    expect(keys(database.handle)).toEqual(['a']);
    database.transaction(() => add(database.handle, 'b'));
    database.close();
  });

  it('is refused with the advice to use a local disk where that fails too', () => {
    const path = newPath();
    mkdirSync(`${path}-shm`, { recursive: true });
    mkdirSync(`${path}-journal`);
    expect(codeOf(() => openDatabase(path))).toBe('database_unavailable');
    expect(() => openDatabase(path, { locale: 'en' })).toThrow(/local disk/);
  });
});

describe('looking', () => {
  it('writes not a byte, beside a finished run', () => {
    const path = newPath();
    const database = openDatabase(path);
    add(database.handle, 'a');
    database.close();
    const before = snapshot(join(path, '..'));
    const view = openDatabase(path, { readonly: true });
    expect(keys(view.handle)).toEqual(['a']);
    expect(() => add(view.handle, 'b')).toThrow(/readonly/);
    view.close();
    expect(snapshot(join(path, '..'))).toEqual(before);
  });

  it('writes not a byte to a file that earlier flower left in WAL mode', () => {
    const path = newPath();
    openDatabase(path).close();
    const wal = new SQLite(path);
    wal.pragma('journal_mode = WAL');
    add(wal, 'a');
    wal.close();
    const before = snapshot(join(path, '..'));
    const view = openDatabase(path, { readonly: true });
    expect(keys(view.handle)).toEqual(['a']);
    view.close();
    expect(snapshot(join(path, '..'))).toEqual(before);
  });

  it('sees what a killed run committed, and leaves database and log as they are', async () => {
    const path = newPath();
    const killed = await runChild(
      `import { openDatabase } from '${source('database/database.ts')}';
       openDatabase(JSON.parse(process.argv[1]).path).handle.exec("INSERT INTO meta VALUES ('a', 1, 1)");
       process.kill(process.pid, 'SIGKILL');`,
      { path },
    );
    expect(killed.signal).toBe('SIGKILL');
    const lasting = () => snapshot(join(path, '..')).filter((line) => !line.includes('-shm'));
    const before = lasting();
    const view = openDatabase(path, { readonly: true });
    expect(keys(view.handle)).toEqual(['a']);
    view.close();
    expect(lasting()).toEqual(before);
  });

  it('undoes a write that was killed in the middle, as nobody could read the file otherwise', async () => {
    const path = newPath();
    const killed = await runChild(
      `import { openDatabase } from '${source('database/database.ts')}';
       const { handle } = openDatabase(JSON.parse(process.argv[1]).path);
       handle.pragma('journal_mode = DELETE');
       handle.exec("INSERT INTO meta VALUES ('a', 1, 1)");
       handle.pragma('cache_size = 1');
       handle.exec('BEGIN');
       const add = handle.prepare('INSERT INTO meta VALUES (?, 1, 1)');
       for (let i = 0; i < 5000; i += 1) add.run('half ' + i);
       process.kill(process.pid, 'SIGKILL');`,
      { path },
    );
    expect(killed.signal).toBe('SIGKILL');
    expect(existsSync(`${path}-journal`)).toBe(true);
    const view = openDatabase(path, { readonly: true });
    expect(keys(view.handle)).toEqual(['a']);
    view.close();
  });

  it('waits for one that is just writing the file anew', async () => {
    const path = newPath();
    openDatabase(path).close();
    const writing = startChild(
      `import SQLite from 'better-sqlite3';
       const handle = new SQLite(JSON.parse(process.argv[1]).path);
       handle.exec("BEGIN EXCLUSIVE; INSERT INTO meta VALUES ('a', 1, 1)");
       console.log('writing');
       setTimeout(() => handle.exec('COMMIT'), 600);`,
      { path },
    );
    await writing.said('writing');
    const view = openDatabase(path, { readonly: true });
    expect(keys(view.handle)).toEqual(['a']);
    view.close();
    await writing.ended;
  });

  it('shares the connection of a run in the same process and sees its uncommitted work', () => {
    const path = newPath();
    const database = openDatabase(path);
    const view = openDatabase(path, { readonly: true });
    expect(view.handle).toBe(database.handle);
    view.close();
    expect(database.handle.open).toBe(true);
    database.close();
  });

  it('of a file that is not there is unavailable and creates nothing', () => {
    const folder = newFolder();
    expect(codeOf(() => openDatabase(join(folder, 'runs', 'sessions.db'), { readonly: true }))).toBe(
      'database_unavailable',
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});
