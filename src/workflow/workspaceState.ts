import { realpathSync } from 'node:fs';
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
 * const before = await workspaceState('/work/app', ['/work/app/runs', '/work/app/.flower']);
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

/** The files that differ between two states, the second of which is that of now; sorted by path. */
export async function changedFiles(
  workspace: string,
  then: WorkspaceState,
  now: WorkspaceState,
): Promise<FileChange[]> {
  const committed = await commits(workspace, then.head, now.head);
  // In a folder that has become a repository, what the commit lacks and nothing lists any more is ignored now.
  const ignored =
    then.head === null && now.head !== null
      ? Object.keys(then.files).filter((path) => !(path in now.files) && !committed.has(path))
      : [];
  const present = { ...(await fileIds(workspace, ignored)), ...now.files };
  // What the state of a repository does not list is as its commit has it; elsewhere it is not there.
  const unlisted = (head: string | null, id: string | undefined) => (head ? (id ?? 'as committed') : '');
  const changes: FileChange[] = [];
  for (const path of new Set([...Object.keys(then.files), ...Object.keys(now.files), ...committed.keys()])) {
    const [from, to] = committed.get(path) ?? [];
    const before = then.files[path] ?? unlisted(then.head, from);
    const after = present[path] ?? unlisted(now.head, to);
    if (before !== after) changes.push({ path, kind: before === '' ? 'new' : after === '' ? 'gone' : 'changed' });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function folderState(root: string, excluded: Excluded): Promise<WorkspaceState> {
  return { head: null, files: await fileIds(root, await filesBelow(root, root, excluded, MAX_FILES)) };
}

async function repositoryState(root: string, excluded: Excluded): Promise<WorkspaceState | null> {
  const git = await hardenedGit(root);
  const top = (await git(['rev-parse', '--show-toplevel'])).stdout.trim();
  // A repository can name another folder as its working tree, and one that ignores this folder shows nothing of it.
  if (!top || !(root === top || root.startsWith(top + sep)) || (await git(['check-ignore', '-q', '.'])).ok) return null;
  const head = (await git(['rev-parse', '-q', '--verify', 'HEAD'])).stdout.trim();
  const index = await list(git, ['ls-files', '-s', '-z']);
  const others = await list(git, ['ls-files', '-o', '--exclude-standard', '-z']);
  if (!index || !others) return null;

  // None of these compares contents, so that no filter of the repository is run. A file that was only touched comes along.
  const raw = ['--raw', '-z', '--no-renames', '--relative', '--ignore-submodules=all'];
  const staged = head && (await list(git, ['diff-index', '--cached', ...raw, head]));
  const touched = await list(git, ['diff-files', ...raw]);
  const tracked = new Map(index.flatMap((line) => indexEntry(line)));
  const changed = head ? [...rawChanges(staged || []).keys()] : [...tracked.keys()];
  const candidates = new Set([...changed, ...rawChanges(touched ?? []).keys()]);
  const folders = [...tracked].filter(([, { mode }]) => mode === '160000').map(([path]) => path);
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
  // Touched, with the content that the commit has.
  const committed = new Set(changed);
  for (const [path, { mode, blob }] of tracked) {
    if (!committed.has(path) && files[path] === listedId(mode, blob)) delete files[path];
  }
  return { head, files };
}

/** What differs between two commits, either of which may be none: path to the ids before and after. */
async function commits(
  workspace: string,
  from: string | null,
  to: string | null,
): Promise<Map<string, [string, string]>> {
  if (from === to) return new Map();
  const git = await hardenedGit(workspace);
  if (from && to) {
    return rawChanges(
      (await list(git, ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--relative', from, to])) ?? [],
    );
  }
  const tree = (await list(git, ['ls-tree', '-r', '-z', from || to || ''])) ?? [];
  return new Map(
    tree.flatMap((line): [string, [string, string]][] => {
      const [, mode, blob, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      const id = mode && blob ? listedId(mode, blob) : '';
      return path ? [[path, from ? [id, ''] : ['', id]]] : [];
    }),
  );
}

/** What a command lists with a NUL behind each; null if it failed. */
async function list(git: Git, args: readonly string[]): Promise<string[] | null> {
  const { ok, stdout } = await git(args);
  return ok ? stdout.split('\0').slice(0, -1) : null;
}

function indexEntry(line: string): [string, { mode: string; blob: string }][] {
  const [, mode, blob, path] = /^(\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(line) ?? [];
  return mode && blob && path ? [[path, { mode, blob }]] : [];
}

/** Reads `--raw -z`: a line of modes, blobs and a letter, then the path. */
function rawChanges(items: readonly string[]): Map<string, [string, string]> {
  const changes = new Map<string, [string, string]>();
  for (let i = 0; i + 1 < items.length; i += 2) {
    const [, modeBefore = '', modeAfter = '', before = '', after = ''] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(items[i] ?? '') ?? [];
    const id = (mode: string, blob: string) => (/^0+$/.test(mode) ? '' : listedId(mode, blob));
    changes.set(items[i + 1] ?? '', [id(modeBefore, before), id(modeAfter, after)]);
  }
  return changes;
}
