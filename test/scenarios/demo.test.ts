import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlowerEnd, runFlower, tempFolder } from '../support/flowerProgram.js';

/** The demo as a person starts it, with a HOME that cannot be read or written and without any credential (A1, A2, A6). */
describe('the demo shows the whole chain on a scripted model', () => {
  const folder = tempFolder('demo');
  const at = (...path: string[]) => join(folder.path, ...path);
  let end: FlowerEnd;

  beforeAll(async () => {
    end = await runFlower(['demo', '--dir', folder.path], { cwd: folder.path });
  }, 120_000);
  afterAll(() => folder.remove());

  it('ends achieved, after one round that was sent back', () => {
    expect(end.stderr).toBe('');
    expect(end.code).toBe(0);
    for (const words of [
      'nothing is spent',
      'What shall the tool be called?',
      'are counted apart',
      'Achieved',
      'Made: tally.mjs',
    ]) {
      expect(end.stdout).toContain(words);
    }
  });

  it('leaves a tool whose tests pass, and which does what was asked', () => {
    execFileSync(process.execPath, ['--test'], { cwd: folder.path, env: { PATH: process.env.PATH }, stdio: 'pipe' });
    const output = execFileSync(process.execPath, ['tally.mjs', 'sample.txt', '--top', '2'], {
      cwd: folder.path,
    }).toString();
    expect(output).toBe('4\tthe\n2\ttide\n');
  });

  it('leaves the documents and the index', () => {
    expect(readdirSync(at('.flower', 'notes')).sort()).toEqual(
      expect.arrayContaining(['brief.md', 'goal.md', 'qa-log.md']),
    );
    expect(readFileSync(at('.flower', 'notes', 'qa-log.md'), 'utf8')).toContain('What shall the tool be called?');
    expect(readFileSync(at('.flower', 'INDEX.md'), 'utf8')).toContain('brief.md');
  });

  it('leaves a row for each step, with cost, turns, context and session', () => {
    const rows = JSON.parse(readFileSync(at('runs', 'manifest.json'), 'utf8')) as Record<string, unknown>[];
    expect(rows.map((row) => row.step)).toEqual([
      'clarify',
      'set-goal',
      'work',
      'work·verdict#1',
      'work#round2',
      'work·verdict#2',
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({ ok: true, error: null, session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      for (const figure of ['cost_usd', 'num_turns', 'context', 'duration_s']) expect(row[figure]).toBeGreaterThan(0);
    }
    expect(rows[2]?.session_id).toBe(rows[4]?.session_id);
    const lineage = JSON.parse(readFileSync(at('runs', 'lineage.json'), 'utf8')) as {
      woke: number;
      steps: Record<string, string>;
    };
    expect(lineage.woke).toBe(1);
    expect(lineage.steps.work).toBe(rows[2]?.session_id);
  });

  it('stores the transcripts of main threads and workers', () => {
    const database = new Database(at('runs', 'sessions.db'), { readonly: true });
    const keys = database.prepare('SELECT DISTINCT store_key FROM entries').pluck().all() as string[];
    database.close();
    expect(keys.filter((key) => key.includes('/subagents/'))).toHaveLength(2);
    expect(keys.filter((key) => !key.includes('/subagents/'))).toHaveLength(5);
  });

  it('keeps run records out of a repository that may be made here', () => {
    expect(readFileSync(at('runs', '.gitignore'), 'utf8')).toBe('*\n');
    expect(existsSync(at('.flower', '.gitignore'))).toBe(true);
  });
});
