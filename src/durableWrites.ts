import { writeSync } from 'node:fs';

/** Every write that must outlast the process, by name. `books.other`: a transaction that has no name of its own. */
export const DURABLE_WRITES = [
  'directory',
  'project-key',
  'lock',
  'database.open',
  'database.schema',
  'store.append',
  'store.import',
  'store.delete',
  'books.run',
  'books.steps',
  'books.events',
  'books.outcome',
  'books.kept',
  'books.mail',
  'books.other',
  'lineage.step',
  'lineage.wake',
  'lineage.archive',
  'view.manifest',
  'view.lineage',
  'document.brief',
  'document.goal',
  'document.amendment',
  'document.handoff',
  'document.report',
  'handoff.archive',
] as const;

export type DurableWrite = (typeof DURABLE_WRITES)[number];

/** The instant right before such a write can be seen by others, or right after. */
export type PausePoint = `${DurableWrite}:before` | `${DurableWrite}:after`;

type Observer = (point: PausePoint) => void;

/** Says that the process is at a point. */
export function reach(point: PausePoint): void {
  observer?.(point);
}

/** Makes a write between its two points. */
export function durably<T>(write: DurableWrite, work: () => T): T {
  reach(`${write}:before`);
  const result = work();
  reach(`${write}:after`);
  return result;
}

/**
 * Installs what hears of each point, or takes it away with null.
 *
 * @example
 * let left = 3;
 * observeDurableWrites(() => { if (--left === 0) process.kill(process.pid, 'SIGKILL'); });
 */
export function observeDurableWrites(observe: Observer | null): void {
  observer = observe;
}

/**
 * For a test that has to hold one exact instant of a program: `FLOWER_PAUSE_AT=books.steps:before` makes the process say so on
 * standard error and stand still there, until it is killed; `books.steps:before#3` at the third time. Read once, when this module is
 * loaded and before any file is, so that only whoever starts the process can set it.
 *
 * @throws TypeError for a point that there is not: a test would wait for ever
 */
function pauseAt(wanted: string): Observer {
  const [, point, write, time = '1'] = /^(([a-z.-]+):(?:before|after))(?:#([1-9]\d*))?$/.exec(wanted) ?? [];
  if (!DURABLE_WRITES.some((name) => name === write)) {
    throw new TypeError(`${VARIABLE} must be a durable write with :before or :after, got ${wanted}`);
  }
  let left = Number(time);
  return (reached) => {
    if (reached !== point) return;
    left -= 1;
    if (left !== 0) return;
    writeSync(2, `${VARIABLE}=${wanted}\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}

const VARIABLE = 'FLOWER_PAUSE_AT';
let observer: Observer | null = process.env[VARIABLE] ? pauseAt(process.env[VARIABLE]) : null;
