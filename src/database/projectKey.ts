import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFault } from './faults.js';
import { prepareRunDir, realPath, writeOnce } from './runDir.js';

export interface ProjectKeyOptions {
  /** The workspace that the sessions work in. */
  readonly workspace: string;
  /** The project keys that the session store holds. */
  readonly stored: readonly string[];
  /** The workspace path that an existing lineage names, if it is another one. */
  readonly lineagePath?: string | undefined;
}

/**
 * The project key that the SDK derives from a working directory: its real path with every UTF-16 unit outside `[A-Za-z0-9]`
 * replaced by `-`; a long one is cut and gets a hash. Only for run directories without a `project.json`.
 *
 * @example
 * pathProjectKey('/home/ann/my app'); // '-home-ann-my-app'
 */
export function pathProjectKey(workspace: string): string {
  const path = process.platform === 'darwin' ? realPath(workspace).normalize('NFC') : realPath(workspace);
  const key = path.replace(/[^A-Za-z0-9]/g, '-');
  return key.length <= longestPathKey ? key : `${key.slice(0, longestPathKey)}-${rollingHash(path)}`;
}

/**
 * The project key of a run directory: what its `project.json` holds, so that a moved or copied directory continues. Without that
 * file it is the key of an older directory's sessions, found in the store, else a fresh id; it is then written down for good.
 *
 * @throws FlowerError if the file cannot be written.
 *
 * @example
 * const key = projectKeyOf('/home/ann/app/runs', { workspace: '/home/ann/app', stored: await store.projects() });
 */
export function projectKeyOf(runDir: string, options: ProjectKeyOptions): string {
  const path = join(runDir, 'project.json');
  try {
    const content = readIfThere(path);
    const kept = content && keyIn(content);
    if (kept) return kept;
    prepareRunDir(runDir);
    if (content !== null) renameSync(path, `${path}.corrupt-${Date.now()}`);
    const key = storedKey(options) ?? `flower-${randomBytes(8).toString('hex')}`;
    writeOnce(path, `${JSON.stringify({ key })}\n`, 'project-key');
    return keyIn(readIfThere(path) ?? '') ?? key;
  } catch (error) {
    throw databaseFault(error, path) ?? error;
  }
}

const longestPathKey = 200;

function rollingHash(path: string): string {
  let hash = 0;
  for (let i = 0; i < path.length; i += 1) hash = (Math.imul(hash, 31) + path.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(36);
}

/** The rule of earlier flower. */
function earlierKey(workspace: string): string {
  return realPath(workspace).replace(/[/_.]/g, '-');
}

function storedKey({ workspace, stored, lineagePath }: ProjectKeyOptions): string | null {
  const paths = lineagePath ? [workspace, lineagePath] : [workspace];
  const known = new Set(paths.flatMap((path) => [pathProjectKey(path), earlierKey(path)]));
  const found = stored.filter((key) => known.has(key));
  if (found.length === 1) return found[0] ?? null;
  if (found.length > 1) return pathProjectKey(workspace);
  // Sessions without their project.json: the id is still unmistakable.
  const own = stored.filter((key) => /^flower-[0-9a-f]{16}$/.test(key));
  return own.length === 1 ? (own[0] ?? null) : null;
}

/** What is no file, such as a folder, holds no key either. */
function readIfThere(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  return stats.isFile() ? readFileSync(path, 'utf8') : '';
}

function keyIn(content: string): string | null {
  try {
    const { key } = Object(JSON.parse(content)) as { key?: unknown };
    return typeof key === 'string' && key !== '' ? key : null;
  } catch {
    return null;
  }
}
