import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { say, startSim } from '../../src/sim/index.js';
import { startFlower, tempFolder } from '../support/flowerProgram.js';

const STARTER = fileURLToPath(new URL('../support/workflowStarter.mjs', import.meta.url));
/** The one that loses waits a second before it says so; pairs of their own directory wait side by side. */
const PAIRS = 5;
const ROUNDS_OF_A_PAIR = 20;
/** Rounds with the whole program; `scripts/doubleStarts.mjs` asks for a hundred. */
const PROGRAM_ROUNDS = Number(process.env.DOUBLE_STARTS ?? 2);

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Each round ran exactly one step: its row is there, and its session in the lineage. */
function expectAllRows(runDir: string, rounds: number): void {
  const viewOf = (name: string) => JSON.parse(readFileSync(join(runDir, name), 'utf8'));
  const rows: { step: string; ok: boolean; session_id: string; run: string }[] = viewOf('manifest.json');
  expect(rows.map(({ step, ok }) => `${step} ${ok}`)).toEqual(numbers(rounds).map((n) => `step-${n} true`));
  expect(new Set(rows.map(({ run }) => run)).size).toBe(rounds);
  const { steps, woke } = viewOf('lineage.json');
  expect(steps).toEqual(Object.fromEntries(rows.map(({ step, session_id }) => [step, session_id])));
  expect(woke).toBe(rounds);
}

const since = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d';

describe('two starts at one moment in one directory: one writer, the other says who, and no row is lost (A5, C31, C33)', () => {
  it(`${PAIRS * ROUNDS_OF_A_PAIR} times with Workflow.run`, { timeout: 180_000 }, async () => {
    await Promise.all(numbers(PAIRS).map(() => raceWorkflows(ROUNDS_OF_A_PAIR)));
  });

  it(`${PROGRAM_ROUNDS} times with the whole program`, { timeout: 30_000 + PROGRAM_ROUNDS * 20_000 }, async () => {
    await racePrograms(PROGRAM_ROUNDS);
  });
});

interface Said {
  readonly word: 'ready' | 'won' | 'lost' | 'over';
  readonly code?: string;
  readonly message?: string;
}

async function raceWorkflows(rounds: number): Promise<void> {
  const folder = tempFolder('double-start');
  const both = numbers(2).map(() => fork(STARTER, [folder.path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
  const next = both.map(listen);
  try {
    for (const _ of numbers(rounds)) {
      expect((await Promise.all(next.map((say) => say()))).map(({ word }) => word)).toEqual(['ready', 'ready']);
      for (const child of both) child.send('go');
      const said = await Promise.all(next.map((say) => say()));
      expect(said.map(({ word }) => word).sort()).toEqual(['lost', 'won']);
      const winner = said.findIndex(({ word }) => word === 'won');
      const { code, message } = said[1 - winner] ?? {};
      expect(code).toBe('run_locked');
      expect(message).toMatch(new RegExp(`PID ${both[winner]?.pid}, since ${since}\\)`));
      both[winner]?.send('end');
      expect((await Promise.all(next.map((say) => say()))).map(({ word }) => word)).toEqual(['over', 'over']);
    }
    expectAllRows(join(folder.path, 'runs'), rounds);
  } finally {
    for (const child of both) child.kill('SIGKILL');
    folder.remove();
  }
}

/** Gives what a process says, one after the other; fails if it ends instead. */
function listen(child: ChildProcess): () => Promise<Said> {
  const said: Said[] = [];
  child.on('message', (message) => said.push(message as Said));
  const ended = once(child, 'exit').then(() => undefined);
  return async () => {
    while (said.length === 0) {
      const event = await Promise.race([once(child, 'message'), ended]);
      if (event === undefined && said.length === 0) throw new Error('a starter ended by itself');
    }
    return said.shift() as Said;
  };
}

async function racePrograms(rounds: number): Promise<void> {
  const folder = tempFolder('double-program');
  const workspace = join(folder.path, 'work');
  mkdirSync(workspace);
  writeFileSync(
    join(folder.path, 'flow.ts'),
    `import { AgentSpec, Step, Workflow } from 'flower-agent';
const look = new AgentSpec({ name: 'look', instructions: '' });
export const main = new Workflow([new Step(\`step-\${process.env.ROUND}\`, look, 'Look.')]);\n`,
  );
  // Nobody is done before the other one has given up.
  let oneGaveUp: Promise<unknown> = Promise.resolve();
  const sim = await startSim({ script: () => oneGaveUp.then(() => say('Nothing here.')) });
  try {
    for (const round of numbers(rounds)) {
      const start = () =>
        startFlower(['run', 'flow.ts:main', '-w', workspace], {
          url: sim.url,
          cwd: folder.path,
          env: { ROUND: String(round) },
        });
      const both = [start(), start()];
      oneGaveUp = Promise.race(both.map(({ end }) => end));
      const ends = await Promise.all(both.map(({ end }) => end));
      expect(ends.map(({ code }) => code).sort()).toEqual([0, 1]);
      const winner = ends.findIndex(({ code }) => code === 0);
      expect(ends[1 - winner]?.stderr).toMatch(new RegExp(`PID ${both[winner]?.pid}, since ${since}\\)`));
    }
    expect(sim.requests).toHaveLength(rounds);
    expectAllRows(join(workspace, 'runs'), rounds);
  } finally {
    await sim.close();
    folder.remove();
  }
}
