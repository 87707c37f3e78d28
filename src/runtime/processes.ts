import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process, as Linux shows it in `/proc`. */
export interface ProcessEntry {
  readonly pid: number;
  /** The process that it belongs to; 1 or a supervisor once the one that began it is gone. */
  readonly parent: number;
  /** Its process group, which has the number of the process that began the group. */
  readonly group: number;
  /** It has ended, and only its parent has not asked how. */
  readonly isZombie: boolean;
  /** Seconds since it began. */
  ageS(): number;
  /** A variable of the environment that it was started with; undefined also where this user may not look. */
  variable(name: string): string | undefined;
}

/** All processes that this user can see. Empty on a system that does not show them as files, which is all but Linux. */
export function processEntries(): ProcessEntry[] {
  const isShown = process.platform === 'linux' && existsSync('/proc');
  const pids = isShown ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.map((pid) => processEntry(Number(pid))).filter((entry) => entry !== null);
}

/** One process; null if there is none, or none to be seen. */
export function processEntry(pid: number): ProcessEntry | null {
  const stat = read(`/proc/${pid}/stat`);
  if (!stat) return null;
  // The second field is a name in brackets, which may hold anything.
  const [state = '', parent, group, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    isZombie: 'ZX'.includes(state),
    ageS: () => Number.parseFloat(read('/proc/uptime') ?? '') - Number(more[START]) / TICKS_PER_S,
    variable: (name) => variableIn(read(`/proc/${pid}/environ`) ?? '', name),
  };
}

/** Is there a process of this number? */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It may be somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Sends a signal; false if the process is gone or is not this user's to end. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Where the start stands behind the group, and its unit, which Linux shows to programs as hundredths everywhere. */
const START = 16;
const TICKS_PER_S = 100;

function variableIn(environment: string, name: string): string | undefined {
  const found = environment.split('\0').find((entry) => entry.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
