import { execFile } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkIsolation } from '../../guards/worktrees/checkIsolation.js';
import { describeWorktree } from '../../guards/worktrees/describeWorktree.js';
import { leftWorktrees, removeCleanWorktrees } from '../../guards/worktrees/leftWorktrees.js';
import { text } from '../../locale/locale.js';
import { placesOf } from '../../workflow/places.js';
import { type Finding, ok, warn } from './finding.js';
import type { Site } from './site.js';

/** What of the repository would be in a run's way. */
export async function checkGit({ workspace }: Site): Promise<Finding[]> {
  const { problem, warnings } = await checkIsolation(workspace);
  if (problem) {
    return [warn(problem.code === 'notARepository' ? text('doctor.git.none') : problem.text)];
  }
  const changed = (await git(workspace, ['status', '--porcelain'])).split('\n').filter((line) => line !== '');
  const busy = await goingOn(workspace);
  return [
    ok(text('doctor.git', { n: changed.length })),
    ...(busy === null ? [] : [warn(text('doctor.git.busy', { what: busy }))]),
    ...warnings.filter(({ code }) => code === 'detached').map((warning) => warn(warning.text)),
  ];
}

/** Run records hold whatever the agents have read: a worker's `git add -A` must not commit them. */
export async function checkIgnore(site: Site): Promise<Finding[]> {
  const { workspace, runDir } = site;
  const home = placesOf(workspace).home;
  const missing = [
    { folder: runDir, rule: '*\n', insideRunDir: true },
    { folder: home, rule: 'spill/\n', insideRunDir: false },
  ].filter(({ folder }) => isFolder(folder) && !existsSync(join(folder, '.gitignore')));
  const tracked = (await git(workspace, ['ls-files', '--', runDir])).trim();
  const findings = missing.map(({ folder, rule, insideRunDir }) => {
    const path = join(folder, '.gitignore');
    return warn(text('doctor.ignore.bad', { path: folder }), {
      repair: {
        insideRunDir,
        make: async () => {
          writeFileSync(path, rule, { flag: 'wx' });
          return path;
        },
      },
    });
  });
  if (tracked !== '') findings.push(warn(text('doctor.ignore.tracked', { path: runDir })));
  return findings.length > 0 ? findings : [ok(text('doctor.ignore'))];
}

/** Worktrees that isolated workers left. What is in them and nowhere else is never touched. */
export async function checkWorktrees({ workspace }: Site): Promise<Finding[]> {
  const left = await leftWorktrees(workspace);
  if (left.length === 0) return [ok(text('doctor.worktrees'))];
  return left.map((report) => {
    const words = text('doctor.worktrees.left', {
      path: report.path,
      branch: report.branch ?? report.head.slice(0, 8),
      state: describeWorktree(report),
    });
    if (report.state !== 'clean') return warn(words, { advice: text('doctor.worktrees.do') });
    return warn(words, {
      repair: {
        insideRunDir: false,
        make: async () => {
          const outcome = (await removeCleanWorktrees(workspace)).find((one) => one.report.path === report.path);
          // Gone already: an earlier repair took all the clean ones.
          return outcome === undefined || outcome.removed ? report.path : null;
        },
      },
    });
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function goingOn(workspace: string): Promise<string | null> {
  const folder = (await git(workspace, ['rev-parse', '--absolute-git-dir'])).trim();
  const marks = [
    ['merge', 'MERGE_HEAD'],
    ['rebase', 'rebase-merge'],
    ['rebase', 'rebase-apply'],
    ['cherry-pick', 'CHERRY_PICK_HEAD'],
  ] as const;
  return marks.find(([, name]) => folder !== '' && existsSync(join(folder, name)))?.[0] ?? null;
}

/** What git answers; nothing if it refuses. */
async function git(folder: string, args: readonly string[]): Promise<string> {
  try {
    const options = { env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' }, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)('git', ['-C', folder, ...args], options);
    return stdout;
  } catch {
    return '';
  }
}
