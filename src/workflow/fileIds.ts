import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** A larger file is known by size and time: reading gigabytes after every round would cost more than it tells. */
const MAX_READ = 32 * 1024 * 1024;
const AT_ONCE = 16;

/** Path, with `/`, to what identifies kind and content; as git names it, so that both can be compared. */
export type FileIds = Record<string, string>;

/** Folders that change without anybody working, or by flower itself. */
export class Excluded {
  readonly #root: string;
  readonly #folders: readonly string[];

  /** @param folders absolute paths */
  constructor(root: string, folders: readonly string[]) {
    this.#root = root;
    this.#folders = folders;
  }

  has(path: string): boolean {
    if (/(?:^|\/)(?:\.git|node_modules|\.claude\/worktrees)(?:\/|$)/.test(path)) return true;
    const absolute = join(this.#root, path);
    return this.#folders.some((folder) => absolute === folder || absolute.startsWith(folder + sep));
  }
}

/** Ids of these files; what is no file or link is left out, what is not there has the id ''. */
export async function fileIds(
  root: string,
  paths: readonly string[],
  options: { readonly sha256?: boolean } = {},
): Promise<FileIds> {
  const ids: FileIds = {};
  const waiting = [...paths].reverse();
  const work = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const id = await idOf(join(root, path), options.sha256 ?? false);
      if (id !== null) ids[path] = id;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ids;
}

/** All files and links below a folder, sorted, at most so many. Links are not followed. */
export async function filesBelow(root: string, folder: string, excluded: Excluded, limit: number): Promise<string[]> {
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && found.length < limit; next = folders.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    entries.sort((a, b) => (a.name < b.name ? 1 : -1));
    for (const entry of entries) {
      const path = relative(root, join(next, entry.name)).split(sep).join('/');
      if (excluded.has(path)) continue;
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
    }
  }
  return found.sort().slice(0, limit);
}

/** The id of a blob that git lists, with the kind that its mode says. */
export function listedId(mode: string, blob: string): string {
  return kindMark(mode === '100755', mode === '120000') + blob;
}

async function idOf(path: string, sha256: boolean): Promise<string | null> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() && !stats.isSymbolicLink()) return null;
    const mark = kindMark((stats.mode & 0o100) !== 0, stats.isSymbolicLink());
    if (stats.size > MAX_READ) return `${mark}${stats.size}@${stats.mtimeMs}`;
    const content = stats.isSymbolicLink() ? Buffer.from(await readlink(path)) : await readFile(path);
    return mark + blobHash(content, sha256);
  } catch {
    return '';
  }
}

function kindMark(isExecutable: boolean, isLink: boolean): string {
  return isLink ? 'link ' : isExecutable ? 'x ' : '';
}

function blobHash(content: Buffer, sha256: boolean): string {
  return createHash(sha256 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex');
}
