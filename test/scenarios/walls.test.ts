import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { call, type Reply, roleOf, type Sim, type SimRequest, say, startSim, turns } from '../../src/sim/index.js';
import { runFlower, tempFolder } from '../support/flowerProgram.js';
import { BRIEF, GOAL, smallestRun } from '../support/scripts.js';

let sim: Sim | undefined;
let folder = tempFolder('walls');
afterEach(async () => {
  await sim?.close();
  folder.remove();
  folder = tempFolder('walls');
});

/** What a role tries in one message; the paths would show on disk if it came through. */
function attempts(who: string): Reply {
  const at = (name: string) => join(folder.path, `${who}-${name}`);
  return call('Write', { file_path: at('write'), content: 'x' })
    .call('Edit', { file_path: join(folder.path, 'victim.txt'), old_string: 'a', new_string: 'b' })
    .call('NotebookEdit', { notebook_path: at('notebook.ipynb'), new_source: 'x' })
    .call('Bash', { command: `echo x > ${at('bash')}` })
    .call('Monitor', { command: `echo x > ${at('monitor')}`, description: 'm' })
    .call('Workflow', { script: 'x' })
    .call('Agent', { subagent_type: 'general-purpose', description: 'd', prompt: `Write ${at('general')}` })
    .call('Agent', { subagent_type: 'fork', description: 'd', prompt: `Write ${at('fork')}` })
    .call('Agent', { subagent_type: 'nobody', description: 'd', prompt: `Write ${at('nobody')}` });
}

function results(role: ReturnType<typeof roleOf>): SimRequest['results'] {
  return (sim?.requests ?? []).filter((request) => roleOf(request) === role).flatMap((request) => request.results);
}

/** A prompt is a suggestion; the harness's own lists and a hook decide (A4). Seen in the request log and on disk. */
describe('the walls hold', () => {
  it('D10.4: gives a coordinator none of what it tries, while its worker writes', async () => {
    sim = await startSim({
      script: smallestRun({
        coordinator: turns([
          attempts('coordinator'),
          call('Agent', { subagent_type: 'coder', description: 'write', prompt: 'Write hello.txt that says hello.' }),
          say('hello.txt is written.'),
        ]),
        worker: turns([
          call('Write', { file_path: join(folder.path, 'written.txt'), content: 'by the worker' }).call('Bash', {
            command: 'printf hello > hello.txt',
          }),
          say('Conclusion: done.'),
        ]),
      }),
    });
    const end = await runFlower(['-w', folder.path, 'Write hello.txt', '--timeout', '0'], { url: sim.url });
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(sim.faults).toEqual([]);

    const first = sim.requests.find((request) => roleOf(request) === 'coordinator');
    expect([...(first?.tools ?? [])].sort()).toEqual(
      [
        'Agent',
        'Bash',
        'Read',
        'TodoWrite',
        'WebFetch',
        'WebSearch',
        'mcp__flower__submit_handoff',
        'mcp__human__ask',
        'mcp__human__inbox',
      ].sort(),
    );
    const refused = results('coordinator').slice(0, 9);
    expect(refused).toHaveLength(9);
    for (const result of refused) expect(result.isError, `${result.tool}: ${result.text}`).toBe(true);
    expect(refused.find((result) => result.tool === 'Bash')?.text).toContain('flower');
    expect(results('worker').filter((result) => result.isError)).toEqual([]);
    expect(
      readdirSync(folder.path)
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['hello.txt', 'runs', 'written.txt']);
    expect(
      sim.requests.filter((request) => request.thread === 'worker').every((request) => request.agent === 'coder'),
    ).toBe(true);
  });

  it.each([
    ['clarify', { clarify: turns([() => attempts('clarify'), call('mcp__flower__submit_brief', BRIEF), say('.')]) }],
    ['goal', { goal: turns([() => attempts('goal'), call('mcp__flower__submit_goal', GOAL), say('.')]) }],
    [
      'judge',
      {
        judge: turns([
          () => attempts('judge'),
          call('mcp__flower__submit_verdict', { items: [{ number: 1, state: 'met', evidence: 'seen' }], reason: '' }),
          say('.'),
        ]),
      },
    ],
  ] as const)('D10.4: lets a scripted %s write nothing', async (role, script) => {
    sim = await startSim({ script: smallestRun(script) });
    const end = await runFlower(['-w', folder.path, 'Write hello.txt', '--timeout', '0'], { url: sim.url });
    expect(end).toMatchObject({ code: 0, stderr: '' });
    const refused = results(role).slice(0, 9);
    expect(refused).toHaveLength(9);
    for (const result of refused) expect(result.isError, `${result.tool}: ${result.text}`).toBe(true);
    expect(existsSync(join(folder.path, `${role}-bash`))).toBe(false);
    expect(readdirSync(folder.path).filter((name) => name.startsWith(role))).toEqual([]);
    expect(
      sim.requests.filter((request) => request.thread === 'worker').every((request) => request.agent === 'coder'),
    ).toBe(true);
  });
});
