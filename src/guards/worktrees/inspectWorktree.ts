import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { realPath } from '../../workbench/paths.js';
import { type Git, hardenedGit } from './hardenedGit.js';
import { canSeeProcesses, isSameProcess, processesIn } from './processesIn.js';

/**
 * `clean`: everything in it is on another branch, a tag or a remote as well. `missing`: the folder is gone. `unknown`: git could not
 * tell, which counts as not clean.
 */
export type WorktreeState = 'clean' | 'missing' | 'unmerged' | 'unsaved' | 'busy' | 'unknown';

/** An entry of `git worktree list`. */
export interface WorktreeEntry {
  readonly path: string;
  /** Short name; null if HEAD is detached. */
  readonly branch: string | null;
  /** The commit of HEAD. */
  readonly head: string;
  /** Why it is locked (may be `''`); null if it isn't. */
  readonly lock: string | null;
}

/** What a worktree holds that would be lost with it. */
export interface WorktreeFindings {
  /** Staged, changed and untracked files, and those that git was told not to look at. */
  readonly files: readonly string[];
  /** Ignored files and folders: no commit holds them. */
  readonly ignored: readonly string[];
  /** Commits, those in its reflog included, that no other branch, tag or remote holds. */
  readonly commits: number;
  /** What is in the middle of being done, such as `rebase-merge`. */
  readonly operations: readonly string[];
  /** Processes that work there. */
  readonly processes: readonly number[];
  /** Submodules with files or commits of their own. */
  readonly submodules: readonly string[];
  /** It has submodules, which git only removes with force. */
  readonly hasSubmodules: boolean;
}

export interface WorktreeReport extends WorktreeEntry {
  readonly state: WorktreeState;
  readonly findings: WorktreeFindings;
}

const NOTHING: WorktreeFindings = {
  files: [],
  ignored: [],
  commits: 0,
  operations: [],
  processes: [],
  submodules: [],
  hasSubmodules: false,
};
/** Files in the git folder of a worktree that say that something is in progress. */
const IN_PROGRESS = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
];

/**
 * Looks at one worktree without changing anything. `repository` is a folder of the main checkout.
 *
 * @example
 * const { state, findings } = await inspectWorktree('/home/me/project', entry);
 */
export async function inspectWorktree(repository: string, entry: WorktreeEntry): Promise<WorktreeReport> {
  if (!existsSync(entry.path)) {
    const commits = await unreachable(await hardenedGit(repository), entry, [entry.head]);
    const state = commits === null ? 'unknown' : commits > 0 ? 'unmerged' : 'missing';
    return { ...entry, state, findings: { ...NOTHING, commits: commits ?? 0 } };
  }
  const findings = await findingsOf(entry);
  return { ...entry, state: findings ? stateOf(entry, findings) : 'unknown', findings: findings ?? NOTHING };
}

function stateOf(entry: WorktreeEntry, findings: WorktreeFindings): WorktreeState {
  if (isLocked(entry) || findings.processes.length > 0 || findings.operations.length > 0) return 'busy';
  if (findings.files.length > 0 || findings.ignored.length > 0 || findings.submodules.length > 0) return 'unsaved';
  return findings.commits > 0 ? 'unmerged' : 'clean';
}

/**
 * The harness locks a worktree while its worker runs, and names its process in the reason. After a crash that lock means nothing any
 * more; every other one is a person's.
 */
export function isLocked({ lock }: WorktreeEntry): boolean {
  const [, pid, start] = /^claude agent .*\(pid (\d+) start (\d+)\)$/.exec(lock ?? '') ?? [];
  if (pid === undefined || start === undefined || !canSeeProcesses) return lock !== null;
  return isSameProcess(Number(pid), start);
}

/** Null if git fails at any question. */
async function findingsOf(entry: WorktreeEntry): Promise<WorktreeFindings | null> {
  const git = await hardenedGit(entry.path);
  const [top, gitFolder] = await lines(git, ['rev-parse', '--show-toplevel', '--absolute-git-dir']);
  // With its `.git` gone, git would take the checkout around it.
  if (!top || !gitFolder || realPath(top) !== realPath(entry.path)) return null;

  const status = await statusOf(git, entry.path);
  const refs = await git(['for-each-ref', '--format=%(refname)', 'refs/worktree', 'refs/bisect', 'refs/rewritten']);
  const logged = await git(['log', '-g', '--format=%H', 'HEAD', '--']);
  if (!status || !refs.ok || !logged.ok) return null;
  const commits = await unreachable(git, entry, ['HEAD', ...logged.stdout.split('\n').filter(Boolean)]);
  const submodules = await troubledSubmodules(git, entry.path, gitFolder);
  if (commits === null || submodules === null) return null;
  return {
    ...status,
    commits,
    operations: [
      ...IN_PROGRESS.filter((name) => existsSync(join(gitFolder, name))),
      ...refs.stdout.split('\n').filter(Boolean),
    ],
    processes: processesIn(entry.path),
    ...submodules,
  };
}

async function statusOf(git: Git, folder: string): Promise<Pick<WorktreeFindings, 'files' | 'ignored'> | null> {
  const shown = await git([
    'status',
    '--porcelain',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignored=matching',
    '--ignore-submodules=all',
  ]);
  const flagged = await git(['ls-files', '-v', '-z']);
  if (!shown.ok || !flagged.ok) return null;
  const entries = shown.stdout.split('\0').filter(Boolean);
  // Lower case: git was told to assume that the file is unchanged. `S`: to leave it out, which is a lie if it is there.
  const hidden = flagged.stdout
    .split('\0')
    .filter((line) => /^[a-z]/.test(line) || (/^[Ss] /.test(line) && existsSync(join(folder, line.slice(2)))));
  return {
    files: [...entries.filter((entry) => !entry.startsWith('!!')), ...hidden].map((entry) =>
      entry.replace(/^(?:..|.) /, ''),
    ),
    ignored: entries.filter((entry) => entry.startsWith('!!')).map((entry) => entry.slice(3)),
  };
}

/** How many of the commits behind the tips would be lost with this worktree and its branch. */
async function unreachable(git: Git, entry: WorktreeEntry, tips: readonly string[]): Promise<number | null> {
  const own = entry.branch === null ? [] : [`--exclude=${entry.branch}`];
  const branch = entry.branch === null ? [] : [`refs/heads/${entry.branch}`];
  const distinct = [...new Set([...branch, ...tips])];
  const { ok, stdout } = await git([
    'rev-list',
    '--count',
    '--ignore-missing',
    ...distinct,
    '--not',
    ...own,
    '--branches',
    '--tags',
    '--remotes',
  ]);
  return ok ? Number(stdout) : null;
}

/**
 * The submodules of a worktree live in its own git folder and are gone with it: their files and every commit that their remote
 * hasn't got.
 */
async function troubledSubmodules(
  git: Git,
  folder: string,
  gitFolder: string,
): Promise<Pick<WorktreeFindings, 'submodules' | 'hasSubmodules'> | null> {
  const index = await git(['ls-files', '-s', '-z']);
  if (!index.ok) return null;
  const links = index.stdout
    .split('\0')
    .filter((line) => line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1));
  const troubled: string[] = [];
  for (const link of links.filter((path) => existsSync(join(folder, path, '.git')))) {
    if (!(await isSubmoduleSaved(join(folder, link)))) troubled.push(link);
  }
  // Those that are not checked out now, too.
  for (const module of moduleFolders(join(gitFolder, 'modules'))) {
    if (!(await holdsNothingOfItsOwn(await hardenedGit(module), ['--git-dir', module]))) {
      troubled.push(relative(join(gitFolder, 'modules'), module));
    }
  }
  return {
    submodules: [...new Set(troubled)],
    hasSubmodules: links.length > 0 || existsSync(join(gitFolder, 'modules')),
  };
}

async function isSubmoduleSaved(folder: string): Promise<boolean> {
  const git = await hardenedGit(folder);
  const [top, gitFolder] = await lines(git, ['rev-parse', '--show-toplevel', '--absolute-git-dir']);
  if (!top || !gitFolder || realPath(top) !== realPath(folder)) return false;
  const status = await statusOf(git, folder);
  const inner = await troubledSubmodules(git, folder, gitFolder);
  const isClean = status?.files.length === 0 && status.ignored.length === 0 && inner?.submodules.length === 0;
  return isClean && (await holdsNothingOfItsOwn(git, []));
}

async function holdsNothingOfItsOwn(git: Git, where: readonly string[]): Promise<boolean> {
  const { ok, stdout } = await git([
    ...where,
    'rev-list',
    '--count',
    '--all',
    '--reflog',
    'HEAD',
    '--not',
    '--remotes',
  ]);
  return ok && Number(stdout) === 0;
}

/** Git folders of submodules; a submodule's name may hold slashes, and it may have submodules itself. */
function moduleFolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const path = join(folder, name);
      return existsSync(join(path, 'HEAD')) ? [path, ...moduleFolders(join(path, 'modules'))] : moduleFolders(path);
    });
}

async function lines(git: Git, args: readonly string[]): Promise<string[]> {
  const { ok, stdout } = await git(args);
  return ok ? stdout.trimEnd().split('\n') : [];
}
