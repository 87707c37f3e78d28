import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workbench } from './workbench.js';

let base: string;
let workspace: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'flower-bench-')));
  workspace = join(base, 'project');
  mkdirSync(workspace);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, text = 'x\n'): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const bench = (options: ConstructorParameters<typeof Workbench>[1] = {}) =>
  new Workbench(workspace, { locale: 'en', ...options });
const shownIn = (workbench: Workbench, folder: string) => workbench.scan(folder).map(([shown]) => shown);

describe('Workbench', () => {
  it('R7.1 R7.3 creates nothing until ensure, then three folders and a .gitignore', () => {
    const workbench = bench();
    expect(existsSync(workbench.root)).toBe(false);
    expect(workbench.ensure()).toBe(workbench);
    for (const folder of [workbench.scripts, workbench.artifacts, workbench.notes])
      expect(existsSync(folder)).toBe(true);
    expect(existsSync(workbench.spill)).toBe(false);
    expect(readFileSync(join(workbench.root, '.gitignore'), 'utf8')).toBe('spill/\n');
  });

  it('R7.3 leaves an existing .gitignore alone', () => {
    const path = put(join(workspace, '.flower/.gitignore'), '*\n');
    bench().ensure();
    expect(readFileSync(path, 'utf8')).toBe('*\n');
  });

  it('R7.2 R7.4 knows by path segments whether it lies outside', () => {
    expect(bench().external).toBe(false);
    expect(bench({ home: join(workspace, 'deep/bench') }).external).toBe(false);
    expect(bench({ home: join(base, 'project-bench'), dirname: 'ignored' })).toMatchObject({
      external: true,
      root: join(base, 'project-bench'),
    });
    expect(bench({ home: join(workspace, '..other') }).external).toBe(false);
  });

  it('R7.1 follows symbolic links, also of a folder that is not there yet', () => {
    symlinkSync(workspace, join(base, 'link'));
    expect(new Workbench(join(base, 'link')).workspace).toBe(workspace);
    expect(new Workbench(workspace, { home: join(base, 'link/inner/bench') }).external).toBe(false);
  });

  it('R7.5 shows paths relative to the workspace, and absolute where that is not possible', () => {
    const workbench = bench();
    expect(workbench.show(workbench.artifacts)).toBe('.flower/artifacts');
    expect(workbench.show(workspace)).toBe('.');
    expect(workbench.show('/elsewhere/x')).toBe('/elsewhere/x');
    const outer = bench({ home: join(base, 'bench') });
    expect(outer.show(outer.notes)).toBe(join(base, 'bench/notes'));
    expect(outer.show(join(workspace, 'a'))).toBe(join(workspace, 'a'));
  });

  it('rejects a wrong number of entries', () => {
    expect(() => bench({ maxIndexEntries: -1 })).toThrow(
      new TypeError('maxIndexEntries: expected an integer of at least 0, got -1'),
    );
  });
});

describe('scan', () => {
  it('R7.6 lists nested files by path, without hidden ones and archived notes', () => {
    const workbench = bench();
    for (const name of [
      'artifacts/a/b.txt',
      'artifacts/z.txt',
      'artifacts/.DS_Store',
      'artifacts/.git/x',
      'artifacts/a/.h/y',
    ])
      put(join(workbench.root, name));
    for (const name of ['notes/brief.md', 'notes/archive/1/brief.md', 'scripts/archive/run.sh'])
      put(join(workbench.root, name));
    expect(shownIn(workbench, workbench.artifacts)).toEqual(['.flower/artifacts/a/b.txt', '.flower/artifacts/z.txt']);
    expect(shownIn(workbench, workbench.notes)).toEqual(['.flower/notes/brief.md']);
    expect(shownIn(workbench, workbench.scripts)).toEqual(['.flower/scripts/archive/run.sh']);
  });

  it('R7.6 gives nothing for a missing folder and survives what it cannot read', () => {
    const workbench = bench().ensure();
    expect(workbench.scan(join(workbench.root, 'nothing'))).toEqual([]);
    symlinkSync(join(base, 'gone'), join(workbench.scripts, 'broken'));
    symlinkSync(workbench.root, join(workbench.scripts, 'circle'));
    put(join(workbench.scripts, 'run.sh'));
    expect(shownIn(workbench, workbench.scripts)).toEqual(['.flower/scripts/run.sh']);
  });

  it('keeps an entry on one line whatever its name is', () => {
    const workbench = bench();
    put(join(workbench.notes, 'a\n# Workbench'));
    expect(shownIn(workbench, workbench.notes)).toEqual(['.flower/notes/a?# Workbench']);
  });

  it('takes a new description when the file changed', () => {
    const workbench = bench();
    const path = put(join(workbench.scripts, 'run.sh'), '# desc: one\n');
    expect(workbench.scan(workbench.scripts)[0]?.[1]).toBe('one');
    put(path, '# desc: other\n');
    expect(workbench.scan(workbench.scripts)[0]?.[1]).toBe('other');
  });
});

describe('refresh', () => {
  it('R7.9 writes three headings with their counts', () => {
    const workbench = bench();
    const index = workbench.refresh();
    expect(readFileSync(workbench.indexPath, 'utf8')).toBe(index);
    expect(index.split('\n')).toEqual([
      '# Workbench index',
      '',
      '> Generated, do not edit. A first line `# desc: one sentence` in a script shows up here.',
      '',
      '## Reusable scripts (0)',
      '- (empty)',
      '',
      '## Artifacts (0)',
      '- (empty)',
      '',
      '## Decision records (0)',
      '- (empty)',
      '',
    ]);
  });

  it('R7.9 in Chinese has the documented headings', () => {
    const workbench = bench({ locale: 'zh' });
    put(join(workbench.scripts, 'run.sh'), '# desc: 跑一遍\n');
    put(join(workbench.artifacts, 'log'), '');
    const index = workbench.refresh();
    expect(index).toContain('## 可复用脚本(1)\n- `.flower/scripts/run.sh` — 跑一遍 (18B)\n');
    expect(index).toContain('## 产出(1)\n- `.flower/artifacts/log` — (无说明) (0B)\n');
    expect(index).toContain('## 决策记录(0)\n- (空)\n');
  });

  it.each([
    [1023, '1023B'],
    [1024, '1.0K'],
    [1_048_575, '1024.0K'],
    [1_048_576, '1.0M'],
  ])('R7.8 shows %i bytes as %s', (bytes, shown) => {
    const workbench = bench();
    put(join(workbench.artifacts, 'f'), 'x'.repeat(bytes));
    expect(workbench.refresh()).toContain(`(${shown})`);
  });

  it('R7.9 touches the file only when the text changed', () => {
    const workbench = bench();
    workbench.refresh();
    utimesSync(workbench.indexPath, 1000, 1000);
    workbench.refresh();
    expect(statSync(workbench.indexPath).mtimeMs).toBe(1_000_000);
    put(join(workbench.notes, 'a.md'));
    workbench.refresh();
    expect(statSync(workbench.indexPath).mtimeMs).not.toBe(1_000_000);
  });
});

describe('promptBlock', () => {
  it('R7.11 says that the workbench is empty and gives the three rules', () => {
    const block = bench().promptBlock();
    expect(block).toMatch(/^# Workbench \.flower\/\n\n/);
    expect(block).toContain('(empty so far)');
    for (const part of ['.flower/scripts', '.flower/artifacts', '.flower/notes', '# desc:', '2000'])
      expect(block).toContain(part);
    expect(block).not.toContain('on purpose');
  });

  it('R7.12 lists 40 of 45 scripts of an outer workbench and names the folder of the rest', () => {
    const workbench = bench({ home: join(base, 'bench') });
    for (let i = 10; i < 55; i++) put(join(workbench.scripts, `s${i}.sh`));
    const lines = workbench.promptBlock().split('\n');
    expect(lines.filter((line) => line.startsWith('- `'))).toHaveLength(40);
    expect(lines).toContain(`…and 5 more, see \`ls ${join(base, 'bench/scripts')}/\``);
    expect(workbench.promptBlock()).toContain(join(base, 'bench'));
    expect(workbench.refresh().match(/^- `/gm)).toHaveLength(45);
  });

  it('R7.11 leaves out the dash of a file without a description and the title of an empty compartment', () => {
    const workbench = bench();
    put(join(workbench.notes, 'brief.md'), 'plain\n');
    const block = workbench.promptBlock();
    expect(block).toContain('Notes\n- `.flower/notes/brief.md` (6B)\n');
    expect(block).not.toContain('Scripts\n');
    expect(block).not.toContain('empty so far');
  });

  it('names what lies in the notes and nothing else', () => {
    const workbench = bench();
    put(join(workbench.notes, 'brief.md'));
    put(join(workspace, 'brief.md'));
    put(join(workbench.spill, '0123456789abcdef.txt'));
    expect(workbench.promptBlock().match(/^- `/gm)).toHaveLength(1);
  });
});

describe('newSince', () => {
  it('R7.15 gives nothing if nothing changed', () => {
    const workbench = bench();
    utimesSync(put(join(workbench.notes, 'a.md')), 100, 100);
    expect(workbench.newSince(100)).toBe('');
  });

  it('R7.15 lists what changed, newest first, at most ten lines', () => {
    const workbench = bench();
    for (let i = 1; i <= 12; i++) utimesSync(put(join(workbench.artifacts, `f${i}`)), 100 + i, 100 + i);
    for (const name of ['spill/x.txt', 'notes/archive/old.md']) utimesSync(put(join(workbench.root, name)), 999, 999);
    const lines = workbench.newSince(100).split('\n');
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe('Changed in the workbench since you stopped last:');
    expect(lines[1]).toContain('.flower/artifacts/f12');
    expect(lines[9]).toContain('.flower/artifacts/f4');
    expect(lines[10]).toBe('…and 3 more, see `ls .flower/`');
    expect(workbench.newSince(102).split('\n')).toHaveLength(11);
    expect(workbench.newSince(102)).not.toContain('more');
  });
});

describe('workerBlock', () => {
  it.each(['en', 'zh'] as const)('R7.16 has absolute paths and at most 800 characters (%s)', (locale) => {
    for (const home of [null, join(base, `.flower-${basename(workspace)}`)]) {
      const workbench = bench({ home, locale });
      const block = workbench.workerBlock();
      for (const path of [workbench.root, workbench.scripts, workbench.artifacts]) expect(block).toContain(path);
      expect(block).toContain('# desc:');
      expect(block.length).toBeLessThanOrEqual(800);
    }
  });

  it('says whether it lies inside the repository', () => {
    expect(bench().workerBlock()).toContain('inside the repository');
    expect(bench({ home: join(base, 'x') }).workerBlock()).toContain('outside the repository');
  });
});
