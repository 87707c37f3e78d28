import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase } from './database.js';
import { migrate } from './migrations.js';
import { newestSchema } from './schema.js';
import { runChild, source } from './testing/childProcess.mjs';

const tables = [
  'entries',
  'epochs',
  'events',
  'inbox',
  'kept',
  'lineage',
  'meta',
  'repairs',
  'runs',
  'steps',
  'summaries',
  'wakes',
];

/** A file as earlier flower writes it, with one session in it. */
function earlierFile(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'flower-migrations-')), 'runs');
  mkdirSync(folder);
  const path = join(folder, 'sessions.db');
  const handle = new SQLite(path);
  handle.pragma('journal_mode = WAL');
  handle.exec(`
    CREATE TABLE entries (store_key TEXT NOT NULL, seq INTEGER NOT NULL, uid TEXT, payload TEXT NOT NULL,
      PRIMARY KEY (store_key, seq));
    CREATE UNIQUE INDEX entries_uid ON entries (store_key, uid) WHERE uid IS NOT NULL;
    CREATE TABLE meta (store_key TEXT PRIMARY KEY, mtime INTEGER NOT NULL, next_seq INTEGER NOT NULL);
    CREATE TABLE summaries (project_key TEXT NOT NULL, session_id TEXT NOT NULL, mtime INTEGER NOT NULL, data TEXT NOT NULL,
      PRIMARY KEY (project_key, session_id));
    INSERT INTO entries VALUES ('p/s', 0, 'u', '{"uuid":"u"}');
    INSERT INTO meta VALUES ('p/s', 5, 1);`);
  handle.close();
  return path;
}

function tablesOf(path: string): unknown[] {
  const handle = new SQLite(path, { readonly: true });
  const names = handle.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  handle.close();
  return names;
}

it('Z101: a file of number 0 gets the books, keeps its rows, and the statements of earlier flower still work on it', () => {
  const path = earlierFile();
  const database = openDatabase(path);
  migrate(database);
  migrate(database);
  database.close();
  expect(tablesOf(path)).toEqual(tables);
  const earlier = new SQLite(path);
  expect(earlier.prepare('SELECT payload FROM entries WHERE store_key = ? ORDER BY seq').pluck().all('p/s')).toEqual([
    '{"uuid":"u"}',
  ]);
  earlier.exec(
    "INSERT INTO entries VALUES ('p/s', 1, 'v', '{}'); UPDATE meta SET next_seq = 2, mtime = 6 WHERE store_key = 'p/s'",
  );
  expect(earlier.pragma('user_version', { simple: true })).toBe(newestSchema);
  earlier.close();
});

it('opening alone adds no books', () => {
  const path = earlierFile();
  openDatabase(path).close();
  expect(tablesOf(path)).toEqual(['entries', 'meta', 'summaries']);
});

it('a step whose filling fails leaves the number before, and is done whole the next time', () => {
  const database = openDatabase(earlierFile());
  const failing = () => {
    database.handle.exec('INSERT INTO epochs VALUES (7, 0, NULL)');
    throw new Error('no');
  };
  expect(() => migrate(database, { 1: failing })).toThrow('no');
  expect(database.handle.pragma('user_version', { simple: true })).toBe(0);
  migrate(database, { 1: () => database.handle.exec('INSERT INTO epochs VALUES (0, 0, NULL)') });
  expect(database.handle.prepare('SELECT epoch FROM epochs').pluck().all()).toEqual([0]);
  database.close();
});

const migrating = `
  import { openDatabase } from '${source('database/database.ts')}';
  import { migrate } from '${source('database/migrations.ts')}';
  import { observeDurableWrites } from '${source('durableWrites.ts')}';
  let { path, left } = JSON.parse(process.argv[1]);
  observeDurableWrites(() => { if (--left === 0) process.kill(process.pid, 'SIGKILL'); });
  const database = openDatabase(path);
  migrate(database, { 1: () => database.handle.exec("INSERT INTO epochs VALUES ((SELECT count(*) FROM epochs), 0, NULL)") });
  database.close();`;

it('processes that migrate at the same time do it once', async () => {
  const path = earlierFile();
  const ends = await Promise.all(Array.from({ length: 5 }, () => runChild(migrating, { path, left: 0 })));
  expect(ends.map(({ errors }) => errors).join('')).toBe('');
  const database = openDatabase(path);
  expect(database.handle.prepare('SELECT count(*) FROM epochs').pluck().get()).toBe(1);
  database.close();
});

it('08.20: a kill at each durable write leaves a file that the next opening completes', async () => {
  for (let n = 1; ; n += 1) {
    const path = earlierFile();
    const end = await runChild(migrating, { path, left: n });
    expect(end.errors).toBe('');
    const again = await runChild(migrating, { path, left: 0 });
    expect(again.errors).toBe('');
    const database = openDatabase(path, { readonly: true });
    expect(database.handle.prepare('SELECT count(*) FROM epochs').pluck().get()).toBe(1);
    expect(database.handle.prepare('SELECT payload FROM entries').pluck().all()).toEqual(['{"uuid":"u"}']);
    database.close();
    if (end.signal === null) {
      expect(n).toBeGreaterThan(2);
      break;
    }
  }
});
