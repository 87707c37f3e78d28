import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isInside, realPath } from '../../workbench/paths.js';

/** False where nothing shows what processes do (macOS, Windows). */
export const canSeeProcesses = existsSync('/proc/self/cwd');

/** Numbers of the processes that have their working folder or an open file below a folder. */
export function processesIn(folder: string): number[] {
  const root = realPath(folder);
  return processNumbers().filter((pid) => {
    const links = [`/proc/${pid}/cwd`, ...names(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`)];
    return links.some((link) => {
      const target = linkTarget(link);
      return target.startsWith('/') && isInside(root, target);
    });
  });
}

/** Numbers of the harnesses that a living flower has at work in a folder or below it. They wait there while a model thinks. */
export function harnessesIn(folder: string): number[] {
  const root = realPath(folder);
  return processNumbers().filter((pid) => {
    const cwd = linkTarget(`/proc/${pid}/cwd`);
    return (
      cwd.startsWith('/') && isInside(root, cwd) && `\0${textOf(`/proc/${pid}/environ`)}`.includes('\0FLOWER_OWNER=')
    );
  });
}

/** True if the process runs, and is the one that began at that tick of the system's clock and not a later one of the same number. */
export function isSameProcess(pid: number, startTicks: string): boolean {
  // "pid (name) state …"; the name may hold blanks and brackets, the start is the 22nd field.
  const stat = textOf(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] === startTicks;
}

function processNumbers(): number[] {
  return names('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** Other users' processes, and those that have just ended, show nothing. */
function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkTarget(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
