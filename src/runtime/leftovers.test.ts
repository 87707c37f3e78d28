import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endLeftovers, endMarked, isOwnerAlive } from './leftovers.js';
import { isRunning, processEntry } from './processes.js';

const nowS = () => Date.now() / 1000;
const started: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of started.splice(0)) {
    if (pid === undefined) continue;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Ended by the test, with its whole group.
    }
  }
});

describe.runIf(process.platform === 'linux')('Z61 what a dead flower left behind', () => {
  it('is ended: the harness, its shells, and what these started without the mark', async () => {
    const mark = await markOfDead('app');
    const harness = start('exec sleep 1000', mark);
    const shell = start(`env -i sh -c 'sleep 1000 & echo $!'; exec sleep 1000`, mark);
    const unmarked = Number(await firstLine(shell));
    expect(processEntry(unmarked)?.variable('FLOWER_OWNER')).toBeUndefined();

    expect(isGone(unmarked)).toBe(false);
    expect(await endLeftovers('app')).toBeGreaterThanOrEqual(3);
    expect(await ended(harness)).toBe('SIGTERM');
    expect(await ended(shell)).toBe('SIGTERM');
    expect(isGone(unmarked)).toBe(true);
    expect(await endLeftovers('app')).toBe(0);
  });

  it('is left alone if it has no mark, another project or an owner that lives', async () => {
    const dead = await markOfDead('app');
    const owner = start('exec sleep 1000', '');
    const spared = [
      owner,
      start('exec sleep 1000', `app:${owner.pid}:${nowS()}`),
      start('exec sleep 1000', `app:${process.pid}:${nowS()}`),
      start('exec sleep 1000', dead.replace('app', 'app2')),
      start('exec sleep 1000', dead.replace('app', 'my:app')),
      start('exec sleep 1000', 'app'),
      start('exec sleep 1000', `app:0:${nowS()}`),
    ];
    expect(await endLeftovers('app')).toBe(0);
    expect(spared.map(({ pid }) => isGone(pid))).toEqual(spared.map(() => false));

    owner.kill();
    await ended(owner);
    expect(await endLeftovers('app')).toBe(1);
    expect(await ended(spared[1] as ChildProcess)).toBe('SIGTERM');
    expect(spared.slice(2).map(({ pid }) => isGone(pid))).toEqual(spared.slice(2).map(() => false));
  });

  it('does not include what another flower runs in the same process group', async () => {
    const alive = `app:${process.pid}:${nowS()}`;
    const shell = start(`FLOWER_OWNER=${alive} sleep 1000 & echo $!; exec sleep 1000`, await markOfDead('app'));
    const other = Number(await firstLine(shell));
    await until(() => processEntry(other)?.variable('FLOWER_OWNER') === alive);
    expect(await endLeftovers('app')).toBe(1);
    expect(isGone(other)).toBe(false);
  });

  it('is known by the time as well, where another process has got the number of its owner', async () => {
    const other = start('exec sleep 1000', '');
    const left = start('exec sleep 1000', `app:${other.pid}:${nowS() - 3600}`);
    expect(await endLeftovers('app')).toBe(1);
    expect(await ended(left)).toBe('SIGTERM');
    expect(isGone(other.pid)).toBe(false);
  });

  it('is killed if it does not end by itself, with or without a mark', async () => {
    const deaf = 'trap "" TERM; echo $$; while :; do sleep 0.1; done';
    const shell = start(`env -i sh -c '${deaf}' & wait`, await markOfDead('app'));
    const unmarked = Number(await firstLine(shell));
    const marked = start(deaf, await markOfDead('app'));
    await firstLine(marked);

    expect(unmarked).not.toBe(shell.pid);

    expect(await endLeftovers('app', { graceS: 0.5 })).toBeGreaterThanOrEqual(3);
    expect(await ended(marked)).toBe('SIGKILL');
    expect(await ended(shell)).toBe('SIGTERM');
    expect(isGone(unmarked)).toBe(true);
  });

  it('is given so long to end', async () => {
    await expect(endLeftovers('app', { graceS: Number.NaN })).rejects.toThrow(
      new TypeError('endLeftovers: graceS must be a number from 0 on, got NaN'),
    );
    const deaf = start('trap "" TERM; echo ready; while :; do sleep 0.1; done', await markOfDead('app'));
    await firstLine(deaf);
    await endLeftovers('app', { graceS: 0 });
    expect(await ended(deaf)).toBe('SIGKILL');
  });

  it('is not waited for where this user may not end it', async () => {
    const foreign = start('exec sleep 1000', await markOfDead('app'));
    const ask = process.kill.bind(process);
    const kill = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (signal === 0) return ask(pid, 0);
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    try {
      expect(await endLeftovers('app', { graceS: 3600 })).toBe(0);
      expect(kill).toHaveBeenCalledWith(foreign.pid, 'SIGTERM');
    } finally {
      kill.mockRestore();
    }
    expect(isGone(foreign.pid)).toBe(false);
  });

  it('is not the process that looks, nor one that it runs in', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flower-leftovers-'));
    for (const name of ['leftovers', 'processes']) {
      const source = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
      const { transpileModule, ModuleKind, ScriptTarget } = (await import('typescript')).default;
      const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
      writeFileSync(join(folder, `${name}.js`), transpileModule(source, { compilerOptions }).outputText);
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const code = `import { endLeftovers } from './leftovers.js'; console.log(await endLeftovers('app'));`;
    writeFileSync(join(folder, 'look.js'), code);
    const mark = await markOfDead('app');
    const left = start('exec sleep 1000', mark);
    const looking = start(`'${process.execPath}' '${join(folder, 'look.js')}'; echo alive`, mark);
    expect(await allLines(looking)).toBe('1\nalive\n');
    expect(await ended(left)).toBe('SIGTERM');
    rmSync(folder, { recursive: true });
  });
});

describe.runIf(process.platform === 'linux')('what a query left behind', () => {
  it('is ended by its own mark, deaf or unmarked in its group; what another query started is not', async () => {
    const mark = `app:${process.pid}:${nowS()}`;
    const beside = start('exec sleep 1000', mark, 'two');
    const shell = start(`env -i sh -c 'sleep 1000 & echo $!'; exec sleep 1000`, mark, 'one');
    const unmarked = Number(await firstLine(shell));
    const deaf = start('trap "" TERM; echo ready; while :; do sleep 0.1; done', mark, 'one');
    await firstLine(deaf);
    await endMarked('FLOWER_QUERY', 'one');
    expect(await ended(shell)).toBe('SIGTERM');
    expect(await ended(deaf)).toBe('SIGKILL');
    expect(isGone(unmarked)).toBe(true);
    expect(isGone(beside.pid)).toBe(false);
  });
});

describe('isOwnerAlive', () => {
  it('says so of this process, and of another one at any time of its life', () => {
    const owner = start('exec sleep 1000', '');
    expect(isOwnerAlive({ pid: process.pid, startedAt: 1 })).toBe(true);
    expect(isOwnerAlive({ pid: Number(owner.pid), startedAt: nowS() })).toBe(true);
    expect(isOwnerAlive({ pid: Number(owner.pid), startedAt: nowS() + 100_000 })).toBe(true);
    expect(isOwnerAlive({ pid: process.ppid, startedAt: nowS() })).toBe(true);
  });

  it.runIf(process.platform === 'linux')(
    'does not of one that began later, that ended, or that is only not yet reaped',
    async () => {
      const owner = start('sleep 1000 & echo $!; exec sleep 1001', '');
      const zombie = Number(await firstLine(owner));
      expect(isOwnerAlive({ pid: Number(owner.pid), startedAt: nowS() - 60 })).toBe(false);
      // A shell would ask how its child ended; what it has become does not.
      await until(() => readFileSync(`/proc/${owner.pid}/comm`, 'utf8') === 'sleep\n');
      expect(isOwnerAlive({ pid: zombie, startedAt: nowS() })).toBe(true);
      process.kill(zombie, 'SIGKILL');
      await until(() => processEntry(zombie)?.isZombie === true);
      expect(isRunning(zombie)).toBe(true);
      expect(isOwnerAlive({ pid: zombie, startedAt: nowS() })).toBe(false);
      owner.kill();
      await ended(owner);
      expect(isOwnerAlive({ pid: Number(owner.pid), startedAt: nowS() })).toBe(false);
    },
  );
});

/** A shell in a group of its own that carries a mark. */
function start(command: string, mark: string, query = ''): ChildProcess {
  const env = { PATH: process.env.PATH, ...(mark && { FLOWER_OWNER: mark }), ...(query && { FLOWER_QUERY: query }) };
  const child = spawn('sh', ['-c', command], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  return child;
}

async function markOfDead(projectKey: string): Promise<string> {
  const owner = start('exit 0', '');
  const seen = nowS();
  await ended(owner);
  return `${projectKey}:${owner.pid}:${seen}`;
}

function ended(child: ChildProcess): Promise<string | number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.signalCode ?? child.exitCode);
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.stdout?.once('data', (data) => resolve(String(data).split('\n', 1)[0] ?? '')));
}

async function allLines(child: ChildProcess): Promise<string> {
  let lines = '';
  for await (const data of child.stdout ?? []) lines += data;
  return lines;
}

function isGone(pid: number | undefined): boolean {
  const entry = processEntry(pid ?? 0);
  return entry === null || entry.isZombie;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}
