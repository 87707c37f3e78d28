import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FlowerError } from '../errors.js';
import { acquireRunLock, lockHolder } from './runLock.js';
import { runChild, source, startChild } from './testing/childProcess.mjs';

const newRunDir = () => join(mkdtempSync(join(tmpdir(), 'flower-lock-')), 'runs');

const holding = `
  import { acquireRunLock } from '${source('database/runLock.ts')}';
  acquireRunLock(JSON.parse(process.argv[1]).runDir);
  console.log('held');
  setInterval(() => {}, 1000);`;

const trying = `
  import { acquireRunLock } from '${source('database/runLock.ts')}';
  const { runDir, waitMs } = JSON.parse(process.argv[1]);
  try {
    acquireRunLock(runDir, { waitMs, locale: 'en' });
    console.log('taken');
  } catch (error) {
    console.log(error.code + ': ' + error.message);
  }`;

describe('R1.66, D8.1: one writer', () => {
  it('is counted within the process, for all below the directory', async () => {
    const runDir = newRunDir();
    const first = acquireRunLock(runDir);
    const second = acquireRunLock(runDir);
    const below = acquireRunLock(join(runDir, 'aside'));
    expect(below.runDir).toBe(first.runDir);
    expect(existsSync(join(runDir, 'aside'))).toBe(false);
    first.release();
    first.release();
    second.release();
    expect((await runChild(trying, { runDir, waitMs: 0 })).output).toContain('run_locked');
    below.release();
    expect(lockHolder(runDir)).toBeNull();
    expect((await runChild(trying, { runDir, waitMs: 0 })).output).toContain('taken');
  });

  it('is refused to another process with PID and start time, before anything is written', async () => {
    const runDir = newRunDir();
    const lock = acquireRunLock(runDir);
    const before = readdirSync(runDir);
    const refused = await runChild(trying, { runDir, waitMs: 0 });
    expect(refused.output).toMatch(new RegExp(`run_locked: .*PID ${process.pid}.*\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d`));
    const below = await runChild(trying, { runDir: join(runDir, 'aside'), waitMs: 0 });
    expect(below.output).toContain(`PID ${process.pid}`);
    expect(readdirSync(runDir)).toEqual(before);
    lock.release();
  });

  it('goes with a process that is killed, at once and without a trace that misleads', async () => {
    const runDir = newRunDir();
    const child = startChild(holding, { runDir });
    await child.said('held');
    expect(lockHolder(runDir)).toMatchObject({ pid: child.pid });
    expect(() => acquireRunLock(runDir, { waitMs: 0 })).toThrow(FlowerError);
    child.kill('SIGKILL');
    await child.ended;
    expect(existsSync(join(runDir, 'run.pid'))).toBe(true);
    writeFileSync(join(runDir, 'run.pid.4711'), '{"pid"');
    expect(lockHolder(runDir)).toBeNull();
    const lock = acquireRunLock(runDir, { waitMs: 0 });
    expect(readdirSync(runDir).sort()).toEqual(['.gitignore', 'run.lock', 'run.pid']);
    expect(JSON.parse(readFileSync(join(runDir, 'run.pid'), 'utf8'))).toMatchObject({ pid: process.pid });
    lock.release();
    expect(existsSync(join(runDir, 'run.pid'))).toBe(false);
  });

  it('is still held by a process that is stopped', async () => {
    const runDir = newRunDir();
    const child = startChild(holding, { runDir });
    await child.said('held');
    child.kill('SIGSTOP');
    expect(() => acquireRunLock(runDir, { waitMs: 0 })).toThrow(String(child.pid));
    child.kill('SIGKILL');
    await child.ended;
  });

  it('is won by exactly one of several that start in the same second', async () => {
    const runDir = newRunDir();
    const racing = `${trying} console.log('done'); process.stdin.on('data', () => process.exit()); process.stdin.resume();`;
    const children = Array.from({ length: 5 }, () => startChild(racing, { runDir, waitMs: 100 }));
    await Promise.all(children.map((child) => child.said('done')));
    for (const child of children) child.kill('SIGKILL');
    const outputs = (await Promise.all(children.map((child) => child.ended))).map(({ output }) => output);
    expect(outputs.filter((output) => output.includes('taken'))).toHaveLength(1);
    expect(outputs.filter((output) => output.includes('run_locked'))).toHaveLength(4);
  });
});

describe('lockHolder', () => {
  it('creates nothing where nobody ever ran', () => {
    const runDir = newRunDir();
    expect(lockHolder(runDir)).toBeNull();
    expect(existsSync(runDir)).toBe(false);
  });

  it('names this process for its own lock, and drops no lock by looking', async () => {
    const runDir = newRunDir();
    const lock = acquireRunLock(runDir);
    expect(lockHolder(runDir)).toMatchObject({ pid: process.pid });
    expect((await runChild(trying, { runDir, waitMs: 0 })).output).toContain('run_locked');
    lock.release();
  });
});

it('a file called run.lock in a folder above that is not flower does not matter', () => {
  const runDir = newRunDir();
  writeFileSync(
    join(runDir, '..', 'run.lock'),
    'something else entirely, long enough to be looked at as a database header by SQLite',
  );
  mkdirSync(runDir);
  acquireRunLock(runDir).release();
});

it('a run directory that cannot be created is a plain error', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'flower-lock-')), 'file');
  writeFileSync(file, '');
  expect(() => acquireRunLock(join(file, 'runs'), { locale: 'en' })).toThrow(/cannot be opened/);
});
