import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Books } from '../../../src/books/books.js';
import { Lineage } from '../../../src/books/lineage.js';
import { processEntries, processEntry, sendSignal } from '../../../src/runtime/processes.js';
import { roleOf, type Sim, startSim } from '../../../src/sim/index.js';
import { type FlowerEnd, startFlower, tempFolder } from '../flowerProgram.js';
import { chainOf, commandLine } from './chain.js';
import { violations } from './violations.js';

export type Victim = 'flower' | 'harness';

/** One kill, and the run that it happens to. */
export interface Trial {
  readonly victim: Victim;
  readonly moment: Moment | PausedAt;
  /** After a kill of flower: the next start doesn't wait until the harness has noticed. */
  readonly atOnce: boolean;
  /** The run is one in which the coordinator hands over. @default false */
  readonly handsOver?: boolean;
  /** A shorter run, without a goal and a judge. @default false */
  readonly noGoal?: boolean;
}

/** A moment of a run, in a way that is the same on a slow machine and on a fast one. */
export interface Moment {
  /** The model has been asked so many times. */
  readonly requests: number;
  /** Milliseconds after that. */
  readonly afterMs: number;
}

/** Where flower stands still, as `FLOWER_PAUSE_AT` names it. */
export interface PausedAt {
  readonly pausedAt: string;
}

/** What the run was at when it was hit. */
export type Phase = 'start' | 'clarify' | 'set-goal' | 'work' | 'workers' | 'judge' | 'end';

export interface TrialEnd {
  readonly killed: boolean;
  readonly phase: Phase;
  /** What isn't as it was promised, one line each. */
  readonly violations: readonly string[];
  /** Milliseconds from the start to each request, and to the end of the first flower. */
  readonly timeline: readonly number[];
}

/** What a check looks at. */
export interface Scene {
  readonly sim: Sim;
  readonly workspace: string;
  readonly tmp: string;
  readonly kill: Kill | null;
  readonly ends: readonly FlowerEnd[];
  readonly handsOver: boolean;
  readonly noGoal: boolean;
}

/** The moment of the kill, as it was seen from outside. */
export interface Kill {
  readonly victim: Victim;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Requests that the model had got by then. */
  readonly requests: number;
  /**
   * The sessions that flower had recorded, if it stood still before recording one: its harness goes on meanwhile with a session that
   * is not heard of. Else null.
   */
  readonly recorded: readonly string[] | null;
  /** The outcome of the run stood in the books. */
  readonly settled: boolean;
  /** The processes that had been started by then. */
  readonly processes: readonly number[];
  /** Files that were there, in the workspace and among the notes. */
  readonly files: readonly string[];
}

/** Starts after which a run must have come to its end. */
const MOST_STARTS = 3;
/** A harness that was told that flower is dead, and its shells, are gone by then. */
const GONE_WITHIN_MS = 60_000;
/** No run takes so long: what has not come by then does not come. */
const ENDLESS_MS = 300_000;

/** Kills once, goes on as a person would, and looks at what became of the run. */
export async function runTrial(trial: Trial): Promise<TrialEnd> {
  const { moment, handsOver = false, noGoal = false } = trial;
  const folder = tempFolder('kill');
  const [workspace, tmp] = [join(folder.path, 'work'), join(folder.path, 'tmp')];
  mkdirSync(workspace);
  mkdirSync(tmp);
  const sim = await startSim({ script: chainOf({ handsOver }) });
  const start = (env: Readonly<Record<string, string>> = {}) =>
    startFlower(commandLine(workspace, { handsOver, noGoal }), { url: sim.url, env: { TMPDIR: tmp, ...env } });
  const broken: string[] = [];
  const ends: FlowerEnd[] = [];
  try {
    const from = Date.now();
    const first = start('pausedAt' in moment ? { FLOWER_PAUSE_AT: moment.pausedAt } : {});
    const kill = await hit(trial, { first, sim, workspace, tmp });
    if (kill?.victim === 'harness') broken.push(...(await besideTheNext(kill, first)));
    ends.push(await first.end);
    const timeline = [...sim.requests.map(({ at }) => at), Date.now()].map((at) => at - from);
    if (kill && trial.victim === 'flower') {
      if (!trial.atOnce && !(await until(() => processesOf(tmp).length === 0, GONE_WITHIN_MS))) {
        broken.push(`the harness lives on without flower: ${processesOf(tmp).join(', ')}`);
      }
      while (ends.at(-1)?.code !== 0 && ends.length <= MOST_STARTS) ends.push(await start().end);
    }
    if (!(await until(() => processesOf(tmp).length === 0, GONE_WITHIN_MS))) {
      broken.push(`processes left: ${processesOf(tmp).join(', ')}`);
    }
    broken.push(...(await violations({ sim, workspace, tmp, kill, ends, handsOver, noGoal })));
    return { killed: kill !== null, phase: kill ? phaseOf(sim, kill) : 'end', violations: broken, timeline };
  } finally {
    for (const left of processesOf(tmp)) sendSignal(left, 'SIGKILL');
    await sim.close();
    folder.remove();
  }
}

/** Kills the victim at its moment; null if the run was over before. A harness that isn't there then is waited for. */
async function hit(
  { victim, moment }: Trial,
  { first, sim, workspace, tmp }: { first: ReturnType<typeof startFlower>; sim: Sim; workspace: string; tmp: string },
): Promise<Kill | null> {
  let isOver = false;
  const ended = first.end.then(() => {
    isOver = true;
  });
  await Promise.race([ended, comes(moment, first, sim)]);
  const flower = first.pid ?? 0;
  const target = () => (victim === 'flower' ? flower : harnessOf(flower));
  await until(() => isOver || target() !== null);
  const pid = isOver ? null : target();
  const processes = processesOf(tmp);
  if (pid === null || !sendSignal(pid, 'SIGKILL')) return null;
  const at = Date.now();
  const files = [workspace, join(workspace, '.flower', 'notes')].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).map(({ name }) => join(folder, name)) : [],
  );
  const standsBefore = 'pausedAt' in moment && moment.pausedAt.startsWith('lineage.step:before');
  const recorded = standsBefore ? Object.values(Lineage.open(join(workspace, 'runs'), workspace).steps) : null;
  const settled = victim === 'flower' && (await isSettled(first, join(workspace, 'runs')));
  return { victim, at, requests: sim.requests.length, recorded, settled, processes, files };
}

/** Whatever the killed harness had started must be gone when the next one comes. */
async function besideTheNext({ processes }: Kill, flower: ReturnType<typeof startFlower>): Promise<string[]> {
  const hasNext = () => {
    const harness = harnessOf(flower.pid ?? 0);
    return harness !== null && !processes.includes(harness);
  };
  await until(() => hasNext() || flower.exitCode !== null);
  const left = processes.filter((pid) => pid !== flower.pid && processEntry(pid)?.isZombie === false);
  return left.length > 0 ? [`works on beside the next harness: ${left.join(', ')}`] : [];
}

async function isSettled({ end }: ReturnType<typeof startFlower>, runDir: string): Promise<boolean> {
  await end;
  const books = Books.peek(runDir);
  const outcome = books?.lastOutcome() ?? null;
  books?.close();
  return outcome !== null;
}

async function comes(moment: Trial['moment'], { stderr }: ReturnType<typeof startFlower>, sim: Sim): Promise<void> {
  if ('pausedAt' in moment) {
    let said = '';
    stderr?.on('data', (text: string) => {
      said += text;
    });
    await until(() => said.includes(`FLOWER_PAUSE_AT=${moment.pausedAt}`));
  } else {
    await until(() => sim.requests.length >= moment.requests);
    await setTimeout(moment.afterMs);
  }
}

function harnessOf(flower: number): number | null {
  const isHarness = (entry: ReturnType<typeof processEntries>[number]) =>
    entry.parent === flower && !entry.isZombie && entry.variable('FLOWER_OWNER') !== undefined;
  return processEntries().find(isHarness)?.pid ?? null;
}

/** Everything that a trial started has its temporary folder in its environment. */
function processesOf(tmp: string): number[] {
  return processEntries()
    .filter((entry) => !entry.isZombie && entry.variable('TMPDIR') === tmp)
    .map(({ pid }) => pid);
}

function phaseOf({ requests }: Sim, kill: Kill): Phase {
  const last = requests.slice(0, kill.requests).findLast(({ kind }) => kind === 'message');
  if (!last) return 'start';
  const role = roleOf(last);
  return ({ goal: 'set-goal', coordinator: 'work', worker: 'workers', oracle: 'end' } as const)[role as 'goal'] ?? role;
}

/** False if it took longer. */
async function until(isTrue: () => boolean, withinMs = ENDLESS_MS): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (!isTrue()) {
    if (Date.now() > deadline) return false;
    await setTimeout(10);
  }
  return true;
}
