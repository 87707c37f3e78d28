import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Books } from './books/books.js';
import { deniedToProject } from './credentials/knownKeys.js';
import { source } from './database/testing/childProcess.mjs';
import { observeDurableWrites } from './durableWrites.js';

afterEach(() => observeDurableWrites(null));

it('every write that must outlast the process passes by, in order, and only the writes', () => {
  const runDir = join(mkdtempSync(join(tmpdir(), 'flower-durable-')), 'runs');
  const seen: string[] = [];
  observeDurableWrites((name) => seen.push(name));
  const books = Books.open(runDir);
  const order = ['directory', 'database.open', 'database.schema'].flatMap((name) => [
    `${name}:before`,
    `${name}:after`,
  ]);
  expect(seen.slice(0, 6)).toEqual(order);
  seen.length = 0;
  books.putSteps('r1', [{ step: 'work', run: 'r1' } as never]);
  expect(seen).toEqual([
    'books.steps:before',
    'books.steps:after',
    'view.manifest:before',
    'view.manifest:after',
    'books.other:before',
    'books.other:after',
  ]);
  seen.length = 0;
  books.rows();
  books.spentUsd();
  expect(seen).toEqual([]);
  observeDurableWrites(null);
  books.beginRun('r2');
  expect(seen).toEqual([]);
  books.close();
});

it('FLOWER_PAUSE_AT takes names of points only, and cannot come from a project', () => {
  const load = (point: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', `import '${source('durableWrites.ts')}'`], {
      env: { PATH: process.env.PATH, FLOWER_PAUSE_AT: point },
      encoding: 'utf8',
    });
  for (const point of ['books.steps:before', 'books.steps:after#12']) expect(load(point)).toMatchObject({ status: 0 });
  for (const point of ['books.steps', 'books.nothing:before', 'books.steps:before#0', 'books.steps:during']) {
    expect(load(point).stderr).toContain(`TypeError: FLOWER_PAUSE_AT must be a durable write`);
  }
  expect(deniedToProject('FLOWER_PAUSE_AT')).toBe(true);
});
