import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acquireRunLock } from '../../src/database/runLock.js';
import { call, fail, type Sim, say, startSim, turns } from '../../src/sim/index.js';
import { type FlowerEnd, runFlower, tempFolder } from '../support/flowerProgram.js';
import { smallestRun } from '../support/scripts.js';

const verdict = (state: string, reason: string) =>
  turns([
    call('mcp__flower__submit_verdict', { items: [{ number: 1, state, evidence: 'I looked.' }], reason }),
    say('Handed in.'),
  ]);

/** Without the line breaks that make it fit a screen. */
function unbroken(end: FlowerEnd): FlowerEnd {
  return { ...end, stdout: end.stdout.replace(/\s+/g, ' '), stderr: end.stderr.replace(/\n\s+(?!at )/g, ' ') };
}

/** One directory over many starts, each of which changes what the next one finds. */
describe('flower in one directory', () => {
  const folder = tempFolder('cli-go');
  const workspace = join(folder.path, 'work');
  const note = (name: string) => join(workspace, '.flower', 'notes', name);
  let sim: Sim;

  const flower = async (args: readonly string[], input = ''): Promise<FlowerEnd> =>
    unbroken(await runFlower(['-w', workspace, ...args], { url: sim.url, cwd: folder.path, input }));
  const requests = async (start: () => Promise<unknown>): Promise<number> => {
    const before = sim.requests.length;
    await start();
    return sim.requests.length - before;
  };
  const woke = () =>
    (JSON.parse(readFileSync(join(workspace, 'runs', 'lineage.json'), 'utf8')) as { woke: number }).woke;

  beforeAll(async () => {
    sim = await startSim({ script: smallestRun() });
  });
  afterAll(async () => {
    await sim.close();
    folder.remove();
  });

  it('C9.2, D2.2, D2.3, D2.4: all of a piped input is the request; without any it says so', async () => {
    const empty = await flower(['--timeout', '0'], ' \n');
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('The request is empty')]);
    expect(empty.stdout).not.toContain('> ');
    const end = await flower(
      ['--timeout', '0', '--clarify-only'],
      'Write hello.txt\nthat says hello,\n  in lower case.\n',
    );
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(end.stdout).not.toContain('nobody can answer questions');
    expect(sim.requests[0]?.prompt).toContain('Write hello.txt\nthat says hello,\n  in lower case.');
    expect(end.stdout).toContain(`Brief confirmed: ${note('brief.md')}`);
  });

  it('C4.5, D1.9: clarifying what is clear asks nobody, adds what was said and counts no wake', async () => {
    const before = woke();
    let end: FlowerEnd | undefined;
    const paid = await requests(async () => {
      end = await flower(['--clarify-only', 'And no newline at its end.']);
    });
    expect(paid).toBe(0);
    expect([end?.code, end?.stdout]).toEqual([0, expect.stringContaining(note('brief.md'))]);
    expect(readFileSync(note('brief.md'), 'utf8')).toContain('And no newline at its end.');
    expect(woke()).toBe(before);
  });

  it('C11, C25, D5.10: goes on, is judged, and closes with items, report and bill', async () => {
    const end = await flower(['--timeout', '0', '-W', '-T']);
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(end.stdout).toMatch(/<- continuing in \S+work brief confirmed · wake 2 /);
    // D1.2, D1.3
    expect(end.stdout).toContain('-W has no effect');
    expect(end.stdout).toContain('-T has no effect');
    expect(end.stdout).toContain('+ 1. met: `cat hello.txt` prints hello');
    expect(end.stdout).toContain(`report written to ${note('report.md')}`);
    expect(end.stdout).toContain('Achieved: the item is checked, with evidence');
    expect(end.stdout).toMatch(/\$0\.\d{4} in this directory so far/);
  });

  it('C10.3, Z140: nothing new where the goal is achieved costs nothing; after an edit of the goal it goes on', async () => {
    let end: FlowerEnd | undefined;
    const paid = await requests(async () => {
      end = await flower(['--timeout', '0']);
    });
    expect([paid, end?.code, end?.stderr]).toEqual([0, 0, '']);
    expect(end?.stdout).toMatch(/The goal was achieved on \d{4}-\d\d-\d\d \(\$0\.\d\d\)/);

    appendFileSync(note('goal.md'), '\n');
    sim.setScript(
      smallestRun({ coordinator: turns([say('Done already.')]), judge: verdict('failed', 'It is in upper case.') }),
    );
    const more = await flower(['--timeout', '0', '--rounds', '1']);
    expect(more.code).toBe(3);
    expect(more.stdout).toMatch(/goal: 1 item · work context \d+\.\dK · wake 3/);
    expect(more.stderr).toContain('Not achieved: 1 item failed');
    expect(more.stderr).toContain('It is in upper case.');
    expect(more.stdout).toContain('x 1. failed: `cat hello.txt` prints hello');
  });

  it('C25.3: what nobody can verify needs a person', async () => {
    sim.setScript(
      smallestRun({ coordinator: turns([say('Done already.')]), judge: verdict('unverifiable', 'No eyes here.') }),
    );
    const end = await flower(['--timeout', '0', '--rounds', '1']);
    expect([end.code, end.stderr]).toEqual([4, expect.stringContaining('Stopped: a person has to decide')]);
    expect(end.stderr).toContain('No eyes here.');
  });

  it('C25.3, C28, D3.11: a step that fails is named with its reason', async () => {
    sim.setScript(() => fail(401));
    const end = await flower(['--timeout', '0', '--no-goal']);
    expect([end.code, end.stderr]).toEqual([6, expect.stringContaining("stopped at step 'work'")]);
    expect(end.stderr).toMatch(/reason: .*Invalid API key/);
    expect(end.stderr).not.toMatch(/\n\s+at /);
  });

  it('C4.7, Z135: a ceiling that is spent starts nothing, also without the flag; a higher one does', async () => {
    sim.setScript(smallestRun({ coordinator: turns([say('Done already.')]) }));
    let end: FlowerEnd | undefined;
    const start = async (...args: string[]) => {
      end = await flower(['--timeout', '0', '--no-goal', ...args]);
    };
    expect(await requests(() => start('--budget', '0.01'))).toBe(0);
    expect([end?.code, end?.stderr]).toEqual([
      5,
      expect.stringMatching(/budget of \$0\.01 is used up \(\$0\.\d\d spent\).*higher --budget/s),
    ]);
    expect(end?.stdout).toMatch(/ceiling is now \$0\.01, \$0\.\d\d already spent/);
    expect(await requests(() => start())).toBe(0);
    expect(end?.code).toBe(5);
    expect(await requests(() => start('--budget', '9'))).toBeGreaterThan(0);
    expect([end?.code, end?.stderr]).toEqual([0, '']);
    expect(end?.stdout).toContain('Finished; nobody checked the result');
  });

  it('C10.4, D2.1: /new with words begins something else; nothing is deleted', async () => {
    const end = await flower(['--timeout', '0', '--clarify-only', '/new', 'Write', 'bye.txt']);
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(sim.requests.findLast((request) => request.tools.includes('mcp__human__ask'))?.prompt).toContain(
      'Write bye.txt',
    );
    expect(existsSync(join(workspace, '.flower', 'notes', 'archive'))).toBe(true);
    expect(end.stdout).not.toContain('continuing in');
  });

  it('C8.6: a directory in use is named with its holder; the other run is not disturbed', async () => {
    const lock = acquireRunLock(join(workspace, 'runs'));
    const end = await flower(['--timeout', '0', 'x']);
    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(new RegExp(`in use by another flower \\(PID ${process.pid}, since \\d{4}-`));
    expect(end.stderr).toContain('give it its own -r');
    const state = JSON.parse((await flower(['status', '--json'])).stdout) as { state: string; pid: number };
    expect(state).toMatchObject({ state: 'running', pid: process.pid });
    lock.release();
  });
});

describe('where things lie', () => {
  const folder = tempFolder('cli-places');
  afterAll(() => folder.remove());

  it('D1.4: records of an older flower in the current directory are named, not used', async () => {
    const workspace = join(folder.path, 'project');
    mkdirSync(join(folder.path, 'runs'), { recursive: true });
    mkdirSync(workspace);
    const lineage = { workspace, woke: 1, steps: { 干活: '00000000-0000-4000-8000-000000000000' } };
    writeFileSync(join(folder.path, 'runs', 'lineage.json'), JSON.stringify(lineage));
    const end = unbroken(await runFlower(['-w', workspace], { url: 'http://127.0.0.1:9', cwd: folder.path }));
    expect(end.code).toBe(1);
    expect(end.stdout).toContain(`${join(folder.path, 'runs')} holds earlier records`);
  });

  it('C2.9: update starts nothing', async () => {
    const end = await runFlower(['update']);
    expect([end.code, end.stdout, end.stderr]).toEqual([2, '', expect.stringContaining('npm install -g flower-agent')]);
  });

  it('K2.8: a project file that chooses the address is named at every start', async () => {
    writeFileSync(
      join(folder.path, '.env'),
      'ANTHROPIC_BASE_URL=http://127.0.0.1:9\nANTHROPIC_API_KEY=sk-project-0001\n',
    );
    const end = unbroken(await runFlower(['-w', folder.path], { cwd: folder.path }));
    expect(end.stdout).toMatch(/from the project's .*\.env; requests go to 127\.0\.0\.1:9.*0001/s);
    expect(end.stdout).not.toContain('sk-project');
  });

  it('D8.10: -v says which settings of the harness have no effect here', async () => {
    const end = unbroken(
      await runFlower(['-v', '-w', folder.path], {
        cwd: folder.path,
        env: { DISABLE_AUTO_COMPACT: '0', DISABLE_COMPACT: '1' },
      }),
    );
    expect(end.stdout).toContain(
      'DISABLE_AUTO_COMPACT, DISABLE_COMPACT: no effect, flower sets this for its agents itself',
    );
  });

  it('C29: -v shows what is in effect, and no secret', async () => {
    const end = unbroken(
      await runFlower(['-v', '-w', folder.path], {
        url: 'http://127.0.0.1:9',
        cwd: folder.path,
        env: { ANTHROPIC_API_KEY: 'sk-ant-very-secret' },
      }),
    );
    expect(end.stdout).toContain('ANTHROPIC_API_KEY = sk-a*** (18 characters) from the process environment');
    expect(end.stdout).not.toContain('very-secret');
  });
});
