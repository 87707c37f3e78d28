import { existsSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Locale, text } from '../../locale/locale.js';
import { realPath } from '../../workbench/paths.js';
import { type Git, hardenedGit } from './hardenedGit.js';
import { shortList } from './shortList.js';

/** What keeps workers from getting worktrees. */
export type IsolationProblem = 'noGit' | 'notARepository' | 'bare' | 'noCommits' | 'unreadable';
/** What works, but not as one might expect. */
export type IsolationWarning =
  | 'detached'
  | 'subfolder'
  | 'branchElsewhere'
  | 'uncommitted'
  | 'submodules'
  | 'filters'
  | 'ignored';

export interface IsolationFinding<Code> {
  readonly code: Code;
  /** What it means and what to do, for a person. */
  readonly text: string;
}

export interface IsolationCheck {
  readonly problem: IsolationFinding<IsolationProblem> | null;
  readonly warnings: readonly IsolationFinding<IsolationWarning>[];
  /** What a worker won't find in its copy although it is here, in words for the worker; `''` if nothing. */
  readonly note: string;
}

/**
 * Says before any money is spent whether workers can get worktrees of their own in this workspace, and what will be missing there.
 * Only reads, starts nothing of the repository, and asks no remote.
 *
 * @example
 * const { problem, warnings } = await checkIsolation('/home/me/project');
 * if (problem) throw new Error(problem.text);
 */
export async function checkIsolation(
  workspace: string,
  options: { readonly locale?: Locale } = {},
): Promise<IsolationCheck> {
  const { locale } = options;
  const git = await hardenedGit(workspace);
  const problem = await findProblem(git, workspace, locale);
  if (problem) return { problem, warnings: [], note: '' };
  const root = realPath((await git(['rev-parse', '--show-toplevel'])).stdout.trimEnd());
  const branch = (await git(['symbolic-ref', '-q', '--short', 'HEAD'])).stdout.trimEnd();
  const elsewhere = branch === '' ? undefined : await otherCheckout(git, branch, root);
  const { changes, ignored } = await statusOf(git);
  const submodules = await submodulesOf(git);
  const filters = await filtersWithoutProgram(git, root);

  const warnings: IsolationFinding<IsolationWarning>[] = [];
  const warn = (code: IsolationWarning, words: string) => warnings.push({ code, text: words });
  if (branch === '') warn('detached', text('isolate.detached', {}, locale));
  if (realPath(workspace) !== root) warn('subfolder', text('isolate.subfolder', { path: workspace, root }, locale));
  if (elsewhere) warn('branchElsewhere', text('isolate.branchElsewhere', { branch, path: elsewhere }, locale));
  if (changes > 0) warn('uncommitted', text('isolate.uncommitted', { n: changes }, locale));
  if (submodules.length > 0) warn('submodules', text('isolate.submodules', { names: shortList(submodules) }, locale));
  if (filters.length > 0) warn('filters', text('isolate.filters', { names: shortList(filters) }, locale));
  if (ignored.length > 0) warn('ignored', text('isolate.ignored', { names: shortList(ignored) }, locale));

  const missing = [...submodules, ...ignored];
  const note = missing.length > 0 ? text('isolate.note', { names: shortList(missing) }, locale) : '';
  return { problem: null, warnings, note };
}

async function findProblem(
  git: Git,
  path: string,
  locale?: Locale,
): Promise<IsolationFinding<IsolationProblem> | null> {
  const unreadable = (message: string) => {
    const why = message.trim().split('\n')[0] ?? '';
    return { code: 'unreadable', text: text('isolate.unreadable', { path, why }, locale) } as const;
  };
  const place = await git(['rev-parse', '--is-inside-work-tree', '--is-bare-repository']);
  // A hardened git refuses a bare repository; an older one doesn't know how to.
  if (place.stdout.endsWith('true\n') || /bare repository/.test(place.stderr)) {
    return { code: 'bare', text: text('isolate.bare', { path }, locale) };
  }
  if (!place.stdout.startsWith('true')) {
    if (/dubious ownership|unsafe/.test(place.stderr)) return unreadable(place.stderr);
    // Nothing starts in a folder that isn't there, git neither.
    const isGitThere = !existsSync(path) || (await git(['version'])).ok;
    return isGitThere
      ? { code: 'notARepository', text: text('starter.isolateNeedsGit', { path }, locale) }
      : { code: 'noGit', text: text('isolate.noGit', {}, locale) };
  }
  const head = await git(['rev-parse', '--verify', '-q', 'HEAD^{commit}']);
  if (!head.ok) return { code: 'noCommits', text: text('isolate.noCommits', { path }, locale) };
  const status = await git(['status', '--porcelain', '--ignore-submodules=all', '--untracked-files=no']);
  return status.ok ? null : unreadable(status.stderr);
}

/** What lies there because of flower and its harness is nobody's change. */
const OURS = /^(?:\.claude|\.flower|runs)\//;

/** Changes that aren't committed, and ignored files at the top, where what a build needs mostly lies: `node_modules/`, `.env`. */
async function statusOf(git: Git): Promise<{ changes: number; ignored: string[] }> {
  const { stdout } = await git([
    ...['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal'],
    ...['--ignored=matching', '--ignore-submodules=all'],
  ]);
  const entries = stdout.split('\0').filter((entry) => entry !== '' && !OURS.test(entry.slice(3)));
  const ignored = entries.filter((entry) => entry.startsWith('!!')).map((entry) => entry.slice(3));
  return { changes: entries.length - ignored.length, ignored: ignored.filter((path) => !/\/./.test(path)) };
}

async function submodulesOf(git: Git): Promise<string[]> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', 'HEAD']);
  return stdout
    .split('\0')
    .filter((line) => line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1));
}

/** Filters that the repository's attributes name and that can't run here, such as `lfs` on a machine without it. */
async function filtersWithoutProgram(git: Git, root: string): Promise<string[]> {
  const files = (await git(['ls-files', '-z', '--', ':(top,glob)**/.gitattributes'])).stdout
    .split('\0')
    .filter(Boolean);
  const inside = files.flatMap((name) =>
    [...readIfThere(join(root, name)).matchAll(/\sfilter=(\S+)/g)].map((match) => match[1] ?? ''),
  );
  const missing: string[] = [];
  for (const name of new Set(inside)) {
    // Reading the settings starts nothing. Those that a hardened git adds are empty.
    const smudge = await git(['config', '--get-all', `filter.${name}.smudge`]);
    const ongoing = await git(['config', '--get-all', `filter.${name}.process`]);
    const programs = `${smudge.stdout}\n${ongoing.stdout}`
      .split('\n')
      .filter(Boolean)
      .map((command) => command.split(' ')[0] ?? '');
    if (!programs.some(isOnPath)) missing.push(name);
  }
  return missing;
}

function isOnPath(program: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return isAbsolute(program) ? existsSync(program) : folders.some((folder) => existsSync(join(folder, program)));
}

/** Another folder that has the same branch checked out, which git only allows by force. */
async function otherCheckout(git: Git, branch: string, root: string): Promise<string | undefined> {
  const { stdout } = await git(['worktree', 'list', '--porcelain']);
  const blocks = stdout.split('\n\n').filter((block) => block.split('\n').includes(`branch refs/heads/${branch}`));
  return blocks.map((block) => /^worktree (.*)$/m.exec(block)?.[1] ?? '').find((path) => realPath(path) !== root);
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
