import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Books } from '../books/books.js';
import { observeDurableWrites } from './durableWrites.js';

afterEach(() => observeDurableWrites(null));

it('every write that must outlast the process passes by, in order, and only the writes', () => {
  const runDir = join(mkdtempSync(join(tmpdir(), 'flower-durable-')), 'runs');
  const seen: string[] = [];
  observeDurableWrites((name) => seen.push(name));
  const books = Books.open(runDir);
  expect(seen.slice(0, 3)).toEqual(['.gitignore', 'open', 'schema 1']);
  seen.length = 0;
  books.putSteps('r1', [{ step: 'work', run: 'r1' } as never]);
  expect(seen).toEqual(['commit', 'view manifest.json', 'commit']);
  seen.length = 0;
  books.rows();
  books.spentUsd();
  expect(seen).toEqual([]);
  observeDurableWrites(null);
  books.beginRun('r2');
  expect(seen).toEqual([]);
  books.close();
});
