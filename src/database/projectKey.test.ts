import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathProjectKey, projectKeyOf } from './projectKey.js';
import { runChild, source } from './testing/childProcess.mjs';

const newFolder = () => mkdtempSync(join(tmpdir(), 'flower-key-'));

describe('pathProjectKey', () => {
  it('01.20: replaces every UTF-16 unit that is no ASCII letter or digit', () => {
    expect(pathProjectKey('/tmp/a b/项目')).toBe('-tmp-a-b---');
    expect(pathProjectKey('/tmp/x/😀')).toBe('-tmp-x---');
  });

  it('R1.64: cuts a long path at 200 and adds the hash of the whole', () => {
    const long = `/nowhere/${'a'.repeat(300)}`;
    const key = pathProjectKey(long);
    let hash = 0n;
    for (const unit of long) hash = BigInt.asIntN(32, hash * 31n + BigInt(unit.charCodeAt(0)));
    expect(key).toBe(`-nowhere-${'a'.repeat(191)}-${(hash < 0n ? -hash : hash).toString(36)}`);
    expect(pathProjectKey(`/nowhere/${'a'.repeat(191)}`)).toHaveLength(200);
  });
});

describe('R1.65 projectKeyOf', () => {
  it('01.30: is drawn once, kept, and moves with the directory', () => {
    const workspace = newFolder();
    const key = projectKeyOf(join(workspace, 'runs'), { workspace, stored: [] });
    expect(key).toMatch(/^flower-[0-9a-f]{16}$/);
    expect(readFileSync(join(workspace, 'runs', '.gitignore'), 'utf8')).toBe('*\n');
    const moved = `${workspace}-moved`;
    renameSync(workspace, moved);
    expect(projectKeyOf(join(moved, 'runs'), { workspace: moved, stored: [key] })).toBe(key);
    expect(readdirSync(join(moved, 'runs')).sort()).toEqual(['.gitignore', 'project.json']);
  });

  it('is what the file holds, whatever the store says', () => {
    const workspace = newFolder();
    writeFileSync(join(workspace, 'project.json'), '{"key": "given"}');
    expect(projectKeyOf(workspace, { workspace, stored: [pathProjectKey(workspace)] })).toBe('given');
    expect(readFileSync(join(workspace, 'project.json'), 'utf8')).toBe('{"key": "given"}');
  });

  it('is found in the store of an older directory, under either rule and either path', () => {
    const workspace = join(newFolder(), 'a_b c.d');
    mkdirSync(workspace);
    const earlier = workspace.replace(/[/_.]/g, '-');
    expect(earlier).not.toBe(pathProjectKey(workspace));
    const find = (stored: string[], lineagePath?: string) =>
      projectKeyOf(join(newFolder(), 'runs'), { workspace, stored, lineagePath });
    expect(find([earlier, 'other'])).toBe(earlier);
    expect(find([pathProjectKey(workspace), 'other'])).toBe(pathProjectKey(workspace));
    expect(find(['-old-place'], '/old/place')).toBe('-old-place');
    expect(find(['-old-place'])).toMatch(/^flower-/);
    expect(find([earlier, pathProjectKey(workspace)])).toBe(pathProjectKey(workspace));
    expect(find(['flower-0123456789abcdef'])).toBe('flower-0123456789abcdef');
  });

  it('sets a broken file aside instead of overwriting it', () => {
    const runDir = newFolder();
    writeFileSync(join(runDir, 'project.json'), '{"key": ');
    const key = projectKeyOf(runDir, { workspace: runDir, stored: [] });
    expect(key).toMatch(/^flower-/);
    const aside = readdirSync(runDir).find((name) => name.startsWith('project.json.corrupt-'));
    expect(readFileSync(join(runDir, String(aside)), 'utf8')).toBe('{"key": ');
    expect(projectKeyOf(runDir, { workspace: runDir, stored: [] })).toBe(key);
  });

  it('is the same for processes that draw it at the same time', async () => {
    const runDir = join(newFolder(), 'runs');
    const code = `
      import { projectKeyOf } from '${source('database/projectKey.ts')}';
      const { runDir } = JSON.parse(process.argv[1]);
      console.log(projectKeyOf(runDir, { workspace: runDir, stored: [] }));`;
    const ends = await Promise.all(Array.from({ length: 4 }, () => runChild(code, { runDir })));
    expect(new Set(ends.map(({ output }) => output.trim())).size).toBe(1);
    expect(readdirSync(runDir).sort()).toEqual(['.gitignore', 'project.json']);
  });

  it('survives a kill at each durable write', async () => {
    const code = `
      import { projectKeyOf } from '${source('database/projectKey.ts')}';
      import { observeDurableWrites } from '${source('durableWrites.ts')}';
      let { runDir, left } = JSON.parse(process.argv[1]);
      observeDurableWrites(() => { if (--left === 0) process.kill(process.pid, 'SIGKILL'); });
      projectKeyOf(runDir, { workspace: runDir, stored: [] });`;
    for (let n = 1; ; n += 1) {
      const runDir = join(newFolder(), 'runs');
      const end = await runChild(code, { runDir, left: n });
      const key = projectKeyOf(runDir, { workspace: runDir, stored: [] });
      expect(key).toMatch(/^flower-[0-9a-f]{16}$/);
      expect(existsSync(join(runDir, '.gitignore'))).toBe(true);
      if (end.signal === null) {
        expect(end.exitCode).toBe(0);
        expect(n).toBeGreaterThan(2);
        break;
      }
    }
  });
});
