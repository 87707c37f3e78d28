import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, type Reply, roleOf, type Sim, say, startSim, turns } from '../../src/sim/index.js';
import { runFlower, startFlower, tempFolder } from '../support/flowerProgram.js';
import { GuardedWork, rules } from '../support/guardedWork.js';
import { smallestRun } from '../support/scripts.js';

describe('waking', () => {
  it('D2.9: puts a remark into its three places: brief, checklist, work', async () => {
    const work = new GuardedWork();
    await work.run('Write hello.txt', {});
    const remark = 'It must be signed, too.';
    const run = await work.run(remark, {
      goal: turns([
        call('mcp__flower__submit_goal', { statement: 'hello.txt is there', items: [{ text: 'hello.txt is signed' }] }),
        say('Handed in.'),
      ]),
      coordinator: turns([say('Signed.')]),
    });
    expect(work.faults).toEqual([]);
    expect(readFileSync(work.briefPath, 'utf8')).toContain(remark);
    expect(run.prompts('goal')[0]).toContain(remark);
    expect(readFileSync(work.goalPath, 'utf8')).toContain('hello.txt is signed');
    const [prompt = ''] = run.prompts('coordinator');
    expect(prompt).toContain(remark);
    expect(prompt).toContain('hello.txt is signed');
    expect(run.prompts('judge')[0]).toContain('hello.txt is signed');
    expect(run.ctx._woke).toBe(2);
    await work.remove();
  });

  it('after a kill between a verdict and the next round, tells the work what the judge has missed', async () => {
    const folder = tempFolder('wake');
    let rounds = 0;
    const coordinator = (): Reply => {
      rounds += 1;
      return rounds === 1 ? say('Done.') : say('Never heard.').delay(60_000);
    };
    const sim: Sim = await startSim({
      script: smallestRun({ coordinator, judge: rules(['failed'], 'the greeting is too short') }),
    });
    const first = startFlower(['-w', folder.path, 'Write hello.txt', '--timeout', '0'], { url: sim.url });
    await expect.poll(() => rounds, { timeout: 40_000 }).toBe(2);
    first.kill('SIGKILL');
    await first.end;

    const before = sim.requests.length;
    sim.setScript(smallestRun({ coordinator: turns([say('Longer now.')]) }));
    const end = await runFlower(['-w', folder.path, '--timeout', '0'], { url: sim.url });
    expect(end).toMatchObject({ code: 0 });
    const work = sim.requests.slice(before).find((request) => roleOf(request) === 'coordinator');
    expect(work?.prompt).toMatch(/Carry on[\s\S]*the greeting is too short/);
    const rows = JSON.parse(readFileSync(join(folder.path, 'runs', 'manifest.json'), 'utf8')) as { step: string }[];
    expect(rows.at(-1)?.step).toBe('work·verdict#1');
    await sim.close();
    folder.remove();
  });
});
