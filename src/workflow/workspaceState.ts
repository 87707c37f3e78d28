import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { type Git, hardenedGit } from '../guards/worktrees/hardenedGit.js';
import { Excluded, type FileIds, fileIds, filesBelow, listedId } from './fileIds.js';

const MAX_FILES = 20_000;

/** How a workspace was at one moment. In a repository `files` holds what differs from `head`, elsewhere everything. */
export interface WorkspaceState {
  /** The commit; `''` in a repository without one, null outside of any. */
  readonly head: string | null;
  readonly files: FileIds;
}

export interface FileChange {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly kind: 'new' | 'changed' | 'gone';
}

/**
 * Takes the state of a workspace without writing a byte and without starting a program that its configuration names. Left out are
 * `.git`, `.claude/worktrees`, `node_modules` and the folders given.
 *
 * @param exclude absolute paths: run directory and workbench
 * @example
 * const before = await workspaceState('/home/ann/app', ['/home/ann/app/runs', '/home/ann/app/.flower']);
 */
export async function workspaceState(workspace: string, exclude: readonly string[]): Promise<WorkspaceState> {
  const root = realpathSync(workspace);
  const excluded = new Excluded(root, exclude);
  return (await repositoryState(root, excluded)) ?? folderState(root, excluded);
}

/** True if nothing happened between the two: no file is another one, no commit was made. */
export function isSameState(a: WorkspaceState, b: WorkspaceState): boolean {
  const paths = Object.keys(a.files);
  return (
    a.head === b.head &&
    paths.length === Object.keys(b.files).length &&
    paths.every((path) => a.files[path] === b.files[path])
  );
}

/** The files that differ between two states, the second of which is that of now; sorted by path. The same is left out. */
export async function changedFiles(
  workspace: string,
  then: WorkspaceState,
  now: WorkspaceState,
  exclude: readonly string[],
): Promise<FileChange[]> {
  const excluded = new Excluded(realpathSync(workspace), exclude);
  const committedThen = await committedFiles(workspace, then.head);
  const committedNow = then.head === now.head ? committedThen : await committedFiles(workspace, now.head);
  const paths = new Set([...Object.keys(then.files), ...Object.keys(now.files)]);
  for (const tree of committedThen === committedNow ? [] : [committedThen, committedNow]) {
    for (const path of tree.keys()) if (committedThen.get(path) !== committedNow.get(path)) paths.add(path);
  }
  // In a folder that has become a repository, what the commit lacks and nothing lists any more is ignored now.
  const isListed = (path: string) => path in now.files || committedNow.has(path);
  const becameRepository = then.head === null && now.head !== null;
  const ignored = becameRepository
    ? await fileIds(
        workspace,
        [...paths].filter((path) => !isListed(path)),
      )
    : {};

  const changes: FileChange[] = [];
  for (const path of paths) {
    const before = then.files[path] ?? committedThen.get(path) ?? '';
    const after = now.files[path] ?? committedNow.get(path) ?? ignored[path] ?? '';
    if (before !== after && !excluded.has(path))
      changes.push({ path, kind: before === '' ? 'new' : after === '' ? 'gone' : 'changed' });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function folderState(root: string, excluded: Excluded): Promise<WorkspaceState> {
  return { head: null, files: await fileIds(root, await filesBelow(root, root, excluded, MAX_FILES)) };
}

/** How a raw comparison is asked for. It compares no contents, so that no filter of the repository is run. */
const RAW = ['--raw', '-z', '--no-renames', '--relative', '--ignore-submodules=all'];
/** A repository's own settings can tell git to overlook a change. */
const STRICTLY = ['-c', 'core.trustctime=true', '-c', 'core.checkStat=default', '-c', 'core.fileMode=true'];

async function repositoryState(root: string, excluded: Excluded): Promise<WorkspaceState | null> {
  const git = await hardenedGit(root);
  if (!(await shows(git, root))) return null;
  const [named, index, others, touched] = await Promise.all([
    git(['rev-parse', '-q', '--verify', 'HEAD']),
    list(git, ['ls-files', '-s', '-v', '-z']),
    list(git, ['ls-files', '-o', '--exclude-standard', '-z']),
    list(git, [...STRICTLY, 'diff-files', ...RAW]),
  ]);
  const head = named.stdout.trim();
  const staged = head && (await list(git, ['diff-index', '--cached', ...RAW, head]));
  if (!index || !others || !touched || staged === null) return null;

  const tracked = index.flatMap(indexEntry);
  const uncommitted = new Set(head ? rawPaths(staged || []) : tracked.map(({ path }) => path));
  const overlooked = tracked.filter(
    ({ path, tag }) => /[a-z]/.test(tag) || (tag === 'S' && existsSync(`${root}/${path}`)),
  );
  const candidates = new Set([...uncommitted, ...rawPaths(touched), ...overlooked.map(({ path }) => path)]);
  const folders = tracked.filter(({ mode }) => mode === '160000').map(({ path }) => path);
  for (const path of others) {
    if (path.endsWith('/')) folders.push(path.slice(0, -1));
    else candidates.add(path);
  }
  for (const folder of folders) {
    candidates.delete(folder);
    for (const path of await filesBelow(root, `${root}/${folder}`, excluded, MAX_FILES)) candidates.add(path);
  }
  const wanted = [...candidates].filter((path) => !excluded.has(path)).slice(0, MAX_FILES);
  const files = await fileIds(root, wanted, { sha256: head.length === 64 });
  // What was only touched has the content that the commit has.
  for (const { path, mode, blob } of tracked) {
    if (!uncommitted.has(path) && files[path] === listedId(mode, blob)) delete files[path];
  }
  return { head, files };
}

/** A repository can name another folder as its working tree, and one that ignores this folder shows nothing of it. */
async function shows(git: Git, root: string): Promise<boolean> {
  const top = (await git(['rev-parse', '--show-toplevel'])).stdout.trim();
  if (!top || !(root === top || root.startsWith(top + sep))) return false;
  return !(await git(['check-ignore', '-q', '.'])).ok;
}

/** What a commit holds below a folder. */
async function committedFiles(workspace: string, head: string | null): Promise<Map<string, string>> {
  if (!head) return new Map();
  const lines = (await list(await hardenedGit(workspace), ['ls-tree', '-r', '-z', head])) ?? [];
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const [, mode, blob, path] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      return mode && blob && path ? [[path, listedId(mode, blob)]] : [];
    }),
  );
}

/** What a command lists with a NUL behind each; null if it failed. */
async function list(git: Git, args: readonly string[]): Promise<string[] | null> {
  const { ok, stdout } = await git(args);
  return ok ? stdout.split('\0').slice(0, -1) : null;
}

interface Tracked {
  readonly path: string;
  readonly mode: string;
  readonly blob: string;
  /** A small letter: git was told to take the file for unchanged. `S`: to leave it out, which it is not if it is there. */
  readonly tag: string;
}

function indexEntry(line: string): Tracked[] {
  const [, tag, mode, blob, path] = /^(\S) (\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(line) ?? [];
  return tag && mode && blob && path ? [{ tag, mode, blob, path }] : [];
}

/** The paths of `--raw -z`, which gives a line of modes, blobs and a letter, then the path. */
function rawPaths(items: readonly string[]): string[] {
  return items.filter((_item, i) => i % 2 === 1);
}
