import { existsSync, linkSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type DurableWrite, durably } from '../durableWrites.js';

/**
 * Creates the run directory and puts a `.gitignore` with `*` into it if it has none: a worker's `git add -A` must not commit
 * transcripts. Gives its real path.
 *
 * @example
 * const runDir = prepareRunDir('/home/ann/app/runs');
 */
export function prepareRunDir(runDir: string): string {
  mkdirSync(runDir, { recursive: true });
  writeOnce(join(runDir, '.gitignore'), '*\n', 'directory');
  return realpathSync(runDir);
}

/**
 * Writes a file that does not exist yet, whole or not at all. One that exists stays as it is, also if another process creates
 * it at the same moment. True if this call wrote it.
 */
export function writeOnce(path: string, content: string, write: DurableWrite): boolean {
  if (existsSync(path)) return false;
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, content, { flush: true });
    return durably(write, () => linkOnce(temporary, path) ?? writeExclusively(path, content));
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Removes the files of a folder whose name matches: what a process left behind that died while it wrote something. */
export function removeLeftovers(folder: string, name: RegExp): void {
  for (const found of readdirSync(folder).filter((candidate) => name.test(candidate))) {
    rmSync(join(folder, found), { force: true });
  }
}

/**
 * The real path of something that perhaps does not exist yet: links are followed as far as the path exists.
 *
 * @example
 * realPath('/tmp/not-there-yet'); // '/private/tmp/not-there-yet' on macOS
 */
export function realPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPath(parent), basename(absolute));
  }
}

/** Null on a file system without hard links. */
function linkOnce(existing: string, path: string): boolean | null {
  try {
    linkSync(existing, path);
    return true;
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? false : null;
  }
}

/** Not atomic, but still never over an existing file. */
function writeExclusively(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
