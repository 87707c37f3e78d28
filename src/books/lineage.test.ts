import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { runChild, source } from '../database/testing/childProcess.mjs';
import { Books } from './books.js';
import { Lineage } from './lineage.js';

const newFolder = () => mkdtempSync(join(tmpdir(), 'flower-lineage-'));
const view = (runDir: string) => JSON.parse(readFileSync(join(runDir, 'lineage.json'), 'utf8'));
const names = (folder: string) => readdirSync(folder).sort();

describe('open, remember and bump', () => {
  it('11.1: nothing there is empty and creates nothing; the first bump is 1 and shows, the next process counts on', () => {
    const workspace = newFolder();
    const runDir = join(workspace, 'runs');
    const lineage = Lineage.open(runDir, workspace);
    expect(lineage).toMatchObject({ steps: {}, woke: 0, movedFrom: {}, workspace, path: join(runDir, 'lineage.json') });
    expect(names(workspace)).toEqual([]);
    expect(lineage.bump()).toBe(1);
    expect(readFileSync(join(runDir, 'lineage.json'), 'utf8')).toBe(
      `{\n  "workspace": ${JSON.stringify(workspace)},\n  "woke": 1,\n  "steps": {}\n}\n`,
    );
    expect(Lineage.open(runDir, workspace).bump()).toBe(2);
  });

  it('11.2: the last id counts, an empty one does not', () => {
    const workspace = newFolder();
    const lineage = Lineage.open(join(workspace, 'runs'), workspace);
    lineage.remember('work', 's1');
    lineage.remember('work', 's2');
    lineage.remember('work', '');
    lineage.remember('', 's3');
    expect(lineage.steps).toEqual({ work: 's2' });
    expect(Lineage.open(join(workspace, 'runs'), workspace).steps).toEqual({ work: 's2' });
    expect(view(join(workspace, 'runs')).steps).toEqual({ work: 's2' });
  });

  it('11.5: two open objects lose nothing to each other', () => {
    const workspace = newFolder();
    const runDir = join(workspace, 'runs');
    const [a, b] = [Lineage.open(runDir, workspace), Lineage.open(runDir, workspace)];
    a.remember('a', 's1');
    b.remember('b', 's2');
    expect([a.bump(), b.bump()]).toEqual([1, 2]);
    expect(Lineage.open(runDir, workspace)).toMatchObject({ steps: { a: 's1', b: 's2' }, woke: 2 });
    expect(view(runDir)).toMatchObject({ steps: { a: 's1', b: 's2' }, woke: 2 });
  });

  it('11.7: a run directory that cannot be costs continuity, never the work', () => {
    const workspace = newFolder();
    writeFileSync(join(workspace, 'file'), '');
    const lineage = Lineage.open(join(workspace, 'file', 'runs'), workspace);
    lineage.remember('work', 's1');
    expect(lineage.bump()).toBe(1);
    expect(lineage.steps).toEqual({ work: 's1' });
    lineage.archive(join(workspace, 'archive'));
    expect(lineage.steps).toEqual({});
  });

  it('what a locked database did not take is written with the next one', () => {
    const workspace = newFolder();
    const runDir = join(workspace, 'runs');
    const lineage = Lineage.open(runDir, workspace);
    lineage.bump();
    // As in a run, where the runtime holds the connection: opening one would wait for the lock much longer than a write does.
    const books = Books.open(runDir);
    const other = new SQLite(join(runDir, 'sessions.db'));
    other.exec('BEGIN IMMEDIATE');
    lineage.remember('clarify', 's1');
    expect(lineage.bump()).toBe(2);
    other.exec('ROLLBACK');
    expect(Lineage.open(runDir, workspace)).toMatchObject({ steps: {}, woke: 1 });
    lineage.remember('work', 's2');
    expect(lineage.woke).toBe(2);
    expect(Lineage.open(runDir, workspace)).toMatchObject({ steps: { clarify: 's1', work: 's2' }, woke: 2 });
    other.close();
    books.close();
  });

  it('a database that cannot be read is an empty lineage', () => {
    const runDir = newFolder();
    writeFileSync(
      join(runDir, 'sessions.db'),
      'nothing that SQLite would take for a database, however long one looks at it',
    );
    expect(Lineage.open(runDir, runDir)).toMatchObject({ steps: {}, woke: 0 });
  });
});

describe('the older file', () => {
  it('11.4: garbage, another type, a count that is no number', () => {
    const runDir = newFolder();
    for (const content of ['{"steps": {', '[1, 2]', '"text"', 'null', '7']) {
      writeFileSync(join(runDir, 'lineage.json'), content);
      expect(Lineage.open(runDir, runDir)).toMatchObject({ steps: {}, woke: 0 });
    }
    writeFileSync(
      join(runDir, 'lineage.json'),
      JSON.stringify({ workspace: runDir, woke: 'x', steps: { work: 's', gone: '', id: 7 } }),
    );
    expect(Lineage.open(runDir, runDir)).toMatchObject({ steps: { work: 's', id: '7' }, woke: 0 });
  });

  it('11.8: what a kill left of a write is not read', () => {
    const workspace = newFolder();
    const runDir = join(workspace, 'runs');
    mkdirSync(runDir);
    writeFileSync(join(runDir, 'lineage.json.4711'), JSON.stringify({ workspace, woke: 9, steps: { work: 's' } }));
    writeFileSync(join(runDir, 'lineage.tmp'), '{');
    expect(Lineage.open(runDir, workspace)).toMatchObject({ steps: {}, woke: 0 });
  });

  it('11.9: Chinese step names are read as the ids; the first write imports, and from then on nothing reads the file', () => {
    const workspace = newFolder();
    const runDir = join(workspace, 'runs');
    mkdirSync(runDir);
    const older = { workspace, woke: 2, steps: { 确认需求: 's1', 设定目标: 's2', 干活: 's3', 自己的: 's4' } };
    writeFileSync(join(runDir, 'lineage.json'), JSON.stringify(older));
    const ids = { clarify: 's1', 'set-goal': 's2', work: 's3', 自己的: 's4' };
    const lineage = Lineage.open(runDir, workspace);
    expect(lineage).toMatchObject({ steps: ids, woke: 2, movedFrom: {} });
    expect(names(runDir)).toEqual(['lineage.json']);
    expect(lineage.bump()).toBe(3);
    expect(view(runDir)).toEqual({ workspace, woke: 3, steps: ids });
    writeFileSync(join(runDir, 'lineage.json'), JSON.stringify({ ...older, steps: { work: 'other' } }));
    expect(Lineage.open(runDir, workspace)).toMatchObject({ steps: ids, woke: 3 });
    expect(JSON.parse(readFileSync(join(runDir, 'before-books', 'lineage.json'), 'utf8'))).toEqual(older);
  });
});

describe('other paths', () => {
  it('11.3: outside both workspaces each has its own, and the view of the one is kept when the other writes', () => {
    const [one, two, runDir] = [newFolder(), newFolder(), newFolder()];
    Lineage.open(runDir, one).remember('work', 's1');
    const before = readFileSync(join(runDir, 'lineage.json'), 'utf8');
    const other = Lineage.open(runDir, two);
    expect(other).toMatchObject({ steps: {}, woke: 0, movedFrom: {} });
    other.bump();
    other.remember('work', 't1');
    expect(view(runDir)).toEqual({ workspace: two, woke: 1, steps: { work: 't1' } });
    const hashed = names(runDir).filter((name) => /^lineage\.[0-9a-f]{8}\.json$/.test(name));
    expect(hashed).toHaveLength(1);
    expect(readFileSync(join(runDir, String(hashed[0])), 'utf8')).toBe(before);
    expect(Lineage.open(runDir, one)).toMatchObject({ steps: { work: 's1' }, woke: 0 });
    Lineage.open(runDir, one).remember('work', 's2');
    expect(view(runDir)).toMatchObject({ workspace: one, steps: { work: 's2' } });
    expect(names(runDir).filter((name) => name.startsWith('lineage.'))).toHaveLength(2);
  });

  it('11.3, D2.6, D8.9: a directory that moved together with its workspace goes on, and says from where until it has ids of its own', () => {
    const old = newFolder();
    const before = Lineage.open(join(old, 'runs'), old);
    before.bump();
    before.remember('clarify', 's1');
    before.remember('work', 's2');
    const moved = `${old}-moved`;
    renameSync(old, moved);
    const lineage = Lineage.open(join(moved, 'runs'), moved);
    expect(lineage).toMatchObject({
      steps: { clarify: 's1', work: 's2' },
      woke: 1,
      movedFrom: { clarify: old, work: old },
    });
    expect(lineage.bump()).toBe(2);
    lineage.remember('work', 's3');
    expect(lineage.movedFrom).toEqual({ clarify: old });
    expect(Lineage.open(join(moved, 'runs'), moved)).toMatchObject({
      steps: { clarify: 's1', work: 's3' },
      woke: 2,
      movedFrom: { clarify: old },
    });
    expect(view(join(moved, 'runs'))).toEqual({ workspace: moved, woke: 2, steps: { work: 's3', clarify: 's1' } });
    expect(names(join(moved, 'runs')).filter((name) => name.startsWith('lineage'))).toEqual(['lineage.json']);
  });

  it('C33.6: a copy goes on too, each in its own place', () => {
    const original = newFolder();
    Lineage.open(join(original, 'runs'), original).remember('work', 's1');
    const copy = `${original}-copy`;
    cpSync(original, copy, { recursive: true });
    const lineage = Lineage.open(join(copy, 'runs'), copy);
    expect(lineage.movedFrom).toEqual({ work: original });
    lineage.remember('work', 's2');
    expect(Lineage.open(join(original, 'runs'), original)).toMatchObject({ steps: { work: 's1' }, movedFrom: {} });
    expect(Lineage.open(join(copy, 'runs'), copy)).toMatchObject({ steps: { work: 's2' }, movedFrom: {} });
  });

  it('of several old places the newest id counts', async () => {
    const start = newFolder();
    let place = start;
    for (const id of ['s1', 's2']) {
      Lineage.open(join(place, 'runs'), place).remember('work', id);
      const next = `${start}-${id}`;
      renameSync(place, next);
      place = next;
    }
    expect(Lineage.open(join(place, 'runs'), place)).toMatchObject({
      steps: { work: 's2' },
      movedFrom: { work: `${start}-s1` },
    });
  });

  it('an older file of a moved directory goes on as well', () => {
    const workspace = newFolder();
    const runDir = join(workspace, 'runs');
    mkdirSync(runDir);
    writeFileSync(
      join(runDir, 'lineage.json'),
      JSON.stringify({ workspace: '/somewhere/else', woke: 4, steps: { 干活: 's1' } }),
    );
    const lineage = Lineage.open(runDir, workspace);
    expect(lineage).toMatchObject({ steps: { work: 's1' }, woke: 4, movedFrom: { work: '/somewhere/else' } });
    expect(lineage.bump()).toBe(5);
    const outside = newFolder();
    writeFileSync(
      join(outside, 'lineage.json'),
      JSON.stringify({ workspace: '/somewhere/else', woke: 4, steps: { 干活: 's1' } }),
    );
    expect(Lineage.open(outside, workspace)).toMatchObject({ steps: {}, woke: 0 });
  });
});

describe('archive', () => {
  it('11.6: moves the view and the extra files into one folder, and creates none for nothing', () => {
    const workspace = newFolder();
    const runDir = join(workspace, 'runs');
    const into = join(workspace, 'archive');
    const lineage = Lineage.open(runDir, workspace);
    lineage.bump();
    lineage.remember('work', 's1');
    for (const name of ['brief.md', 'goal.md']) writeFileSync(join(workspace, name), name);
    const extra = [join(workspace, 'brief.md'), join(workspace, 'missing.md'), join(workspace, 'goal.md')];
    const first = lineage.archive(into, { extra });
    expect(first).toMatch(/archive\/\d{8}-\d{6}$/);
    expect(names(first)).toEqual(['brief.md', 'goal.md', 'lineage.json']);
    expect(lineage).toMatchObject({ steps: {}, woke: 0, movedFrom: {} });
    expect(Lineage.open(runDir, workspace)).toMatchObject({ steps: {}, woke: 0 });
    lineage.archive(into, { extra });
    expect(names(into)).toHaveLength(1);
    for (const name of ['brief.md', 'goal.md']) writeFileSync(join(workspace, name), 'again');
    const second = lineage.archive(into, { extra });
    expect(names(into)).toHaveLength(2);
    expect([names(second), names(first)]).toEqual([
      ['brief.md', 'goal.md'],
      ['brief.md', 'goal.md', 'lineage.json'],
    ]);
  });

  it('two in the same second get two folders', () => {
    const workspace = newFolder();
    const into = join(workspace, 'archive');
    const lineage = Lineage.open(join(workspace, 'runs'), workspace);
    const destinations = ['s1', 's2', 's3'].map((id) => {
      lineage.remember('work', id);
      return lineage.archive(into);
    });
    expect(new Set(destinations).size).toBe(3);
    expect(
      destinations.map((folder) => JSON.parse(readFileSync(join(folder, 'lineage.json'), 'utf8')).steps.work),
    ).toEqual(['s1', 's2', 's3']);
  });

  it('11.10: the next process begins afresh with the whole budget, while the manifest stays', async () => {
    const workspace = newFolder();
    const runDir = join(workspace, 'runs');
    const books = Books.open(runDir);
    books.setBudgetUsd(10);
    books.putSteps('r1', [{ step: 'work', cost_usd: 4 } as never]);
    const lineage = Lineage.open(runDir, workspace);
    lineage.remember('work', 's1');
    lineage.archive(join(workspace, 'archive'));
    books.close();
    const { output, errors } = await runChild(
      `import { Books } from '${source('books/books.ts')}';
       import { Lineage } from '${source('books/lineage.ts')}';
       const { runDir, workspace } = JSON.parse(process.argv[1]);
       const books = Books.open(runDir);
       console.log(JSON.stringify([Lineage.open(runDir, workspace).steps, books.rows().length, books.spentUsd(), books.budgetUsd()]));
       books.close();`,
      { runDir, workspace },
    );
    expect(errors).toBe('');
    expect(JSON.parse(output)).toEqual([{}, 1, 0, 10]);
  });

  it('leaves the lineage of another workspace alone, rows and view', () => {
    const [one, two, runDir] = [newFolder(), newFolder(), newFolder()];
    const first = Lineage.open(runDir, one);
    first.remember('work', 's1');
    Lineage.open(runDir, two).remember('work', 't1');
    const archived = first.archive(join(one, 'archive'));
    expect(names(archived)).toHaveLength(1);
    expect(view(runDir)).toMatchObject({ workspace: two, steps: { work: 't1' } });
    expect(Lineage.open(runDir, one).steps).toEqual({});
    expect(Lineage.open(runDir, two).steps).toEqual({ work: 't1' });
  });

  it('of a moved directory forgets the ids of its old place too', () => {
    const old = newFolder();
    Lineage.open(join(old, 'runs'), old).remember('work', 's1');
    const moved = `${old}-moved`;
    renameSync(old, moved);
    Lineage.open(join(moved, 'runs'), moved).archive(join(moved, 'archive'));
    expect(Lineage.open(join(moved, 'runs'), moved)).toMatchObject({ steps: {}, movedFrom: {} });
    expect(existsSync(join(moved, 'runs', 'lineage.json'))).toBe(false);
  });
});
