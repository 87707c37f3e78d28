import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leftWorktrees, removeCleanWorktrees } from './leftWorktrees.js';

let base: string;
let project: string;
let home: string;

/** git as a person or a worker uses it, with a home of its own. */
function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.test', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { PATH: process.env.PATH, HOME: home, GIT_EDITOR: 'true' },
  }).trim();
}

function put(path: string, text = 'x\n'): string {
  writeFileSync(path, text);
  return path;
}

function repository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  put(join(folder, 'a.txt'));
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  return folder;
}

/** A worktree as the harness makes it for an isolated worker. */
function worktree(id = 'a0123456789abcdef'): string {
  const path = join(project, '.claude/worktrees', `agent-${id}`);
  git(project, 'worktree', 'add', '-q', '-b', `worktree-agent-${id}`, path, 'HEAD');
  return path;
}

function commit(folder: string, name = 'work.txt'): string {
  put(join(folder, name), `${name}\n`);
  git(folder, 'add', name);
  git(folder, 'commit', '-qm', name);
  return git(folder, 'rev-parse', 'HEAD');
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'flower-worktrees-')));
  home = join(base, 'home');
  mkdirSync(home);
  project = repository(join(base, 'project'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const only = async () => {
  const [left, ...others] = await leftWorktrees(project);
  if (!left || others.length > 0) throw new Error('expected one worktree');
  return left;
};

/** Cleans up three times, as three later runs would, and says whether the worktree is still there. */
async function staysAfterCleaning(path: string): Promise<boolean> {
  for (let run = 0; run < 3; run++) await removeCleanWorktrees(project);
  return existsSync(path);
}

describe('leftWorktrees', () => {
  it('gives path, branch and state of what isolated workers left, and nothing of a person', async () => {
    const path = worktree();
    git(project, 'worktree', 'add', '-q', '-b', 'mine', join(base, 'mine'));
    expect(await leftWorktrees(project)).toMatchObject([
      { path, branch: 'worktree-agent-a0123456789abcdef', state: 'clean' },
    ]);
    expect(await leftWorktrees(path)).toHaveLength(1);
  });

  it('finds none where there are none, and none outside of a repository', async () => {
    expect(await leftWorktrees(project)).toEqual([]);
    expect(await leftWorktrees(home)).toEqual([]);
    expect(await leftWorktrees(join(base, 'nowhere'))).toEqual([]);
  });
});

describe('C51 cleaning up loses nothing', () => {
  it('removes what is clean and merged, with its branch', async () => {
    const path = worktree();
    commit(path);
    git(project, 'merge', '-q', 'worktree-agent-a0123456789abcdef');
    expect(await removeCleanWorktrees(project)).toMatchObject([
      { removed: true, report: { path, state: 'clean' }, error: '' },
    ]);
    expect(existsSync(path)).toBe(false);
    expect(git(project, 'branch', '--list', 'worktree-*')).toBe('');
    expect(readFileSync(join(project, 'work.txt'), 'utf8')).toBe('work.txt\n');
  });

  const states: [string, (path: string) => void, { state: string; findings?: object }][] = [
    [
      '1 an untracked file',
      (path) => put(join(path, 'new.txt')),
      { state: 'unsaved', findings: { files: ['new.txt'] } },
    ],
    [
      '2 an ignored file',
      (path) => {
        put(join(project, '.git/info/exclude'), '.env.local\nbuild/\n');
        put(join(path, '.env.local'));
        mkdirSync(join(path, 'build'));
        put(join(path, 'build/out'));
      },
      { state: 'unsaved', findings: { files: [], ignored: ['.env.local', 'build/'] } },
    ],
    [
      '3 a staged change',
      (path) => {
        put(join(path, 'a.txt'), 'changed\n');
        git(path, 'add', 'a.txt');
      },
      { state: 'unsaved', findings: { files: ['a.txt'] } },
    ],
    ['3 a change that is not staged', (path) => put(join(path, 'a.txt'), 'changed\n'), { state: 'unsaved' }],
    ['3 a deletion', (path) => rmSync(join(path, 'a.txt')), { state: 'unsaved' }],
    ['4 a commit that is not merged', (path) => commit(path), { state: 'unmerged', findings: { commits: 1 } }],
    [
      '5 a commit on a detached HEAD',
      (path) => {
        git(path, 'checkout', '-q', '--detach');
        commit(path);
      },
      { state: 'unmerged' },
    ],
    [
      '5 a commit on a detached HEAD that was left again',
      (path) => {
        git(path, 'checkout', '-q', '--detach');
        commit(path);
        git(path, 'checkout', '-q', 'worktree-agent-a0123456789abcdef');
      },
      { state: 'unmerged', findings: { commits: 1 } },
    ],
    [
      '7 a merge in progress',
      (path) => {
        const other = commit(path);
        git(path, 'reset', '-q', '--hard', 'HEAD~1');
        git(path, 'merge', '-q', '--no-ff', '--no-commit', other);
      },
      { state: 'busy', findings: { operations: ['MERGE_HEAD'] } },
    ],
    [
      '7 a rebase that stopped',
      (path) => {
        commit(path);
        git(path, 'rebase', '-q', '--exec', 'true', 'HEAD~1');
        mkdirSync(join(git(path, 'rev-parse', '--absolute-git-dir'), 'rebase-merge'));
      },
      { state: 'busy' },
    ],
    ['7 a bisection', (path) => git(path, 'bisect', 'start'), { state: 'busy' }],
    ['11 a lock', (path) => git(project, 'worktree', 'lock', '--reason', 'mine', path), { state: 'busy' }],
    ['11 a lock without a reason', (path) => git(project, 'worktree', 'lock', path), { state: 'busy' }],
    [
      '12 a link to elsewhere',
      (path) => {
        mkdirSync(join(base, 'precious'));
        put(join(base, 'precious/x'));
        symlinkSync(join(base, 'precious'), join(path, 'link'));
      },
      { state: 'unsaved' },
    ],
    ['13 a broken .git file', (path) => put(join(path, '.git'), 'nonsense'), { state: 'unknown' }],
    [
      '13 no .git file',
      (path) => {
        put(join(path, 'new.txt'));
        rmSync(join(path, '.git'));
      },
      { state: 'unknown' },
    ],
    [
      '13 a broken index',
      (path) => put(join(git(path, 'rev-parse', '--absolute-git-dir'), 'index'), 'nonsense'),
      { state: 'unknown' },
    ],
    [
      'a change that git was told to overlook',
      (path) => {
        put(join(path, 'a.txt'), 'changed\n');
        git(path, 'update-index', '--assume-unchanged', 'a.txt');
      },
      { state: 'unsaved', findings: { files: ['a.txt'] } },
    ],
    [
      'a change behind skip-worktree',
      (path) => {
        git(path, 'update-index', '--skip-worktree', 'a.txt');
        put(join(path, 'a.txt'), 'changed\n');
      },
      { state: 'unsaved' },
    ],
    ['a repository inside', (path) => repository(join(path, 'inner')), { state: 'unsaved' }],
    ['a ref of its own', (path) => git(path, 'update-ref', 'refs/worktree/keep', commit(path)), { state: 'busy' }],
  ];
  it.each(states)('%s keeps the worktree', async (_, change, expected) => {
    const path = worktree();
    change(path);
    expect(await only()).toMatchObject({ path, ...expected });
    expect(await staysAfterCleaning(path)).toBe(true);
  });

  it('6 a stash made there outlives the worktree', async () => {
    const path = worktree();
    put(join(path, 'a.txt'), 'stashed\n');
    git(path, 'stash', '-q');
    await removeCleanWorktrees(project);
    expect(git(project, 'stash', 'show', '-p')).toContain('+stashed');
  });

  it('8 commits of an earlier session count as well', async () => {
    const path = worktree();
    commit(path, 'first.txt');
    git(path, 'commit', '-q', '--allow-empty', '-m', 'nothing new');
    expect(await only()).toMatchObject({ state: 'unmerged', findings: { commits: 2 } });
    expect(await staysAfterCleaning(path)).toBe(true);
  });

  it.runIf(existsSync('/proc/self/cwd'))('9 a process at work there keeps it', async () => {
    const path = worktree();
    const worker = spawn('sleep', ['60'], { cwd: path });
    try {
      expect(await only()).toMatchObject({ state: 'busy', findings: { processes: [worker.pid] } });
      expect(await staysAfterCleaning(path)).toBe(true);
    } finally {
      worker.kill();
    }
  });

  it.runIf(existsSync('/proc/self/cwd'))(
    '10 the harness of a living flower in the main checkout keeps it',
    async () => {
      const path = worktree();
      const harness = spawn('sleep', ['60'], {
        cwd: project,
        env: { PATH: process.env.PATH, FLOWER_OWNER: 'key 1 2' },
      });
      try {
        expect(await only()).toMatchObject({ state: 'busy' });
        expect(await staysAfterCleaning(path)).toBe(true);
      } finally {
        harness.kill();
      }
    },
  );

  it.runIf(existsSync('/proc/self/cwd'))(
    '11 the lock of a harness counts while it lives, and not after a crash',
    async () => {
      const path = worktree();
      const harness = spawn('sleep', ['60'], { cwd: home });
      const stat = readFileSync(`/proc/${harness.pid}/stat`, 'utf8');
      const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      git(project, 'worktree', 'lock', '--reason', `claude agent agent-x (pid ${harness.pid} start ${start})`, path);
      expect(await only()).toMatchObject({ state: 'busy' });
      expect(await staysAfterCleaning(path)).toBe(true);
      harness.kill();
      await once(harness, 'exit');
      expect(await only()).toMatchObject({ state: 'clean' });
      expect(await staysAfterCleaning(path)).toBe(false);
    },
  );

  it('12 never follows a tracked link', async () => {
    mkdirSync(join(base, 'precious'));
    put(join(base, 'precious/x'));
    symlinkSync(join(base, 'precious'), join(project, 'link'));
    git(project, 'add', '-A');
    git(project, 'commit', '-qm', 'a link');
    const path = worktree();
    expect(await staysAfterCleaning(path)).toBe(false);
    expect(existsSync(join(base, 'precious/x'))).toBe(true);
  });

  it('keeps the last of two worktrees that hold the same commit', async () => {
    const [one, two] = [worktree('aaaaaaaaaaaaaaaa1'), worktree('aaaaaaaaaaaaaaaa2')];
    const made = commit(one);
    git(two, 'reset', '-q', '--hard', made);
    await staysAfterCleaning(one);
    expect(existsSync(one) || existsSync(two)).toBe(true);
    expect(git(project, 'branch', '--contains', made)).toContain('worktree-agent-');
  });

  it('a commit that a remote or a tag has is saved', async () => {
    const path = worktree();
    git(base, 'init', '-q', '--bare', 'origin.git');
    git(project, 'remote', 'add', 'origin', join(base, 'origin.git'));
    commit(path);
    git(path, 'push', '-q', 'origin', 'HEAD:refs/heads/pushed');
    expect(await only()).toMatchObject({ state: 'clean' });
  });

  it('a folder that is gone is told with the commits of its branch', async () => {
    const path = worktree();
    const made = commit(path);
    rmSync(path, { recursive: true });
    expect(await only()).toMatchObject({ state: 'unmerged', findings: { commits: 1 } });
    await removeCleanWorktrees(project);
    expect(git(project, 'rev-parse', 'worktree-agent-a0123456789abcdef')).toBe(made);
  });
});

describe('C53 submodules in a worktree', () => {
  /** A worktree whose submodule `lib`, with another one in it, is filled. */
  function filled(): string {
    const deep = repository(join(base, 'deep'));
    const lib = repository(join(base, 'lib'));
    git(lib, 'submodule', '--quiet', 'add', deep, 'deep');
    git(lib, 'commit', '-qm', 'deep');
    git(project, 'submodule', '--quiet', 'add', lib, 'lib');
    git(project, 'commit', '-qm', 'lib');
    const path = worktree();
    git(path, 'submodule', '--quiet', 'update', '--init', '--recursive');
    return path;
  }

  it('3 a commit inside keeps the worktree', async () => {
    const path = filled();
    commit(join(path, 'lib'));
    git(path, 'commit', '-qam', 'newer lib');
    git(project, 'merge', '-q', 'worktree-agent-a0123456789abcdef');
    expect(await only()).toMatchObject({ state: 'unsaved', findings: { submodules: ['lib'] } });
    expect(await staysAfterCleaning(path)).toBe(true);
  });

  it.each(['lib', 'lib/deep'])('4 an uncommitted change inside %s keeps it', async (folder) => {
    const path = filled();
    put(join(path, folder, 'a.txt'), 'changed\n');
    expect(await only()).toMatchObject({
      state: 'unsaved',
      findings: { submodules: [expect.stringContaining('lib')] },
    });
    expect(await staysAfterCleaning(path)).toBe(true);
  });

  it('a stash or an abandoned commit inside keeps it', async () => {
    const path = filled();
    put(join(path, 'lib/a.txt'), 'stashed\n');
    git(join(path, 'lib'), 'stash', '-q');
    expect(await staysAfterCleaning(path)).toBe(true);
  });

  it('a commit in a submodule that is not checked out any more keeps it', async () => {
    const path = filled();
    commit(join(path, 'lib'));
    git(join(path, 'lib'), 'reset', '-q', '--hard', 'origin/main');
    git(path, 'submodule', '--quiet', 'deinit', '-f', 'lib');
    expect(await staysAfterCleaning(path)).toBe(true);
  });

  it('5 filled and clean goes at the first try', async () => {
    const path = filled();
    expect(await only()).toMatchObject({ state: 'clean', findings: { hasSubmodules: true } });
    expect(await removeCleanWorktrees(project)).toMatchObject([{ removed: true }]);
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(project, 'lib/a.txt'))).toBe(true);
  });
});

describe('the configuration of a repository starts no program', () => {
  it('not a monitor, a hook, a filter, a pager, a textconv, nor one of a submodule', async () => {
    const trace = join(base, 'trace');
    const evil = put(join(base, 'evil.sh'), `#!/bin/sh\necho "$0 $*" >> '${trace}'\ncat\n`);
    chmodSync(evil, 0o755);
    const inner = repository(join(base, 'inner'));
    git(project, 'submodule', '--quiet', 'add', inner, 'inner');
    put(join(project, '.gitattributes'), '* filter=evil diff=evil\n');
    git(project, 'add', '-A');
    git(project, 'commit', '-qm', 'attributes');
    const path = worktree();
    put(join(path, 'a.txt'), 'y\n');
    for (const folder of [project, join(project, 'inner')]) {
      for (const key of [
        'core.fsmonitor',
        'core.pager',
        'diff.external',
        'filter.evil.clean',
        'filter.evil.smudge',
        'filter.evil.process',
        'diff.evil.textconv',
        'core.sshCommand',
        'gpg.program',
        'core.editor',
        'filter.a=b.clean',
      ]) {
        git(folder, 'config', key, evil);
      }
      git(folder, 'config', 'filter.evil.required', 'true');
    }
    mkdirSync(join(project, '.git/hooks'), { recursive: true });
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
      chmodSync(put(join(project, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> '${trace}'\n`), 0o755);
    }
    expect(await only()).toMatchObject({ state: 'unsaved', findings: { files: ['a.txt'] } });
    put(join(path, 'a.txt'), 'x\n');
    const [outcome] = await removeCleanWorktrees(project);
    expect(outcome).toMatchObject({ report: { state: 'clean' }, removed: true });
    expect(existsSync(trace) ? readFileSync(trace, 'utf8') : '').toBe('');
  });
});
