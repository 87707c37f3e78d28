import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call, type Script, type Sim, say, startSim } from '../../src/sim/index.js';
import { runFlower, startFlower, tempFolder } from '../support/flowerProgram.js';
import { type FlowerTerminal, flowerTerminal, hasTerminal } from '../support/flowerTerminal.js';
import { smallestRun } from '../support/scripts.js';

let sim: Sim;
let folder: ReturnType<typeof tempFolder>;
let workspace: string;
let flower: FlowerTerminal | undefined;
beforeEach(async () => {
  folder = tempFolder('interrupting');
  workspace = join(folder.path, 'work');
  mkdirSync(workspace);
});
afterEach(async () => {
  flower?.stop();
  await sim.close();
  folder.remove();
});

const bash = (command: string) => call('Bash', { command, description: command });

/** A run whose worker takes its time, step by step, until somebody says that it may be blue. */
const SLOW: Script = smallestRun({
  coordinator: (request) => {
    if (JSON.stringify(request.messages).includes('make it blue')) return say('Blue it is.');
    if (request.calls.length > 0 && request.turn > 0) return say('Not reached.');
    return call('Agent', { subagent_type: 'coder', description: 'write hello', prompt: 'Write hello.txt.' });
  },
  worker: (request) =>
    request.turn < 40 ? bash(`sleep 0.5; echo hello ${request.turn} > hello.txt`) : say('Not reached.'),
  oracle: () => say('It writes a file.'),
});

const brief = () => readFileSync(join(workspace, '.flower', 'notes', 'brief.md'), 'utf8');
const manifest = () =>
  JSON.parse(readFileSync(join(workspace, 'runs', 'manifest.json'), 'utf8')) as Record<string, unknown>[];

describe.skipIf(!hasTerminal)('at a terminal', () => {
  it('a question aside is answered, and Ctrl-C stops at once and goes on with what is typed then', async () => {
    sim = await startSim({ script: SLOW });
    flower = flowerTerminal(['write hello'], { url: sim.url, cwd: workspace });
    await flower.type(/sleep 0\.5/, '? what is it doing\r');
    await flower.type(/# side question\s+It writes a file\./, '\u0003');
    await flower.type(/Interrupted\. Anything to say/, 'make it blue\r');
    const { code, screen } = await flower.end;

    expect(sim.faults).toEqual([]);
    expect([code, screen]).toEqual([0, expect.stringContaining('Blue it is.')]);
    expect(screen).toMatch(/side questions \$0\.\d+ of it/);
    expect(brief()).toContain('make it blue');
    const work = sim.requests.filter((request) => request.tools.includes('Agent'));
    expect(new Set(work.map((request) => request.session)).size).toBe(1);
    expect(work.at(-1)?.prompt).toContain('make it blue');
    expect(JSON.stringify(work.at(-1)?.messages)).toContain('stopped by a person before it was done');
  });

  it('Ctrl-C while a question is open waits for nothing: the question ends without an answer, and the words go on', async () => {
    sim = await startSim({
      script: smallestRun({
        coordinator: (request) => {
          if (JSON.stringify(request.messages).includes('make it blue')) return say('Blue it is.');
          return request.turn === 0 ? call('mcp__human__ask', { question: 'Which colour?' }) : say('Not reached.');
        },
      }),
    });
    flower = flowerTerminal(['write hello'], { url: sim.url, cwd: workspace });
    await flower.type(/Your answer/, '\u0003');
    await flower.type(/Interrupted\. Anything to say/, 'make it blue\r');
    const { code, screen } = await flower.end;
    expect(sim.faults).toEqual([]);
    expect([code, screen]).toEqual([0, expect.stringContaining('Blue it is.')]);
    const work = sim.requests.findLast((request) => request.tools.includes('Agent'));
    expect(work?.results.map((result) => result.text)).toContain(
      'A person has stopped this turn before the question was answered. That is neither a yes nor a no. Ask again if it is still open.',
    );
    expect(screen).not.toMatch(/ {2}x /);
  });

  it('Ctrl-C twice leaves, with everything saved; the same command goes on', async () => {
    sim = await startSim({ script: SLOW });
    flower = flowerTerminal(['write hello'], { url: sim.url, cwd: workspace });
    await flower.type(/sleep 0\.5/, '\u0003');
    await flower.type(/Interrupted\. Anything to say/, 'never m\u0003');
    const { code, screen } = await flower.end;
    expect(code).toBe(130);
    expect(screen).toContain('Interrupted, progress is saved');
    expect(screen).not.toMatch(/ at .*:\d+:\d+/);
    expect(manifest().at(-1)).toMatchObject({ step: 'work', ok: false, error: 'killed-by-signal' });
    const session = String(manifest().at(-1)?.session_id);

    const later = await runFlower(['make it blue', '--timeout', '0'], { url: sim.url, cwd: workspace });
    expect(sim.faults).toEqual([]);
    expect([later.code, later.stderr]).toEqual([0, '']);
    expect(sim.requests.findLast((request) => request.tools.includes('Agent'))?.session).toBe(session);
  });
});

describe('without a terminal', () => {
  it('the first Ctrl-C leaves', async () => {
    sim = await startSim({ script: SLOW });
    const flower = startFlower(['write hello', '--timeout', '0'], { url: sim.url, cwd: workspace });
    await vi.waitFor(() => expect(sim.requests.some((request) => request.thread === 'worker')).toBe(true), {
      timeout: 30_000,
    });
    flower.kill('SIGINT');
    const { code, stderr, stdout } = await flower.end;
    expect([code, stderr]).toEqual([130, expect.stringContaining('Interrupted, progress is saved')]);
    expect(stdout).toContain('spent $');
    expect(manifest().at(-1)).toMatchObject({ step: 'work', error: 'killed-by-signal' });
  });
});
