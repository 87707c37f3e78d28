import { setTimeout } from 'node:timers/promises';
import { isRunning, type ProcessEntry, processEntries, processEntry, sendSignal } from './processes.js';

/** Who started a process, directly or through others: what the mark in its environment says behind the project key. */
export interface Owner {
  readonly pid: number;
  /** Unix seconds: a moment at which that flower was running. */
  readonly startedAt: number;
}

export interface LeftoverOptions {
  /** Seconds that a process has to end by itself before it is killed. @default 5 */
  readonly graceS?: number;
}

/**
 * Ends what a dead flower of this project left behind and gives the number of processes: those whose mark `FLOWER_OWNER` names the
 * project and a flower that no longer runs, harnesses as well as their shells, and in the process groups that such a process began
 * those without any mark. Without it a harness would work, and spend, to the end of its turn.
 *
 * Only Linux shows what environment a process has; elsewhere nothing is found and nothing is ended.
 *
 * @example
 * const ended = await endLeftovers(runtime.projectKey);
 */
export async function endLeftovers(projectKey: string, options: LeftoverOptions = {}): Promise<number> {
  const { graceS = 5 } = options;
  if (!(graceS >= 0)) throw new TypeError(`endLeftovers: graceS must be a number from 0 on, got ${graceS}`);
  return endAll((entry) => isMarkOfDead(entry.variable('FLOWER_OWNER'), projectKey), graceS);
}

/**
 * Ends what a harness started and left: what has this mark, of one query or of all queries of a Runtime, and in the process groups
 * that such a process began those without any. To be called once the harness is gone.
 */
export async function endMarked(variable: 'FLOWER_QUERY' | 'FLOWER_OWNER', mark: string): Promise<void> {
  await endAll((entry) => entry.variable(variable) === mark, MARKED_GRACE_S);
}

/** Asks them to end, then kills them; looks again until there is none, as they may start others. Gives their number. */
async function endAll(isLeft: (entry: ProcessEntry) => boolean, graceS: number): Promise<number> {
  const killAt = performance.now() + graceS * 1000;
  const groups = new Set<number>();
  const told = new Set<number>();
  const refused = new Set<number>();
  for (;;) {
    const left = findLeft(isLeft, groups).filter((pid) => !refused.has(pid));
    const now = performance.now();
    if (left.length === 0 || now > killAt + GIVE_UP_AFTER_MS) return told.size - left.length;
    for (const pid of left) {
      if (told.has(pid) && now < killAt) continue;
      // Another user's, or gone already.
      if (sendSignal(pid, now < killAt ? 'SIGTERM' : 'SIGKILL')) told.add(pid);
      else refused.add(pid);
    }
    await setTimeout(LOOK_EVERY_MS);
  }
}

/**
 * Does this flower still run? A process that began after the flower was seen has only got the same number. Where that cannot be
 * told, a process of this number counts as alive.
 */
export function isOwnerAlive({ pid, startedAt }: Owner): boolean {
  if (pid === process.pid) return true;
  if (!isRunning(pid)) return false;
  const entry = processEntry(pid);
  if (entry === null) return true;
  return !entry.isZombie && Date.now() / 1000 - entry.ageS() <= startedAt + CLOCK_STEP_S;
}

const LOOK_EVERY_MS = 100;
/** A session or a person waits for it. */
const MARKED_GRACE_S = 2;
/** A process that even a kill does not end hangs in the system. */
const GIVE_UP_AFTER_MS = 2000;
/** So far the clock may have been set between the two moments that are compared; no number comes round again in that time. */
const CLOCK_STEP_S = 5;

/** @param groups those that such processes began; grows, as who began a group may end before the rest of it */
function findLeft(isLeft: (entry: ProcessEntry) => boolean, groups: Set<number>): number[] {
  const entries = processEntries().filter((entry) => !entry.isZombie);
  const spared = ownLine(entries);
  const others = entries.filter(({ pid }) => !spared.has(pid));
  const left = new Set(others.filter(isLeft));
  for (const { pid, group } of left) if (pid === group) groups.add(group);
  for (const entry of others) {
    if (groups.has(entry.group) && entry.variable('FLOWER_OWNER') === undefined) left.add(entry);
  }
  return [...left].map(({ pid }) => pid);
}

/** This process and those that it runs in. */
function ownLine(entries: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(entries.map(({ pid, parent }) => [pid, parent]));
  const line = new Set<number>();
  for (let pid = process.pid; pid > 0 && !line.has(pid); pid = parents.get(pid) ?? 0) line.add(pid);
  return line;
}

function isMarkOfDead(mark: string | undefined, projectKey: string): boolean {
  const [, key, pid, startedAt] = /^(.+):([1-9]\d*):(\d+(?:\.\d+)?)$/.exec(mark ?? '') ?? [];
  return key === projectKey && !isOwnerAlive({ pid: Number(pid), startedAt: Number(startedAt) });
}
