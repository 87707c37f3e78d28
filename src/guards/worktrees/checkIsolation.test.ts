import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkIsolation } from './checkIsolation.js';

let base: string;
let project: string;

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.test', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...identity, ...args], {
    cwd: folder,
    stdio: 'pipe',
    env: { PATH: process.env.PATH, HOME: base },
  });
}

function repository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  return folder;
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'flower-isolation-')));
  project = repository(join(base, 'project'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const check = (folder = project) => checkIsolation(folder, { locale: 'en' });
const warningsOf = async (folder = project) => (await check(folder)).warnings.map((warning) => warning.code);

describe('checkIsolation', () => {
  it('has nothing to say about a plain repository', async () => {
    expect(await check()).toEqual({ problem: null, warnings: [], note: '' });
  });

  it.each<[string, () => string, string]>([
    ['a folder without git', () => base, 'notARepository'],
    ['a folder that is not there', () => join(base, 'nowhere'), 'notARepository'],
    [
      'a repository without a commit',
      () => {
        const path = join(base, 'new');
        mkdirSync(path);
        git(path, 'init', '-q');
        return path;
      },
      'noCommits',
    ],
    [
      'a bare repository',
      () => {
        const path = join(base, 'bare.git');
        mkdirSync(path);
        git(path, 'init', '-q', '--bare');
        return path;
      },
      'bare',
    ],
    [
      'a broken index',
      () => {
        writeFileSync(join(project, '.git/index'), 'nonsense');
        return project;
      },
      'unreadable',
    ],
  ])('refuses %s and says what to do', async (_, make, code) => {
    const path = make();
    const { problem } = await check(path);
    expect(problem).toMatchObject({ code, text: expect.stringContaining(path) });
  });

  it('refuses where git does not run', async () => {
    const path = process.env.PATH;
    process.env.PATH = base;
    try {
      expect((await check()).problem?.code).toBe('noGit');
    } finally {
      process.env.PATH = path;
    }
  });

  it('warns of a detached HEAD', async () => {
    git(project, 'checkout', '-q', '--detach');
    expect(await warningsOf()).toEqual(['detached']);
  });

  it('warns of a folder inside a repository, where workers do not start', async () => {
    mkdirSync(join(project, 'sub'));
    expect(await warningsOf(join(project, 'sub'))).toEqual(['subfolder']);
  });

  it('warns of a branch that is checked out elsewhere as well', async () => {
    git(project, 'worktree', 'add', '-q', '--force', join(base, 'other'), 'main');
    const { warnings } = await check();
    expect(warnings).toMatchObject([{ code: 'branchElsewhere', text: expect.stringContaining(join(base, 'other')) }]);
    expect(await warningsOf(join(base, 'other'))).toEqual(['branchElsewhere']);
  });

  it('warns of changes that no worker will see', async () => {
    writeFileSync(join(project, 'a.txt'), 'changed\n');
    writeFileSync(join(project, 'new.txt'), 'new\n');
    expect((await check()).warnings).toMatchObject([{ code: 'uncommitted', text: expect.stringContaining('2') }]);
  });

  it('C53 names submodules, filled or not, without fetching anything', async () => {
    const lib = repository(join(base, 'lib'));
    git(project, 'submodule', '--quiet', 'add', lib, 'lib');
    git(project, 'commit', '-qm', 'lib');
    rmSync(lib, { recursive: true });
    const { warnings, note } = await check();
    expect(warnings).toMatchObject([{ code: 'submodules', text: expect.stringContaining('lib') }]);
    expect(note).toContain('lib');
    git(project, 'submodule', '--quiet', 'deinit', '-f', 'lib');
    expect(await warningsOf()).toEqual(['submodules']);
  });

  it('C53 names ignored necessities', async () => {
    writeFileSync(join(project, '.gitignore'), 'node_modules\n.env\n*.log\n');
    git(project, 'add', '-A');
    git(project, 'commit', '-qm', 'ignore');
    mkdirSync(join(project, 'node_modules/x'), { recursive: true });
    mkdirSync(join(project, 'src'));
    for (const name of ['node_modules/x/y.js', '.env', 'src/deep.log']) writeFileSync(join(project, name), 'x');
    const { warnings, note } = await check();
    expect(note).toContain('.env');
    expect(note).toContain('node_modules/');
    expect(note).not.toContain('deep.log');
    expect(warnings).toMatchObject([{ code: 'ignored' }]);
  });

  it('C53 warns of a filter whose program is not there', async () => {
    writeFileSync(join(project, '.gitattributes'), '*.bin filter=lfs -text\n*.c filter=indent\n');
    git(project, 'add', '-A');
    git(project, 'commit', '-qm', 'filters');
    git(project, 'config', 'filter.lfs.smudge', 'no-such-program smudge -- %f');
    git(project, 'config', 'filter.indent.smudge', 'cat');
    expect((await check()).warnings).toMatchObject([{ code: 'filters', text: expect.stringContaining('lfs') }]);
  });
});
