import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hardenedGit } from './hardenedGit.js';
import { inspectWorktree, type WorktreeEntry, type WorktreeReport } from './inspectWorktree.js';
import { canSeeProcesses, harnessesIn } from './processesIn.js';

/** Where the harness puts the worktrees of isolated workers. A person's own worktrees lie elsewhere and are none of flower's business. */
const OURS = /[\\/]\.claude[\\/]worktrees[\\/]agent-[^\\/]+$/;
const OUR_BRANCH = /^worktree-agent-/;
/** Where nothing shows processes, a worktree whose git folder changed so lately counts as in use. */
const QUIET_S = 3600;

/**
 * What isolated workers have left: every worktree of theirs with branch and state. Only reads. A folder that is no git repository
 * has none.
 *
 * @example
 * for (const { path, branch, state } of await leftWorktrees('/home/me/project')) report(`${path} (${branch}): ${state}`);
 */
export async function leftWorktrees(workspace: string): Promise<WorktreeReport[]> {
  const { main, checkouts, entries } = await listEntries(workspace);
  const reports: WorktreeReport[] = [];
  for (const entry of entries) reports.push(await reportOn(main, checkouts, entry));
  return reports;
}

/** What became of a worktree that was to be removed. */
export interface RemovedWorktree {
  readonly report: WorktreeReport;
  readonly removed: boolean;
  /** What git said, if it refused. */
  readonly error: string;
}

/**
 * Removes those worktrees of isolated workers that hold nothing of their own, with their branches. Each is looked at again right
 * before; what is not clean stays. Never by force, except where git demands it for submodules, and never by deleting the folder.
 *
 * @example
 * const removed = await removeCleanWorktrees('/home/me/project');
 */
export async function removeCleanWorktrees(workspace: string): Promise<RemovedWorktree[]> {
  const outcomes: RemovedWorktree[] = [];
  const { main, checkouts, entries } = await listEntries(workspace);
  // One at a time and looked at anew: two worktrees may hold the same commit, and the last one must stay.
  for (const entry of entries) outcomes.push(await removeIfClean(main, await reportOn(main, checkouts, entry)));
  return outcomes;
}

async function removeIfClean(main: string, report: WorktreeReport): Promise<RemovedWorktree> {
  if (report.state !== 'clean') return { report, removed: false, error: '' };
  const git = await hardenedGit(main);
  // What is clean and locked has the lock of a harness that is gone.
  if (report.lock !== null) await git(['worktree', 'unlock', report.path]);
  const force = report.findings.hasSubmodules ? ['--force'] : [];
  const { ok, stderr } = await git(['worktree', 'remove', ...force, report.path]);
  if (!ok) return { report, removed: false, error: stderr.trim() };
  if (report.branch !== null && OUR_BRANCH.test(report.branch)) {
    // With the old value, so that a branch that moved meanwhile stays.
    await git(['update-ref', '-d', `refs/heads/${report.branch}`, report.head]);
  }
  return { report, removed: true, error: '' };
}

interface Worktrees {
  readonly main: string;
  /** Folders in which a person, and a flower, may work: the main checkout and a person's own worktrees. */
  readonly checkouts: readonly string[];
  readonly entries: readonly WorktreeEntry[];
}

async function listEntries(workspace: string): Promise<Worktrees> {
  const { stdout } = await (await hardenedGit(workspace))(['worktree', 'list', '--porcelain']);
  const all = stdout.trimEnd().split('\n\n').map(readEntry);
  const entries = all.slice(1).filter((entry) => OURS.test(entry.path));
  const checkouts = all.filter((entry) => !entries.includes(entry)).map((entry) => entry.path);
  return { main: all[0]?.path || workspace, checkouts, entries };
}

/** A worktree is in use as well while the harness that made it lives, which waits in its own checkout. */
async function reportOn(main: string, checkouts: readonly string[], entry: WorktreeEntry): Promise<WorktreeReport> {
  const report = await inspectWorktree(main, entry);
  if (report.state === 'missing' || report.state === 'unknown') return report;
  const processes = [...new Set([...report.findings.processes, ...checkouts.flatMap(harnessesIn)])];
  const isBusy = processes.length > 0 || (!canSeeProcesses && changedLately(report.path));
  return isBusy ? { ...report, state: 'busy', findings: { ...report.findings, processes } } : report;
}

function changedLately(path: string): boolean {
  const gitFolder = /^gitdir: (.*)$/m.exec(readFileSync(join(path, '.git'), 'utf8'))?.[1] ?? path;
  const times = ['index', 'HEAD', 'logs/HEAD'].map(
    (name) => statSync(join(gitFolder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Date.now() - Math.max(...times) < QUIET_S * 1000;
}

function readEntry(block: string): WorktreeEntry {
  const value = (name: string) => new RegExp(`^${name}(?: (.*))?$`, 'm').exec(block);
  return {
    path: value('worktree')?.[1] ?? '',
    branch: value('branch')?.[1]?.replace(/^refs\/heads\//, '') ?? null,
    head: value('HEAD')?.[1] ?? '',
    lock: value('locked') ? (value('locked')?.[1] ?? '') : null,
  };
}
