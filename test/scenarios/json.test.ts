import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Books } from '../../src/books/books.js';
import type { EventRow } from '../../src/books/types.js';
import { type FlowerEnd, runFlower, startFlower, tempFolder } from '../support/flowerProgram.js';

const schema = JSON.parse(readFileSync(fileURLToPath(new URL('../../schema/events-1.json', import.meta.url)), 'utf8'));
const validate = new Ajv2020({ allErrors: true, strictTypes: false }).compile(schema);
const isRow = (row: unknown): boolean => validate(row);

/** Another program reads what a run does (C33, A6). */
describe('--json over the whole demo', () => {
  const folder = tempFolder('json');
  let end: FlowerEnd;
  let rows: EventRow[];

  beforeAll(async () => {
    end = await runFlower(['demo', '--json', '--dir', folder.path], { cwd: folder.path });
    rows = end.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as EventRow);
  }, 90_000);
  afterAll(() => folder.remove());

  it('C33.1: standard output is one object a line, words go to standard error', () => {
    expect(end.code).toBe(0);
    expect(end.stdout.endsWith('\n')).toBe(true);
    expect(end.stdout).not.toMatch(/\n\n|\u001b/);
    for (const words of ['nothing is spent', 'Achieved', 'spent $', 'report written to']) {
      expect(end.stderr).toContain(words);
    }
  });

  it('C33.4: every line is what the schema says', () => {
    const wrong = rows.filter((row) => !isRow(row)).map((row) => [row.kind, row.text]);
    expect(wrong).toEqual([]);
  });

  it('C33.2: keys stand in their order, seq counts from 1 without gaps, and nothing is left out', () => {
    for (const [i, row] of rows.entries()) {
      expect(Object.keys(row)).toEqual(['seq', 'at', 'step', 'kind', 'text', 'tool', 'payload']);
      expect(row.seq).toBe(i + 1);
    }
    const kinds = new Set(rows.map(({ kind }) => kind));
    for (const kind of ['step', 'text', 'tool_call', 'tool_result', 'task', 'ask', 'result']) {
      expect(kinds).toContain(kind);
    }
    expect(rows.some(({ payload }) => payload.subagent === true)).toBe(true);
  });

  it('C33.3: the first row and the last one frame the run', () => {
    const [first, last] = [rows[0], rows.at(-1)];
    expect(first).toMatchObject({ kind: 'system', text: 'run_started', step: '' });
    expect(first?.payload).toMatchObject({ flow: 'starter', workspace: folder.path, locale: 'en' });
    expect(last).toMatchObject({ kind: 'system', text: 'run_ended' });
    expect(last?.payload).toMatchObject({ ended: 'finished', verified: 'achieved', exit: end.code });
  });

  it('Z87: they are the rows of the log', () => {
    const books = Books.peek(join(folder.path, 'runs'));
    const log = books?.events(String(rows[0]?.payload.run)).events ?? [];
    books?.close();
    const alike = ({ seq, step, kind, text, tool, payload }: EventRow) => {
      const { flower: _version, ...rest } = payload;
      return { seq, step, kind, text, tool, payload: rest };
    };
    expect(rows.map(alike)).toEqual(log.map(alike));
  });
});

describe('the schema', () => {
  const row = { seq: 1, at: 1, step: '', kind: 'system', text: 'run_started', tool: '' };
  const frame = { schema: 1, flower: '1', run: 'r', flow: 'f', workspace: '/', run_dir: '/', locale: 'en' };

  it.each([
    ['a key too many', { ...row, payload: frame, raw: {} }],
    ['a payload that lacks something', { ...row, payload: { ...frame, run: undefined } }],
    ['another version', { ...row, payload: { ...frame, schema: 2 } }],
    ['a run that does not begin with 1', { ...row, seq: 2, payload: frame }],
    ['no time', { ...row, at: 'now', payload: frame }],
    ['a call without its input', { ...row, kind: 'tool_call', tool: 'Bash', payload: { id: 'x' } }],
    ['a question without its state', { ...row, kind: 'ask', text: '?', payload: { id: 'q1', options: [] } }],
  ])('refuses %s', (_what, value) => {
    expect(isRow(JSON.parse(JSON.stringify(value)))).toBe(false);
  });

  it('takes a kind that it does not know', () => {
    expect(isRow({ ...row, kind: 'later', text: 'x', payload: { any: 1 } })).toBe(true);
  });
});

it('C33.6: a reader that goes away ends the program as a second Ctrl-C does, and nothing more is said to it', async () => {
  const folder = tempFolder('json-gone');
  const child = startFlower(['demo', '--json', '--dir', folder.path], { cwd: folder.path });
  child.stdout?.once('data', () => child.stdout?.destroy());
  const end = await child.end;
  expect(end.code).toBe(130);
  expect(end.stderr).toContain('Interrupted, progress is saved');
  expect(end.stderr).not.toMatch(/\n\s+at |EPIPE/);
  const books = Books.peek(join(folder.path, 'runs'));
  expect(books?.lastOutcome()?.ended).toBe('interrupted');
  books?.close();
  folder.remove();
});

it('C33.3: what does not start writes nothing to standard output', async () => {
  const folder = tempFolder('json-none');
  const end = await runFlower(['--json', '-w', folder.path, 'x']);
  expect([end.code, end.stdout]).toEqual([1, '']);
  folder.remove();
});
