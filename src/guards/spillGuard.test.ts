import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { postToolUse, replacementOf } from '../../test/contract/guardsCalls.js';
import { Workbench } from '../workbench/workbench.js';
import { spillGuard } from './spillGuard.js';

let base: string;
let workbench: Workbench;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'flower-spill-')));
  workbench = new Workbench(base, { locale: 'en' });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const long = 'x'.repeat(500);
const guard = () => spillGuard(workbench, { threshold: 100 });
const spill = async (tool: string, response: unknown, input = {}, extra = {}) =>
  replacementOf(await postToolUse(guard(), tool, response, input, { cwd: base, ...extra }));
const nameOf = (text: string) => `${createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16)}.txt`;
const stored = () => readdirSync(workbench.spill);
/** Any value, for looking into a replaced result. */
const field = (value: unknown, ...path: string[]): string =>
  String(path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value));

describe('spillGuard', () => {
  it('R6.25 R6.27 stores a long text and leaves length, path and 400 characters', async () => {
    const text = `${'line\n'.repeat(200)}end`;
    const pointer = await spill('Bash', text);
    expect(readFileSync(join(workbench.spill, nameOf(text)), 'utf8')).toBe(text);
    expect(pointer).toContain(`[output of 1003 characters, stored in .flower/spill/${nameOf(text)};`);
    expect(field(pointer).split('\n')).toHaveLength(2);
    expect(pointer).toMatch(/First 400 characters: (line ){80}$/);
  });

  it('R6.25 spills at 4000 characters by default, not below', async () => {
    const byDefault = spillGuard(workbench);
    expect(await postToolUse(byDefault, 'Bash', { stdout: 'x'.repeat(3999) })).toEqual({});
    expect(replacementOf(await postToolUse(byDefault, 'Bash', { stdout: 'x'.repeat(4000) }))).toBeDefined();
    expect(byDefault.matcher).toBe('Bash|Read|Grep|Glob|WebFetch|WebSearch');
  });

  it('R6.25 leaves workers alone only when asked to', async () => {
    expect(await spill('Bash', { stdout: long }, {}, { agent_id: 'a1' })).toBeDefined();
    const mainOnly = spillGuard(workbench, { threshold: 100, mainOnly: true });
    expect(await postToolUse(mainOnly, 'Bash', { stdout: long }, {}, { agent_id: 'a1' })).toEqual({});
    expect(replacementOf(await postToolUse(mainOnly, 'Bash', { stdout: long }))).toBeDefined();
  });

  it('R6.28 leaves a short result alone', async () => {
    expect(await postToolUse(guard(), 'Bash', { stdout: 'short', stderr: '' })).toEqual({});
    expect(await postToolUse(guard(), 'Bash', null)).toEqual({});
    expect(await postToolUse(guard(), 'Bash', undefined)).toEqual({});
  });

  it('R6.26 replaces texts at any depth and keeps everything else', async () => {
    const replaced = await spill('Bash', { a: { b: { text: long, n: 7 } }, ok: true, none: null, list: [long] });
    expect(replaced).toMatchObject({ a: { b: { n: 7 } }, ok: true, none: null, list: [long] });
    expect(field(replaced, 'a', 'b', 'text')).toContain('[output of 500 characters');
  });

  it('R6.26 keeps the shapes of the tools', async () => {
    const read = {
      type: 'text',
      file: { filePath: `/${long}`, content: long, numLines: 1, startLine: 1, totalLines: 1 },
    };
    const replaced = await spill('Read', read);
    expect(replaced).toMatchObject({ type: 'text', file: { filePath: `/${long}`, numLines: 1 } });
    expect(field(replaced, 'file', 'content')).toContain('[output of 500');
    expect(
      field(
        await spill('Grep', { mode: 'content', numFiles: 0, filenames: [], content: long, numLines: 1 }),
        'content',
      ),
    ).toContain('[output of 500');
    const fetched = await spill('WebFetch', {
      bytes: 5,
      code: 200,
      codeText: 'OK',
      result: long,
      durationMs: 1,
      url: `https://x/${long}`,
    });
    expect(fetched).toMatchObject({ code: 200, url: `https://x/${long}` });
    expect(field(fetched, 'result')).toContain('[output of 500');
  });

  it('R6.26 cuts a list of file names to its beginning and a pointer', async () => {
    const filenames = Array.from({ length: 100 }, (_, i) => `src/file${i}.ts`);
    const replaced = (await spill('Grep', { mode: 'files_with_matches', filenames, numFiles: 100 })) as {
      filenames: string[];
      numFiles: number;
    };
    expect(replaced.numFiles).toBe(100);
    expect(replaced.filenames.slice(0, -1)).toEqual(filenames.slice(0, replaced.filenames.length - 1));
    expect(replaced.filenames.length).toBeGreaterThan(10);
    expect(replaced.filenames.at(-1)).toContain('.flower/spill/');
    expect(readFileSync(join(workbench.spill, nameOf(filenames.join('\n'))), 'utf8')).toBe(filenames.join('\n'));
    expect(await spill('Glob', { filenames: ['a', 'b'], numFiles: 2, truncated: false })).toBeUndefined();
    expect(field(await spill('Glob', { filenames: [long] }), 'filenames', '0')).toContain('[output of 500');
  });

  it('R6.26 does not touch images, notebooks and blocks of built-in tools', async () => {
    expect(
      await spill('Read', { type: 'image', file: { base64: long, type: 'image/png', originalSize: 9 } }),
    ).toBeUndefined();
    expect(
      await spill('Read', { type: 'notebook', file: { filePath: 'x', cells: [{ source: long }] } }),
    ).toBeUndefined();
    expect(await spill('Bash', { stdout: long, isImage: true })).toBeUndefined();
    expect(await spill('Read', [{ type: 'text', text: long }])).toBeUndefined();
  });

  it('stores the text blocks of an MCP result and keeps its images', async () => {
    const image = { type: 'image', data: long, mimeType: 'image/png' };
    const replaced = (await spill('mcp__db__query', [
      { type: 'text', text: long },
      image,
      { type: 'text', text: 'short' },
    ])) as unknown[];
    expect(replaced.slice(1)).toEqual([image, { type: 'text', text: 'short' }]);
    expect(field(replaced, '0', 'text')).toContain('[output of 500');
    expect(await spill('mcp__db__query', JSON.stringify({ rows: long }))).toContain('[output of 511');
    expect(await spill('mcp__db__query', [image])).toBeUndefined();
  });

  it("carries the words of flower's own tools as they are", async () => {
    expect(await spill('mcp__flower__ask', [{ type: 'text', text: long }])).toBeUndefined();
  });

  it('F6.5 stores the whole of an output that the harness has cut, byte for byte', async () => {
    const whole = Buffer.concat([Buffer.from('x'.repeat(40_000)), Buffer.from([0xff, 0x0a])]);
    const persistedOutputPath = join(base, 'persisted.txt');
    writeFileSync(persistedOutputPath, whole);
    const response = {
      stdout: 'x'.repeat(30_000),
      stderr: '',
      interrupted: false,
      persistedOutputPath,
      persistedOutputSize: 40_002,
    };
    const replaced = await spill('Bash', response);
    expect(replaced).toEqual({
      stdout: expect.stringContaining('[output of 40002 characters'),
      stderr: '',
      interrupted: false,
    });
    expect(readFileSync(join(workbench.spill, stored()[0] ?? '')).equals(whole)).toBe(true);
  });

  it('F6.5 leaves the result as it is if the whole output cannot be read', async () => {
    expect(await spill('Bash', { stdout: long, persistedOutputPath: join(base, 'gone') })).toBeUndefined();
  });

  it('R6.27 stores the same text once', async () => {
    await spill('Bash', { stdout: long });
    await spill('Grep', { content: long });
    expect(stored()).toEqual([nameOf(long)]);
  });

  it.each([0, 1, 2, 3])('R6.30 C23 never ends inside a character (%i letters before)', async (n) => {
    const text = 'a'.repeat(n) + '🌼'.repeat(50_000) + '👨‍👩‍👧'.repeat(50);
    const pointer = field(await spill('Bash', { stdout: text }), 'stdout');
    expect(pointer.isWellFormed()).toBe(true);
    expect(readFileSync(join(workbench.spill, nameOf(text)), 'utf8')).toBe(text);
  });

  it('C23 makes half characters that were there before whole in what the model reads', async () => {
    expect(field(await spill('Bash', { stdout: `preview \ud83d ${long}` }), 'stdout').isWellFormed()).toBe(true);
  });

  it('never ends inside an escape sequence', async () => {
    for (let n = 380; n <= 400; n++) {
      for (const sequence of [
        '\u001b[1;38;5;196m',
        '\u001b]8;;https://example.test/\u0007',
        '\u001b(B',
        '\u001b[?25l',
      ]) {
        const head = field(await spill('Bash', { stdout: 'a'.repeat(n) + sequence.repeat(60) }), 'stdout');
        const rest = head.slice(head.indexOf('characters: ')).replaceAll(sequence, '');
        expect(rest, JSON.stringify(sequence)).not.toContain('\u001b');
      }
    }
  });

  it.each([
    ['by its absolute path', () => ({ file_path: join(workbench.spill, 'a.txt') })],
    ['by its shown path', () => ({ file_path: '.flower/spill/a.txt' })],
    ['by a path through another folder', () => ({ file_path: 'src/../.flower/./spill/a.txt' })],
    ['by a path relative to a sub-folder', () => ({ file_path: '../.flower/spill/a.txt' }), 'src'],
    ['by searching the folder', () => ({ pattern: 'x', path: workbench.spill })],
    ['by a command', () => ({ command: 'cat .flower/spill/a.txt | head' })],
    ['by a path among others', () => ({ paths: [{ path: '.flower/spill/a.txt' }] })],
  ])('R6.29 lets a stored text be read %s', async (_, input, folder = '.') => {
    mkdirSync(join(base, 'src'), { recursive: true });
    expect(
      await spill('Read', { type: 'text', file: { content: long } }, input(), { cwd: join(base, folder) }),
    ).toBeUndefined();
  });

  it('R6.29 is not taken in by a folder with a similar name', async () => {
    expect(
      await spill('Read', { type: 'text', file: { content: long } }, { file_path: join(base, '.flower-old/a.txt') }),
    ).toBeDefined();
  });

  it('leaves the result as it is if it cannot be stored', async () => {
    writeFileSync(join(base, '.flower'), 'a file where the folder should be');
    expect(await spill('Bash', { stdout: long })).toBeUndefined();
  });
});
