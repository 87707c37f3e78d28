import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runChild, source, startChild } from '../database/testing/childProcess.mjs';
import { Books } from './books.js';
import { Lineage } from './lineage.js';

const imports = `
  import { Books } from '${source('books/books.ts')}';
  import { Lineage } from '${source('books/lineage.ts')}';
  import { observeDurableWrites } from '${source('durableWrites.ts')}';
  const parameters = JSON.parse(process.argv[1]);
  const { workspace, runDir, left = 0 } = parameters;
  let count = 0;
  observeDurableWrites((point) => { if (point.endsWith(':before') && ++count === left) process.kill(process.pid, 'SIGKILL'); });`;

const wholeRun = `${imports}
  const books = Books.open(runDir);
  books.beginRun('r1');
  const lineage = Lineage.open(runDir, workspace);
  lineage.bump();
  books.appendEvents('r1', [1, 2, 3].map((seq) => ({ seq, at: seq, step: '', kind: 'text', text: '', tool: '', payload: {} })));
  books.transaction(() => {
    books.putSteps('r1', [{ step: 'work', session_id: 's1', ok: true, cost_usd: 1, run: 'r1' }]);
    lineage.remember('work', 's1');
    books.mailbox('r1').save({ id: 'm7', text: 'words', sentAt: 1, taken: false, workers: false, kept: 'appended' });
  });
  books.endRun('r1', { ended: 'finished', claimed: true, verified: 'achieved', reason: '' });
  lineage.archive(workspace + '/archive');
  books.close();
  console.log(count);`;

function olderDirectory(): { workspace: string; runDir: string } {
  const workspace = mkdtempSync(join(tmpdir(), 'flower-crash-'));
  const runDir = join(workspace, 'runs');
  mkdirSync(runDir);
  writeFileSync(join(runDir, 'manifest.json'), JSON.stringify([{ step: '干活', cost_usd: 2, run: 'older' }]));
  writeFileSync(join(runDir, 'lineage.json'), JSON.stringify({ workspace, woke: 1, steps: { 干活: 's0' } }));
  writeFileSync(join(runDir, 'inbox.json'), 'broken');
  return { workspace, runDir };
}

it('a kill at each durable write loses nothing that was there, leaves nothing half, and the next start completes the views', async () => {
  let last = 0;
  for (let n = 1; last === 0; n += 1) {
    const { workspace, runDir } = olderDirectory();
    const end = await runChild(wholeRun, { workspace, runDir, left: n });
    expect(end.errors).toBe('');
    if (end.signal === null) last = n;
    const lineage = Lineage.open(runDir, workspace);
    const books = Books.open(runDir);

    const steps = books.rows().map(({ step }) => step);
    const booked = steps.includes('work');
    expect(steps).toEqual(booked ? ['干活', 'work'] : ['干活']);
    const archived = books.lastOutcome() !== null && lineage.woke === 0;
    if (archived) {
      expect(books.spentUsd()).toBe(0);
      expect(lineage.steps).toEqual({});
    } else {
      expect(books.spentUsd()).toBe(booked ? 3 : 2);
      expect(lineage.steps).toEqual({ work: booked ? 's1' : 's0' });
      expect(books.mailbox('r2').untaken()).toHaveLength(booked ? 1 : 0);
      expect([1, 2]).toContain(lineage.woke);
    }
    expect([0, 3]).toContain(books.lastSeq('r1'));
    expect(JSON.parse(readFileSync(join(runDir, 'manifest.json'), 'utf8'))).toEqual(books.rows());
    if (!archived) expect(JSON.parse(readFileSync(join(runDir, 'lineage.json'), 'utf8')).steps).toEqual(lineage.steps);
    books.close();

    const names = readdirSync(runDir).filter((name) => !name.startsWith('inbox.json.corrupt-'));
    const expected = ['.gitignore', 'before-books', 'lineage.json', 'manifest.json', 'sessions.db'];
    expect(names.filter((name) => !expected.includes(name))).toEqual([]);
    expect(readdirSync(runDir).filter((name) => name.startsWith('inbox.json'))).toHaveLength(1);
  }
  expect(last).toBeGreaterThan(12);
});

it('C31: several processes write at once; no row is lost, and whoever reads the views always reads whole JSON', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'flower-crash-'));
  const runDir = join(workspace, 'runs');
  const code = `${imports}
    const books = Books.open(runDir);
    const lineage = Lineage.open(runDir, workspace);
    const { run } = parameters;
    const patiently = (work) => {
      for (;;) {
        try { return books.transaction(work); } catch (error) { if (error.code !== 'database_locked') throw error; }
      }
    };
    patiently(() => { books.beginRun(run); lineage.bump(); });
    const rows = [];
    for (let i = 0; i < 15; i += 1) {
      const step = run + '-' + i;
      rows.push({ step, session_id: 's', ok: true, cost_usd: 1, text: 'x'.repeat(5000), run });
      patiently(() => { books.putSteps(run, rows); lineage.remember(step, 'id of ' + step); });
    }
    books.close();`;
  const runs = ['p1', 'p2', 'p3', 'p4'];
  let working = true;
  const ends = Promise.all(runs.map((run) => runChild(code, { workspace, runDir, run }))).finally(() => {
    working = false;
  });
  let reads = 0;
  while (working) {
    for (const name of ['manifest.json', 'lineage.json']) {
      const content = readOrNull(join(runDir, name));
      if (content !== null) JSON.parse(content);
      reads += content === null ? 0 : 1;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await ends).map(({ errors }) => errors).join('')).toBe('');
  expect(reads).toBeGreaterThan(10);
  // A view that found the database locked is written by the next commit or opening.
  const books = Books.open(runDir);
  const shown = JSON.parse(readFileSync(join(runDir, 'manifest.json'), 'utf8'));
  expect(shown).toHaveLength(60);
  const expected = runs.flatMap((run) => Array.from({ length: 15 }, (_, i) => `${run}-${i}`)).sort();
  expect(shown.map(({ step }: { step: string }) => step).sort()).toEqual(expected);
  const view = JSON.parse(readFileSync(join(runDir, 'lineage.json'), 'utf8'));
  expect(Object.keys(view.steps).sort()).toEqual(expected);
  expect(view.woke).toBe(4);
  expect(books.rows()).toEqual(shown);
  expect(books.runs()).toHaveLength(4);
  books.close();
});

it('C31.3: a kill at any moment leaves no view half written', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'flower-crash-'));
  const runDir = join(workspace, 'runs');
  const code = `${imports}
    const books = Books.open(runDir);
    console.log('working');
    for (let i = 0; ; i += 1) books.putSteps('r', [{ step: 's' + i, cost_usd: 1, text: 'x'.repeat(200000), run: 'r' }]);`;
  for (const waitMs of [0, 3, 7, 12, 20, 33, 54, 88]) {
    const child = startChild(code, { workspace, runDir });
    await child.said('working');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    child.kill('SIGKILL');
    await child.ended;
    const content = readOrNull(join(runDir, 'manifest.json'));
    if (content !== null) JSON.parse(content);
    const books = Books.open(runDir);
    const shown = readOrNull(join(runDir, 'manifest.json'));
    expect(shown === null ? [] : JSON.parse(shown)).toEqual(books.rows());
    expect(books.integrityCheck()).toEqual([]);
    books.close();
    const known = ['.gitignore', 'manifest.json', 'sessions.db'];
    expect(readdirSync(runDir).filter((name) => !known.includes(name))).toEqual([]);
  }
});

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
