import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import { byRole, call, say, turns } from '../../src/sim/index.js';
import { type OneStep, oneStep } from '../support/oneStep.js';

let at: OneStep | undefined;
afterEach(async () => {
  await at?.close();
});

const dispatch = (to: string) =>
  call('Agent', { subagent_type: to, description: `to ${to}`, prompt: `Work as ${to}.` });

/** What the session allows a worker is one list for all; what a role says of itself has to hold all the same (X5). */
describe('a worker that may dispatch', () => {
  it('dispatches the roles it names and no other, and hands their reports up', async () => {
    at = await oneStep(
      byRole({
        coordinator: turns([dispatch('lead'), say('The lead says: done.')]),
        workers: {
          lead: turns([dispatch('reviewer'), dispatch('coder'), say('Conclusion: the coder has written it.')]),
          coder: turns([
            dispatch('lead'),
            call('Bash', { command: 'echo x > written.txt', description: 'write' }),
            say('Conclusion: written.'),
          ]),
          reviewer: turns([say('Never asked.')]),
        },
      }),
    );
    const workers = {
      lead: worker('Leads.', 'You lead and write nothing.', { tools: ['Read'], dispatch: ['coder'] }),
      coder: worker('Codes.', 'You code.'),
      reviewer: worker('Reviews.', 'You review.', { tools: ['Read'] }),
    };
    const result = await at.runtime.run(coordinator('work', '', workers), 'Have it written.');
    expect(at.sim.faults).toEqual([]);
    expect(result).toMatchObject({ ok: true, text: 'The lead says: done.' });
    expect(existsSync(join(at.workspace, 'written.txt'))).toBe(true);

    const of = (agent: string) => at?.sim.requests.filter((request) => request.agent === agent) ?? [];
    expect([...(of('lead')[0]?.tools ?? [])].sort()).toEqual(['Agent', 'Read']);
    expect(of('reviewer')).toEqual([]);
    const refused = of('lead')[1]?.results[0];
    expect(refused).toMatchObject({ isError: true });
    expect(refused?.text).toContain('coder');
    expect(of('coder')[0]?.tools).not.toContain('Agent');
    expect(of('coder')[1]?.results[0]).toMatchObject({ isError: true });
    expect(of('lead').at(-1)?.results[0]?.text).toContain('Conclusion: written.');
    // Who used what is told apart, however deep it was.
    const usage = await at.runtime.usageByRole();
    expect(usage.map(({ role }) => role)).toEqual(expect.arrayContaining([null, 'lead', 'coder']));
    const total = at.sim.meter.total();
    expect(usage.reduce((sum, { output }) => sum + output, 0)).toBe(total.outputTokens);
    expect(usage.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(total.costUsd, 9);
  });
});

describe('a worker with skills', () => {
  it('D9.7: has them before it begins, from the plugin that comes with flower; others do not', async () => {
    at = await oneStep(
      byRole({
        coordinator: turns([dispatch('prover'), dispatch('coder'), say('Done.')]),
        worker: turns([say('Conclusion: done.')]),
      }),
    );
    const workers = {
      prover: worker('Proves.', 'You prove.', { skills: ['flower-domain:prove-it'] }),
      coder: worker('Codes.', 'You code.'),
    };
    await at.runtime.run(coordinator('work', '', workers), 'Have it proved.');
    const first = (agent: string) => at?.sim.requests.find((request) => request.agent === agent);
    expect(first('prover')?.tools).toContain('Skill');
    expect(JSON.stringify(first('prover')?.messages)).toContain('A claim without evidence counts as not done.');
    expect(first('coder')?.tools).not.toContain('Skill');
    expect(JSON.stringify(first('coder')?.messages)).not.toContain('A claim without evidence');
    expect(at.sim.requests.find((request) => request.thread === 'main')?.tools).not.toContain('Skill');
  });
});
