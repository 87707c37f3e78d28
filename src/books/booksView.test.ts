import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../database/database.js';
import { runChild, source } from '../database/testing/childProcess.mjs';
import { Books } from './books.js';

const newRunDir = () => join(mkdtempSync(join(tmpdir(), 'flower-view-')), 'runs');

/** Every file below a folder with the hash of its content; the shared memory of SQLite is a lock table, no content. */
function snapshot(folder: string): string[] {
  return (readdirSync(folder, { recursive: true, withFileTypes: true }) as import('node:fs').Dirent[])
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    .sort();
}

it('R2.81: nothing there is null, and nothing is created', () => {
  const runDir = newRunDir();
  expect(Books.peek(runDir)).toBeNull();
  mkdirSync(runDir);
  expect(Books.peek(runDir)).toBeNull();
  expect(readdirSync(runDir)).toEqual([]);
});

it('R2.81: reads a finished run and writes not a byte', () => {
  const runDir = newRunDir();
  const books = Books.open(runDir);
  books.beginRun('r1');
  books.setBudgetUsd(3);
  books.endRun('r1', { ended: 'failed', claimed: false, verified: 'not_judged', reason: 'why' });
  const aside = Books.open(join(runDir, 'aside'));
  aside.putSteps('a1', [{ cost_usd: 2 } as never]);
  aside.close();
  books.close();
  const before = snapshot(runDir);
  const view = Books.peek(runDir);
  expect(view?.lastOutcome()).toMatchObject({ run: 'r1', ended: 'failed', verified: 'not_judged', reason: 'why' });
  expect([view?.spentUsd(), view?.budgetUsd(), view?.integrityCheck()]).toEqual([2, 3, []]);
  view?.close();
  view?.close();
  expect(snapshot(runDir)).toEqual(before);
});

it('C34.1: works beside a run that is writing, and after it was killed', async () => {
  const runDir = newRunDir();
  const killed = await runChild(
    `import { Books } from '${source('books/books.ts')}';
     const books = Books.open(JSON.parse(process.argv[1]).runDir);
     books.beginRun('r1');
     books.appendEvents('r1', [{ seq: 1, at: 1, step: '', kind: 'system', text: '', tool: '', payload: {} }]);
     process.kill(process.pid, 'SIGKILL');`,
    { runDir },
  );
  expect(killed.errors).toBe('');
  const before = snapshot(runDir);
  const view = Books.peek(runDir);
  expect(view?.lastRun()).toMatchObject({ run: 'r1', outcome: null });
  expect(view?.lastSeq('r1')).toBe(1);
  view?.close();
  expect(snapshot(runDir)).toEqual(before);
  const books = Books.open(runDir);
  const beside = Books.peek(runDir);
  books.beginRun('r2');
  expect(beside?.lastRun()?.run).toBe('r2');
  beside?.close();
  books.close();
});

it('reads an older directory from its JSON files as it stands', () => {
  const runDir = newRunDir();
  openDatabase(join(runDir, 'sessions.db')).close();
  writeFileSync(join(runDir, 'manifest.json'), '[{"step": "干活", "cost_usd": 1.5, "run": "old"}, 7]');
  writeFileSync(join(runDir, 'lineage.json'), 'garbage');
  const before = snapshot(runDir);
  const view = Books.peek(runDir);
  expect(view?.rows()).toEqual([{ step: '干活', cost_usd: 1.5, run: 'old' }]);
  expect(view?.spentUsd()).toBe(1.5);
  expect(view?.lastOutcome()).toBeNull();
  view?.close();
  expect(snapshot(runDir)).toEqual(before);
});
