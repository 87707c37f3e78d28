import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Books } from './books.js';
import { Lineage } from './lineage.js';

function olderDirectory(files: Readonly<Record<string, string>>): { workspace: string; runDir: string } {
  const workspace = mkdtempSync(join(tmpdir(), 'flower-older-'));
  const runDir = join(workspace, 'runs');
  mkdirSync(runDir);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(runDir, name), content);
  return { workspace, runDir };
}

const names = (folder: string) => readdirSync(folder).sort();

describe('R8.74', () => {
  it('manifest rows become rows of their run, once; what is no object is dropped, what has no run shares the run without a name', () => {
    const rows = [
      { step: '确认需求', ok: true, cost_usd: 0.25, started_at: 100, ended_at: 110, run: 'a', strange: [1] },
      7,
      { step: '干活', ok: false, cost_usd: 0.5, started_at: 120, ended_at: 130, run: 'a' },
      { step: 'no run', cost_usd: 1, started_at: 50 },
      { step: '干活', cost_usd: 2, started_at: 140, run: 'b' },
      null,
    ];
    const { runDir } = olderDirectory({ 'manifest.json': JSON.stringify(rows) });
    const books = Books.open(runDir);
    expect(books.rows()).toEqual([rows[0], rows[2], rows[3], rows[4]]);
    expect(books.runs().map(({ run, epoch, startedAt, endedAt }) => [run, epoch, startedAt, endedAt])).toEqual([
      ['a', 0, 100, 130],
      ['', 0, 50, 0],
      ['b', 0, 140, 0],
    ]);
    expect(books.spentUsd()).toBe(3.75);
    books.close();
    expect(JSON.parse(readFileSync(join(runDir, 'before-books', 'manifest.json'), 'utf8'))).toEqual(rows);
    writeFileSync(join(runDir, 'manifest.json'), '[]');
    const again = Books.open(runDir);
    expect(again.rows()).toHaveLength(4);
    again.close();
  });

  it('inbox mail keeps its ids and what was taken', () => {
    const inbox = [
      { id: 'm3', text: 'one', sent_at: 5, taken: false, workers: true, kept: 'appended' },
      { id: 'm4', text: 'two', sentAt: 6, taken: true },
      { text: 'three' },
      { id: 'm5', text: '  ' },
    ];
    const { runDir } = olderDirectory({ 'inbox.json': JSON.stringify(inbox) });
    const books = Books.open(runDir);
    expect(books.mailbox('r').untaken()).toEqual([
      { id: 'm6', text: 'three', sentAt: 0, taken: false, workers: false, kept: 'no_brief' },
      { id: 'm3', text: 'one', sentAt: 5, taken: false, workers: true, kept: 'appended' },
    ]);
    books.close();
  });

  it('R1.74, C31, D8.11: what cannot be parsed is moved aside once, with a message, and never overwritten', () => {
    const broken = { 'manifest.json': '[{"step": "wo', 'lineage.json': '[]', 'inbox.json': '{"mail": 1}' };
    const { runDir } = olderDirectory(broken);
    const messages: string[] = [];
    const options = { locale: 'en' as const, onSetAside: (message: string) => messages.push(message) };
    const books = Books.open(runDir, options);
    books.putSteps('r', [{ step: 'work' } as never]);
    books.close();
    Books.open(runDir, options).close();
    expect(messages).toHaveLength(3);
    for (const [name, content] of Object.entries(broken)) {
      const aside = names(runDir).filter((found) => found.startsWith(`${name}.corrupt-`));
      expect(aside).toHaveLength(1);
      expect(readFileSync(join(runDir, String(aside[0])), 'utf8')).toBe(content);
      expect(messages.join()).toContain(String(aside[0]));
    }
    expect(JSON.parse(readFileSync(join(runDir, 'manifest.json'), 'utf8'))).toHaveLength(1);
  });

  it('lineages of several workspaces become rows of each', () => {
    const lineage = (workspace: string, steps: object, woke: unknown) => JSON.stringify({ workspace, woke, steps });
    const { runDir } = olderDirectory({
      'lineage.json': lineage('/w/one', { 干活: 's1', 'set-goal': 's2', 设定目标: 'older', empty: '', number: 5 }, 3),
      'lineage.0123abcd.json': lineage('/w/two', { work: 't1' }, 'x'),
      'lineage.not-a-hash.json': lineage('/w/three', { work: 'u1' }, 1),
    });
    Books.open(runDir).close();
    const outside = mkdtempSync(join(tmpdir(), 'flower-older-'));
    expect(Lineage.open(runDir, '/w/one')).toMatchObject({
      steps: { work: 's1', 'set-goal': 's2', number: '5' },
      woke: 3,
    });
    expect(Lineage.open(runDir, '/w/two')).toMatchObject({ steps: { work: 't1' }, woke: 0 });
    expect(Lineage.open(runDir, '/w/three')).toMatchObject({ steps: {}, woke: 0 });
    expect(Lineage.open(runDir, outside)).toMatchObject({ steps: {}, woke: 0 });
    expect(names(join(runDir, 'before-books'))).toEqual(['lineage.0123abcd.json', 'lineage.json']);
  });

  it('a directory without any of these files just begins', () => {
    const { runDir } = olderDirectory({});
    const books = Books.open(runDir);
    expect([books.rows(), books.runs(), books.spentUsd()]).toEqual([[], [], 0]);
    books.close();
    expect(names(runDir)).toEqual(['.gitignore', 'sessions.db']);
  });
});
