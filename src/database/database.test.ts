import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from './database.js';

it('shares one connection per path and joins nested transactions', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'flower-database-')), 'deep', 'sessions.db');
  const first = openDatabase(path);
  const second = openDatabase(path);
  expect(second.handle).toBe(first.handle);
  first.transaction(() => second.transaction(() => first.handle.exec("INSERT INTO meta VALUES ('a', 1, 1)")));
  first.close();
  first.close();
  expect(second.handle.prepare('SELECT store_key FROM meta').pluck().all()).toEqual(['a']);
  second.close();
  expect(second.handle.open).toBe(false);
});
