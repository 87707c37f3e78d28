import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeList, isTestFile } from './changeList.js';
import { changedFiles, isSameState, workspaceState } from './workspaceState.js';

const folder = () => realpathSync(mkdtempSync(join(tmpdir(), 'flower-state-')));
const git = (at: string, ...args: string[]) =>
  execFileSync('git', ['-C', at, '-c', 'user.name=a', '-c', 'user.email=a@example.test', ...args], {
    env: { PATH: process.env.PATH, HOME: at, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: 'pipe',
  }).toString();

function write(at: string, path: string, content: string): void {
  mkdirSync(dirname(join(at, path)), { recursive: true });
  writeFileSync(join(at, path), content);
}

/** A repository with two committed files, run directory and workbench. */
function repository(): string {
  const at = folder();
  git(at, 'init', '-q');
  write(at, '.gitignore', 'out/\n');
  write(at, 'src/a.js', 'one\ntwo\n');
  write(at, 'test/a.test.js', 'assert(1)\nassert(2)\n');
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'first');
  write(at, 'runs/sessions.db', 'x');
  write(at, '.flower/notes/goal.md', 'x');
  return at;
}

const own = (at: string) => [join(at, 'runs'), join(at, '.flower')];
const look = (at: string) => workspaceState(at, own(at));

/** What changes between two looks, as `kind path`. */
async function changes(at: string, act: () => unknown): Promise<string[]> {
  const before = await look(at);
  act();
  const after = await look(at);
  const found = (await changedFiles(at, before, after, own(at))).map(({ kind, path }) => `${kind} ${path}`);
  if (found.length > 0) expect(isSameState(before, after)).toBe(false);
  return found;
}

describe('R2.83 in a repository', () => {
  it('sees an edit, a new file, a deleted one, a commit, a mode and a link', async () => {
    const at = repository();
    expect(await changes(at, () => {})).toEqual([]);
    expect(await changes(at, () => write(at, 'src/a.js', 'one\n'))).toEqual(['changed src/a.js']);
    expect(await changes(at, () => write(at, 'src/new/b.js', ''))).toEqual(['new src/new/b.js']);
    expect(await changes(at, () => rmSync(join(at, 'test/a.test.js')))).toEqual(['gone test/a.test.js']);
    expect(await changes(at, () => chmodSync(join(at, 'src/new/b.js'), 0o755))).toEqual(['changed src/new/b.js']);
    expect(await changes(at, () => symlinkSync('a.js', join(at, 'src/link')))).toEqual(['new src/link']);
    const before = await look(at);
    git(at, 'add', '-A', 'src', 'test');
    git(at, 'commit', '-qm', 'second');
    const after = await look(at);
    expect(isSameState(before, after)).toBe(false);
    expect(await changedFiles(at, before, after, own(at))).toEqual([]);
    expect(await changes(at, () => git(at, 'rm', '-q', 'src/link') && git(at, 'commit', '-qm', 'third'))).toEqual([
      'gone src/link',
    ]);
  });

  it('names what was committed in between, against the files as they were', async () => {
    const at = repository();
    write(at, 'draft.md', 'draft');
    const found = await changes(at, () => {
      write(at, 'src/a.js', 'three\n');
      git(at, 'add', '-A', 'src', 'draft.md');
      git(at, 'commit', '-qm', 'second');
      write(at, 'draft.md', 'final');
      write(at, 'late.js', '');
    });
    expect(found).toEqual(['changed draft.md', 'new late.js', 'changed src/a.js']);
  });

  it('leaves out what changes by itself: run directory, workbench, worktrees, packages, what git ignores', async () => {
    const at = repository();
    const found = await changes(at, () => {
      for (const path of [
        'runs/x',
        '.flower/x',
        '.claude/worktrees/w/x',
        'node_modules/p/x',
        'sub/node_modules/x',
        'out/x',
      ])
        write(at, path, 'x');
    });
    expect(found).toEqual([]);
    expect(await changes(at, () => git(at, 'add', '-A', '-f') && git(at, 'commit', '-qm', 'all of it'))).toEqual([
      'new out/x',
    ]);
  });

  it('sees an edit that git was told to overlook', async () => {
    const at = repository();
    const overlook = ['update-index', '--assume-unchanged', 'src/a.js'];
    expect(await changes(at, () => git(at, ...overlook) + write(at, 'src/a.js', 'x'))).toEqual(['changed src/a.js']);
    const skip = ['update-index', '--skip-worktree', 'test/a.test.js'];
    expect(await changes(at, () => git(at, ...skip) + write(at, 'test/a.test.js', 'x'))).toEqual([
      'changed test/a.test.js',
    ]);
    const other = repository();
    const same = () => {
      for (const [key, value] of [
        ['core.trustctime', 'false'],
        ['core.checkStat', 'minimal'],
      ] as const)
        git(other, 'config', key, value);
      const { atime, mtime } = statSync(join(other, 'src/a.js'));
      write(other, 'src/a.js', 'eno\ntwo\n');
      utimesSync(join(other, 'src/a.js'), atime, mtime);
    };
    expect(await changes(other, same)).toEqual(['changed src/a.js']);
  });

  it('takes a file that was only touched for unchanged', async () => {
    const at = repository();
    expect(await changes(at, () => utimesSync(join(at, 'src/a.js'), 1, 1))).toEqual([]);
  });

  it('looks at a subfolder of a repository, at submodules and at a repository in it', async () => {
    const at = repository();
    const sub = join(at, 'src');
    expect(await changes(sub, () => write(at, 'src/a.js', 'x'))).toEqual(['changed a.js']);
    expect(await changes(sub, () => write(at, 'elsewhere.js', 'x'))).toEqual([]);
    const inner = join(at, 'inner');
    mkdirSync(inner);
    git(inner, 'init', '-q');
    expect(await changes(at, () => write(at, 'inner/x.js', 'x'))).toEqual(['new inner/x.js']);
    git(inner, 'add', '-A');
    git(inner, 'commit', '-qm', 'inner');
    git(at, 'add', 'inner');
    git(at, 'commit', '-qm', 'as a submodule');
    expect(await changes(at, () => appendFileSync(join(inner, 'x.js'), 'y'))).toEqual(['changed inner/x.js']);
  });

  it('writes nothing and starts nothing that the repository names', async () => {
    const at = repository();
    const trap = join(at, 'runs', 'trap');
    const spring = `sh -c 'echo sprung >> ${trap}; cat'`;
    for (const key of [
      'filter.f.clean',
      'filter.f.process',
      'core.fsmonitor',
      'diff.external',
      'diff.d.textconv',
      'core.pager',
    ])
      git(at, 'config', key, spring);
    write(at, '.gitattributes', '*.js filter=f diff=d\n');
    utimesSync(join(at, 'src/a.js'), 1, 1);
    write(at, 'src/c.js', 'x');
    const trace = () => readdirSync(join(at, '.git')).map((name) => [name, statSync(join(at, '.git', name)).mtimeMs]);
    rmSync(trap, { force: true });
    const before = trace();
    await look(at);
    expect(trace()).toEqual(before);
    expect(existsSync(trap)).toBe(false);
  });

  it('takes a folder that its repository ignores, or that names another working tree, for a plain one', async () => {
    const at = repository();
    const ignored = join(at, 'out', 'work');
    mkdirSync(ignored, { recursive: true });
    expect(await changes(ignored, () => write(ignored, 'x.js', 'x'))).toEqual(['new x.js']);
    const other = repository();
    git(other, 'config', 'core.worktree', at);
    expect(await changes(other, () => write(other, 'x.js', 'x'))).toEqual(['new x.js']);
  });
});

describe('R2.83 elsewhere', () => {
  it('sees every file', async () => {
    const at = folder();
    write(at, 'a.txt', 'a');
    expect(await changes(at, () => write(at, 'deep/er/b.txt', 'b'))).toEqual(['new deep/er/b.txt']);
    expect(await changes(at, () => write(at, 'a.txt', 'b'))).toEqual(['changed a.txt']);
    expect(await changes(at, () => rmSync(join(at, 'a.txt')))).toEqual(['gone a.txt']);
    expect(await changes(at, () => write(at, 'node_modules/x', 'b'))).toEqual([]);
  });

  it('goes on comparing when the folder becomes a repository', async () => {
    const at = folder();
    write(at, 'a.txt', 'a');
    write(at, 'b.txt', 'b');
    write(at, 'out/big', 'x');
    const found = await changes(at, () => {
      write(at, 'b.txt', 'changed');
      write(at, '.gitignore', 'out/\n');
      git(at, 'init', '-q');
      git(at, 'add', '-A');
    });
    expect(found).toEqual(['new .gitignore', 'changed b.txt']);
    expect(await changes(at, () => git(at, 'commit', '-qm', 'first'))).toEqual([]);
    const plain = folder();
    write(plain, 'a.txt', 'a');
    const committed = await changes(plain, () => {
      write(plain, 'c.txt', 'c');
      git(plain, 'init', '-q');
      git(plain, 'add', '-A');
      git(plain, 'commit', '-qm', 'first');
    });
    expect(committed).toEqual(['new c.txt']);
  });

  it('does not hang at a pipe, and does not follow links', async () => {
    const at = folder();
    execFileSync('mkfifo', [join(at, 'pipe')]);
    symlinkSync('/', join(at, 'root'));
    expect((await look(at)).files).toEqual({ root: expect.stringMatching(/^link /) });
  });
});

describe('Z114: the list of changed files', () => {
  it('has tests first, with counts and the lines that were taken out of them', async () => {
    const at = repository();
    const before = await look(at);
    write(at, 'src/a.js', 'one\ntwo\nthree\n');
    write(at, 'test/a.test.js', 'assert(true)\nassert(2)\n');
    write(at, 'package.json', '{}\n');
    rmSync(join(at, '.gitignore'));
    const found = await changedFiles(at, before, await look(at), own(at));
    const { readFileSync } = await import('node:fs');
    const list = await changeList(found, {
      workspace: at,
      head: before.head,
      locale: 'en',
      read: (path) => readFileSync(join(at, path), 'utf8'),
    });
    expect(list.split('\n')).toEqual([
      '- test/a.test.js: changed (+1 -1)',
      '    - assert(1)',
      '- .gitignore: deleted (+0 -1)',
      '- package.json: new (+1 -0)',
      '- src/a.js: changed (+1 -0)',
    ]);
  });

  it('stays short', async () => {
    const many = Array.from({ length: 75 }, (_, i) => ({ path: `f${i}.js`, kind: 'new' as const }));
    const list = await changeList(many, { workspace: '/', head: null, locale: 'en', read: () => null });
    expect(list.split('\n')).toHaveLength(61);
    expect(list).toContain('- and 15 more');
  });

  it('knows tests and what says how they are run', () => {
    const tests = `test/a.js tests/b.py src/a.test.ts a_test.go test_a.py conftest.py pytest.ini vitest.config.ts src/__tests__/x.js
      FooTest.java Spec/x.rb spec/x.rb .github/workflows/ci.yml src/__snapshots__/a.snap pkg/testdata/x.json`;
    expect(tests.split(/\s+/).filter((path) => !isTestFile(path))).toEqual([]);
    const others = 'src/latest.js contest/a.js src/protest.py testing.md attest/x inspector/a.js';
    expect(others.split(/\s+/).filter(isTestFile)).toEqual([]);
  });
});
