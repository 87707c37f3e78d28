import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call, type RoleScripts, type Script, type Sim, say, startSim, turns } from '../../src/sim/index.js';
import { tempFolder } from '../support/flowerProgram.js';
import { BRIEF, smallestRun } from '../support/scripts.js';
import { hasTmux, Tmux } from '../support/tmux.js';

let sim: Sim | undefined;
let folder: ReturnType<typeof tempFolder>;
let terminal: Tmux;
beforeEach(() => {
  folder = tempFolder('terminal');
  mkdirSync(join(folder.path, 'work'));
});
afterEach(async () => {
  await terminal.close();
  await sim?.close();
  // What a harness that was told to end still writes must not make a test fail that has seen what it wanted.
  await vi.waitFor(() => folder.remove(), { timeout: 30_000, interval: 500 });
});

async function open(script: Script, ...args: string[]): Promise<void> {
  sim = await startSim({ script });
  terminal = new Tmux({
    cwd: join(folder.path, 'work'),
    env: { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'sk-fake' },
  });
  await terminal.flower(...args);
}

/** The program has ended with this code, and the terminal is as it was: its mode, the cursor, and no brackets round a paste (C12.7). */
async function hasEnded(code: number): Promise<void> {
  const end = await terminal.end();
  expect([end.code, end.after]).toEqual([code, end.before]);
  expect(await terminal.showsCursor()).toBe(true);
  await terminal.paste('pasted afterwards');
  expect((await terminal.shows(/pasted afterwards/)).at(-1)).toBe('pasted afterwards');
}

/** What stands on the screen between two lines, the first one included. */
function between(rows: readonly string[], from: string, to: string): string[] {
  const start = rows.findIndex((row) => row.startsWith(from));
  const end = rows.findIndex((row, i) => i > start && row.startsWith(to));
  return rows.slice(start, end < 0 ? undefined : end).filter((row) => row !== '');
}

const manifest = () =>
  JSON.parse(readFileSync(join(folder.path, 'work', 'runs', 'manifest.json'), 'utf8')) as Record<string, unknown>[];
const notes = (name: string) => readFileSync(join(folder.path, 'work', '.flower', 'notes', name), 'utf8');
/** The first progress row, with how full the context is. */
const PROGRESS = /\[[#.]{10}\] /;
const ASK = 'mcp__human__ask';
const HOSTILE =
  'harmless \u001b]52;c;cm0gLXIgLw==\u0007\u001b]0;owned\u0007\u001b[2J\u001b[H\u001b[6n\u009b31m\u202elooks\u001b]52;c;never ends';

/** A run whose worker works until somebody says that it may be blue. */
const BUSY_ROLES: RoleScripts = {
  coordinator: (request) => {
    if (JSON.stringify(request.messages).includes('make it blue')) return say('Blue it is.');
    if (request.calls.length > 0 && request.turn > 0) return say('Not reached.');
    return call('Agent', { subagent_type: 'coder', description: 'write hello', prompt: 'Write hello.txt.' });
  },
  worker: (request) =>
    request.turn < 200
      ? call('Bash', { command: `sleep 0.3; echo ${request.turn} > hello.txt`, description: 'Write the file' })
      : say('Not reached.'),
  oracle: () => say('It asks what you want.'),
};
const BUSY = smallestRun(BUSY_ROLES);

/** The same, and two questions before. */
const TALKATIVE = smallestRun({
  ...BUSY_ROLES,
  clarify: turns([
    call(ASK, { question: 'Which colour?', options: ['red', 'green'] }),
    (request) => call(ASK, { question: `So it is ${request.results[0]?.text}. Which size?` }),
    call('mcp__flower__submit_brief', BRIEF),
    say(HOSTILE),
  ]),
});

describe.skipIf(!hasTmux)('on a real terminal (A3)', () => {
  it('C10-C18: the start prompt, a paste, questions, side questions, every size, and Ctrl-C with words', async () => {
    await open(TALKATIVE);
    expect(await terminal.shows(/\n> ?$/)).toEqual([
      '- checking the credentials…',
      'What do you want done? One sentence is enough; Enter starts (Ctrl-C leaves)',
      '>',
    ]);

    const request = Array.from({ length: 20 }, (_, i) => `line ${i + 1} of the request 请求`);
    await terminal.paste(request.join('\n'));
    await terminal.shows(/line 20 of the request 请求$/);
    expect(sim?.requests.filter(({ tools }) => tools.length > 0)).toEqual([]);
    await terminal.press('Enter');

    const asked = await terminal.shows(/Your answer/);
    expect(between(asked, '  ? ', '  - ')).toEqual(['  ? Which colour?', '     1) red', '     2) green']);
    expect(asked.at(-1)).toBe('Your answer (Enter = skip, let it decide) >');
    expect(sim?.requests.find(({ tools }) => tools.includes(ASK))?.prompt).toContain(request.join('\n'));

    await terminal.type('？这是什么');
    await terminal.press('Enter');
    await terminal.shows(/# side question\n\s+It asks what you want\.\n\s+\(\$0\.\d{4}; the run was not disturbed\)/);
    await terminal.type('? and now');
    await terminal.press('Enter');
    await terminal.shows((rows) => rows.filter((row) => row === '# side question').length === 2);
    expect((await terminal.screen()).at(-1)).toBe('Your answer (Enter = skip, let it decide) >');

    await terminal.type('2');
    await terminal.press('Enter');
    await terminal.shows(/So it is green\. Which size\?[\s\S]*Your answer/);
    await terminal.press('Enter');
    await terminal.shows(/\n {2}\. Skipped\n/);

    // Half a line is typed while output scrolls, and the window changes its size under it.
    await terminal.shows(/> dispatch coder write hello[\s\S]*sleep 0\.3/);
    await terminal.type('not yet sent 还没发');
    await terminal.press('Left', 'Left');
    await terminal.type('有');
    await terminal.shows(/> not yet sent 还有没发$/);
    await terminal.resize(20, 40);
    await terminal.shows(/^> \S*yet sent 还有没发$/m);
    await terminal.resize(100, 40);
    const wide = await terminal.shows(/> not yet sent 还有没发$/);
    // C37.1: one row of progress and one worker, whatever was drawn and erased before.
    expect(wide.filter((row) => PROGRESS.test(row))).toHaveLength(1);
    expect(wide.filter((row) => /^ {2}\| coder #1 · write hello/.test(row))).toHaveLength(1);
    // C45: the line outlives sizes at which nothing can be seen.
    for (const [columns, rows] of [
      [7, 4],
      [2, 2],
      [1, 1],
      [100, 40],
    ] as const)
      await terminal.resize(columns, rows);
    await terminal.shows(/> not yet sent 还有没发$/);
    await terminal.press('C-u');

    await terminal.press('C-c');
    const paused = await terminal.shows(/Interrupted\. Anything to say\? \(Enter = nothing, go on\) >$/);
    expect(paused.filter((row) => row.includes('Ctrl-C again = leave'))).toHaveLength(1);
    await terminal.type('make it blue');
    await terminal.press('Enter');
    await terminal.shows(/! This turn is interrupted\./);
    await hasEnded(0);

    const all = await terminal.everything();
    for (const line of ['  Blue it is.', '+ Achieved: the item is checked, with evidence']) expect(all).toContain(line);
    // C12.4: the input line has left nothing behind.
    expect(all.filter((row) => /Your answer|Anything to say|type to add a requirement/.test(row))).toEqual([]);
    // A5: what the model said is text and nothing else.
    expect(all).toContain('  harmless looks');
    expect(await terminal.sideEffects()).toEqual({ title: expect.not.stringContaining('owned'), clipboard: '' });
    expect(notes('brief.md')).toContain('make it blue');
    expect(sim?.faults).toEqual([]);
  });

  it('C18.5, D4.2: a second Ctrl-C leaves with everything saved, and the same command goes on', async () => {
    await open(BUSY, 'write hello');
    await terminal.shows(/sleep 0\.3/);
    await terminal.press('C-c');
    await terminal.shows(/Anything to say/);
    await terminal.type('never sent');
    await terminal.press('C-c');
    await hasEnded(130);
    const all = await terminal.everything();
    expect(all).toContain('! Interrupted, progress is saved; run the same command again to go on');
    expect(all.filter((row) => /^\s+at |Anything to say|never sent/.test(row))).toEqual([]);
    expect(manifest().at(-1)).toMatchObject({ step: 'work', ok: false, error: 'killed-by-signal' });
  });

  it('C19, D3.13: Ctrl-D ends the input, not the run', async () => {
    const open_ = smallestRun({
      clarify: turns([
        call(ASK, { question: 'Which colour?' }),
        call(ASK, { question: 'Which size?' }),
        call('mcp__flower__submit_brief', BRIEF),
        say('Handed in.'),
      ]),
    });
    await open(open_, 'write hello');
    await terminal.shows(/Your answer/);
    await terminal.type('x');
    await terminal.press('C-d', 'BSpace');
    await terminal.shows(/Your answer .*>$/);
    await terminal.press('C-d');
    await hasEnded(0);
    const all = await terminal.everything();
    expect(
      all.filter((row) => row.includes('Input closed: from now on it decides every question by itself')),
    ).toHaveLength(1);
    expect(all.filter((row) => row.includes('Not asked (automatic)'))).toHaveLength(1);
    expect(all.filter((row) => row.includes('Your answer'))).toEqual([]);
  });

  it('C20, C49, D4.5, D4.9: a signal from outside gives the terminal back', async () => {
    await open(BUSY, 'write hello');
    await terminal.shows(/sleep 0\.3/);
    await terminal.type('half a line');
    await terminal.shows(/> half a line$/);
    await terminal.kill('SIGTERM');
    await hasEnded(143);
    expect(manifest().at(-1)).toMatchObject({ step: 'work', ok: false, error: 'killed-by-signal' });
  });

  it('C13.3, C49: Ctrl-Z gives the terminal to the shell, and fg takes it back with the line as it was; Ctrl-\\ quits', async () => {
    await open(BUSY);
    await terminal.shows(/\n> ?$/);
    await terminal.type('write hel');
    await terminal.press('C-z');
    const { before, stopped } = await terminal.stopped();
    expect(stopped).toBe(before);
    terminal.goOn();
    await terminal.shows(/> write hel$/);
    await terminal.type('lo');
    await terminal.shows(/> write hello$/);
    await terminal.press('C-\\');
    await hasEnded(131);
  });

  it('C10.5: Ctrl-C and Ctrl-D at the start prompt end with a line of their own', async () => {
    await open(BUSY);
    await terminal.shows(/\n> ?$/);
    await terminal.press('C-c');
    await hasEnded(1);
    expect((await terminal.everything()).slice(2, 4)).toEqual(['Cancelled', 'pasted afterwards']);
  });

  it('A4, C31.6: two programs in one terminal never tear a line, a character or a colour of each other', async () => {
    const module = (name: string) =>
      JSON.stringify(fileURLToPath(new URL(`../../dist/terminal/${name}.js`, import.meta.url)));
    const common = `import { setTimeout } from 'node:timers/promises';
import { TerminalLock } from ${module('terminalLock')};
const block = (name, round) => [0, 1, 2, 3, 4, 5].map((i) => name + ' ' + round + ' ' + i + ' \\u001b[32m确认需求\\u001b[39m.');
`;
    writeFileSync(
      join(folder.path, 'flower.mjs'),
      `import { createTerminalUi } from ${module('index')};
${common}
const ui = createTerminalUi({ input: process.stdin, output: process.stdout, channel: null, locale: 'en', verbose: false,
  color: true, columns: () => process.stdout.columns });
for (let round = 0; round < ${ROUNDS}; round += 1) {
  ui.lines(block('flower', round));
  await setTimeout(10);
}
// Closing waits for nobody, so that it can be done while a signal ends the process: here that is kept from tearing the last lines.
const last = new TerminalLock(1);
while (!last.tryTake()) await setTimeout(1);
ui.close();
`,
    );
    // The other one keeps its turn over many small writes, as one does whose terminal takes no more at once.
    writeFileSync(
      join(folder.path, 'slow.mjs'),
      `import { writeSync } from 'node:fs';
${common}
const lock = new TerminalLock(1);
for (let round = 0; round < ${ROUNDS}; round += 1) {
  while (!lock.tryTake()) await setTimeout(1);
  const bytes = Buffer.from(block('slow', round).join('\\n') + '\\n');
  for (let at = 0; at < bytes.length; at += 20) {
    writeSync(1, bytes.subarray(at, at + 20));
    await setTimeout(0);
  }
  lock.release();
  await setTimeout(15);
}
`,
    );
    terminal = new Tmux({ cwd: folder.path });
    const start = (file: string) => `${process.execPath} ${file} < /dev/null`;
    await terminal.start(`sh -c '${start('flower.mjs')} & ${start('slow.mjs')} & wait'`);
    expect(await terminal.end()).toMatchObject({ code: 0 });

    const lines = await terminal.everything();
    const blocks = lines.flatMap((line, i) => (/^\w+ \d+ 0 /.test(line) ? [lines.slice(i, i + 6).join('\n')] : []));
    for (const name of ['flower', 'slow']) {
      const written = Array.from({ length: ROUNDS }, (_, round) => block(name, round));
      expect(blocks.filter((found) => found.startsWith(name))).toEqual(written);
    }
    expect(lines).toHaveLength(2 * ROUNDS * 6);
  });
});

const ROUNDS = 120;

/** Six lines that belong together. */
function block(name: string, round: number): string {
  return [0, 1, 2, 3, 4, 5].map((i) => `${name} ${round} ${i} 确认需求.`).join('\n');
}
