import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { call, type Sim, say, startSim } from '../../src/sim/index.js';
import { type FlowerEnd, runFlower, startFlower, tempFolder } from '../support/flowerProgram.js';
import { smallestRun } from '../support/scripts.js';
import { hasTmux, Tmux } from '../support/tmux.js';

const folder = tempFolder('looking');
const done = join(folder.path, 'done');
let sim: Sim;

/** Without the line breaks that make it fit a screen. */
async function flower(workspace: string, ...args: string[]): Promise<FlowerEnd> {
  const end = await runFlower(['-w', workspace, ...args], { url: sim.url, cwd: folder.path });
  const unbroken = (words: string) => words.replace(/\n\s+/g, ' ');
  return { ...end, stdout: unbroken(end.stdout), stderr: unbroken(end.stderr) };
}

interface Check {
  readonly id: string;
  readonly state: string;
  readonly text: string;
  readonly advice: string | null;
  readonly fixed: boolean;
}

async function doctor(workspace: string, ...args: string[]): Promise<{ code: number | null; checks: Check[] }> {
  const { code, stdout } = await flower(workspace, 'doctor', '--json', ...args);
  return { code, checks: (JSON.parse(stdout) as { checks: Check[] }).checks };
}

/** A fresh copy of the directory in which a run has come to its end. */
function copyOfDone(): string {
  const copy = join(folder.path, 'copy');
  rmSync(copy, { recursive: true, force: true });
  cpSync(done, copy, { recursive: true });
  return copy;
}

beforeAll(async () => {
  sim = await startSim({ script: smallestRun() });
  expect((await flower(done, 'write hello', '--timeout', '0')).code).toBe(0);
});
afterAll(async () => {
  await sim.close();
  folder.remove();
});

describe('where nothing was run (C34.1)', () => {
  it('status says so, and that a directory that was named is not there', async () => {
    const fresh = join(folder.path, 'fresh');
    const end = await flower(fresh, 'status');
    expect([end.code, end.stdout]).toEqual([0, `nothing was run here yet (${join(fresh, 'runs')})\n`]);
    expect(JSON.parse((await flower(fresh, 'status', '--json')).stdout)).toMatchObject({ schema: 1, state: 'none' });
    const named = await flower(fresh, 'status', 'nowhere');
    expect([named.code, named.stderr]).toEqual([1, expect.stringMatching(/nowhere not found\n.*flower go status/)]);
  });

  it('doctor finds nothing that a run would fail on', async () => {
    const { code, checks } = await doctor(join(folder.path, 'fresh'));
    expect([code, checks.filter(({ state }) => state === 'bad')]).toEqual([0, []]);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(18);
    expect(existsSync(join(folder.path, 'fresh'))).toBe(false);
  });
});

describe('where a run has ended', () => {
  it('status tells how, and nothing of going on', async () => {
    const { code, stdout } = await flower(done, 'status');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\+ Achieved: the item is checked, with evidence \d{4}-\d\d-\d\d/);
    expect(stdout).toContain('- goal: hello.txt is there');
    expect(stdout).toContain('latest verdict: met');
    expect(stdout).not.toContain('to go on');
  });

  it('doctor would read every session back, and finds the views in order', async () => {
    const { checks } = await doctor(done);
    expect(checks.find(({ id }) => id === 'transcripts')?.text).toBe('3 sessions can be resumed');
    for (const id of ['database', 'views', 'lock', 'runs', 'unsaved', 'processes']) {
      expect(checks.find((check) => check.id === id)).toMatchObject({ state: 'ok' });
    }
  });

  it('doctor --fix writes a view and an ignore rule anew', async () => {
    const copy = copyOfDone();
    writeFileSync(join(copy, 'runs', 'manifest.json'), '[]');
    rmSync(join(copy, '.flower', '.gitignore'));
    expect((await doctor(copy)).checks.filter(({ state }) => state === 'warn').map(({ id }) => id)).toEqual([
      'git',
      'ignore',
      'views',
    ]);
    const { checks } = await doctor(copy, '--fix');
    expect(checks.filter(({ fixed }) => fixed).map(({ id }) => id)).toEqual(['ignore', 'views']);
    expect(readFileSync(join(copy, '.flower', '.gitignore'), 'utf8')).toBe('spill/\n');
    expect(readFileSync(join(copy, 'runs', 'manifest.json'), 'utf8')).toContain('set-goal');
  });
});

it('a run that lives elsewhere is shown and left alone; once it is killed it is what is left (C34.2, C35.3)', async () => {
  const busy = join(folder.path, 'busy');
  sim.setScript(
    smallestRun({
      worker: (request) =>
        request.turn < 400 ? call('Bash', { command: 'sleep 0.3', description: 'Wait' }) : say('Not reached.'),
    }),
  );
  const before = sim.requests.length;
  const child = startFlower(['-w', busy, 'write hello', '--timeout', '0'], { url: sim.url, cwd: folder.path });
  await vi.waitFor(
    () => expect(sim.requests.slice(before).some((it) => it.thread === 'worker' && it.turn > 0)).toBe(true),
    {
      timeout: 40_000,
    },
  );
  try {
    const alive = await flower(busy, 'status');
    expect(alive.stdout).toMatch(new RegExp(`^running \\(PID ${child.pid}, since .*- work · round 1 of 3`));
    expect(alive.stdout).toMatch(/\| coder · write hello · Bash sleep 0\.3/);
    const used = await flower(busy, 'doctor', '--fix');
    expect(used.stdout).toContain(`in use by another flower (PID ${child.pid},`);
    expect(used.stdout).toContain('is in use; nothing in it was changed');
  } finally {
    child.kill('SIGKILL');
    await child.end;
    sim.setScript(smallestRun());
  }
  const left = await flower(busy, 'status');
  expect([left.code, left.stdout]).toEqual([0, expect.stringMatching(/^! the last run did not end by itself/)]);
  expect(left.stdout).toContain(`to go on: flower -w ${busy}`);
  const { checks } = await doctor(busy, '--fix');
  expect(checks.find(({ id }) => id === 'runs')).toMatchObject({
    state: 'warn',
    text: expect.stringMatching(/^1 run has/),
  });
  expect(checks.find(({ id }) => id === 'lock')).toMatchObject({ fixed: true });
  expect(existsSync(join(busy, 'runs', 'run.pid'))).toBe(false);
  const after = (await doctor(busy)).checks.filter(({ state }) => state !== 'ok').map(({ id }) => id);
  expect(after).toEqual(['git', 'runs']);
});

describe('what stands in the way is named, with what to do, and left alone', () => {
  const notes = (workspace: string, name: string) => join(workspace, '.flower', 'notes', name);
  const replaceByFolder = (path: string) => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
  };

  it.each<[string, (workspace: string) => void, RegExp, { status: RegExp; doctor: RegExp }]>([
    [
      'a database of other bytes',
      (at) => writeFileSync(join(at, 'runs', 'sessions.db'), 'not a database '.repeat(1000)),
      /sessions\.db is damaged and cannot be read .*Keep a copy of it/,
      { status: /is damaged/, doctor: /database is damaged/ },
    ],
    [
      'a lock of other bytes',
      (at) => writeFileSync(join(at, 'runs', 'run.lock'), 'not a lock '.repeat(1000)),
      /run\.lock is not the lock that flower makes .*remove it and run again/,
      { status: /^\+ Achieved/, doctor: /run\.lock is not the lock/ },
    ],
    [
      'a file in place of the run directory',
      (at) => {
        rmSync(join(at, 'runs'), { recursive: true });
        writeFileSync(join(at, 'runs'), 'words');
      },
      /runs cannot hold the records of runs.*Move it away/,
      { status: /cannot hold the records/, doctor: /cannot hold the records/ },
    ],
    [
      'a pipe in place of the brief',
      (at) => {
        rmSync(notes(at, 'brief.md'));
        execFileSync('mkfifo', [notes(at, 'brief.md')]);
      },
      /brief\.md is no document that flower can read: something other than a file/,
      { status: /^\+ Achieved/, doctor: /something other than a file/ },
    ],
    [
      'a brief of 56 MB',
      (at) => writeFileSync(notes(at, 'brief.md'), '# a\n\n## b\nc\n'.repeat(4_600_000)),
      /brief\.md is no document that flower can read: it holds \d\d MB/,
      { status: /^\+ Achieved/, doctor: /it holds \d\d MB/ },
    ],
    [
      'a folder in place of the goal',
      (at) => replaceByFolder(notes(at, 'goal.md')),
      /goal\.md is no document that flower can read/,
      { status: /^\+ Achieved/, doctor: /goal\.md is no document/ },
    ],
    [
      'a folder in place of the index',
      (at) => replaceByFolder(join(at, '.flower', 'INDEX.md')),
      /INDEX\.md cannot be used: a folder stands where a file belongs/,
      { status: /^\+ Achieved/, doctor: /database intact/ },
    ],
  ])('%s', async (_what, damage, refused, seen) => {
    const copy = copyOfDone();
    damage(copy);
    const requests = sim.requests.length;
    const go = await flower(copy, 'and more', '--timeout', '0');
    expect([go.code, go.stderr]).toEqual([1, expect.stringMatching(refused)]);
    expect(go.stderr).not.toMatch(/flower itself failed|\n\s+at /);
    expect(sim.requests.length).toBe(requests);
    const [status, { checks }] = await Promise.all([flower(copy, 'status'), doctor(copy)]);
    expect(status.stdout + status.stderr).toMatch(seen.status);
    expect(checks.map(({ text }) => text).join('\n')).toMatch(seen.doctor);
  });

  it('a database that was emptied: doctor says what that means, and what the manifest tells is not lost', async () => {
    const copy = copyOfDone();
    truncateSync(join(copy, 'runs', 'sessions.db'));
    const { checks } = await doctor(copy);
    expect(checks.find(({ id }) => id === 'database')).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(/sessions\.db is empty, yet .*manifest\.json beside it tells of runs/),
    });
    expect(checks.find(({ id }) => id === 'transcripts')).toMatchObject({ state: 'bad' });
    expect((await flower(copy, 'status')).stdout).not.toContain('did not end by itself');
    const end = await flower(copy, 'and more', '--timeout', '0');
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(end.stdout).toContain('not in the session store');
    const steps = JSON.parse(readFileSync(join(copy, 'runs', 'manifest.json'), 'utf8')) as { step: string }[];
    expect(steps.filter(({ step }) => step === 'clarify')).toHaveLength(1);
    expect(steps.filter(({ step }) => step === 'work')).toHaveLength(2);
  });

  it('a folder in place of project.json is moved aside, and the sessions are found', async () => {
    const copy = copyOfDone();
    replaceByFolder(join(copy, 'runs', 'project.json'));
    const end = await flower(copy, 'and more', '--timeout', '0');
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(JSON.parse(readFileSync(join(copy, 'runs', 'project.json'), 'utf8'))).toEqual(
      JSON.parse(readFileSync(join(done, 'runs', 'project.json'), 'utf8')),
    );
  });
});

describe('setup (C7, C26)', () => {
  it('needs a terminal', async () => {
    const end = await flower(done, 'setup');
    expect([end.code, end.stderr]).toEqual([
      1,
      expect.stringMatching(/^setup needs a terminal; or write .*\.env yourself/),
    ]);
  });

  it.skipIf(!hasTmux)(
    'C31.11: asks on a terminal, hides the token, and writes a file that nobody else can read',
    async () => {
      const home = join(folder.path, 'home');
      mkdirSync(home);
      const terminal = new Tmux({ cwd: folder.path, env: { HOME: home } });
      const answer = async (heading: RegExp, words: string) => {
        await terminal.shows(heading);
        await terminal.type(words);
        await terminal.press('Enter');
      };
      try {
        await terminal.flower('setup');
        await answer(/1\. Your API key[\s\S]*> ?$/, 'sk-ant-0123456789');
        await answer(
          /got sk-a\*\*\* \(17 characters\)[\s\S]*2\. Gateway address[\s\S]*> ?$/,
          'https://gateway.example.test/v1/',
        );
        await answer(/3\. Model name[\s\S]*> ?$/, '');
        await answer(/4\. Context window[\s\S]*> ?$/, '200000');
        const { code, before, after } = await terminal.end();
        expect([code, after]).toEqual([0, before]);
        const file = join(home, '.config', 'flower', '.env');
        expect((await terminal.everything()).join('\n')).not.toContain('0123456789');
        expect((await terminal.everything()).at(-1)).toBe(`+ Saved: ${file}`);
        expect(statSync(file).mode & 0o777).toBe(0o600);
        expect(readFileSync(file, 'utf8')).toMatch(
          /^# .*\nANTHROPIC_API_KEY=.*sk-ant-0123456789.*\nANTHROPIC_BASE_URL=.*https:\/\/gateway\.example\.test"?\nFLOWER_WINDOW=.*200000/,
        );
      } finally {
        await terminal.close();
      }
    },
  );

  it.skipIf(!hasTmux)('C26.5: Ctrl-C at any question cancels, and nothing is written', async () => {
    const home = join(folder.path, 'home-2');
    mkdirSync(home);
    const terminal = new Tmux({ cwd: folder.path, env: { HOME: home } });
    try {
      await terminal.flower('setup');
      await terminal.shows(/1\. Your API key[\s\S]*> ?$/);
      await terminal.press('C-c');
      const { code, before, after } = await terminal.end();
      expect([code, after]).toEqual([1, before]);
      expect((await terminal.everything()).at(-1)).toBe('Cancelled');
      expect(existsSync(join(home, '.config'))).toBe(false);
    } finally {
      await terminal.close();
    }
  });
});
