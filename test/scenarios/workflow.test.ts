import { afterEach, describe, expect, it } from 'vitest';
import { AgentSpec } from '../../src/agent/agentSpec.js';
import { type Reply, type SimRequest, say } from '../../src/sim/index.js';
import { Step, type StepOptions } from '../../src/workflow/step.js';
import { Workflow } from '../../src/workflow/workflow.js';
import { type OneStep, oneStep } from '../support/oneStep.js';

let at: OneStep | undefined;
afterEach(async () => {
  await at?.close();
});

const spec = new AgentSpec({ name: 'a', instructions: 'Answer.', allowedTools: ['Read'] });
const step = (name: string, options: StepOptions = {}) => new Step(name, spec, `This is ${name}.`, options);
const answer = (request: SimRequest): Reply => say(`Answer to: ${request.prompt}`);
const knows = (request: SimRequest | undefined, words: string) => JSON.stringify(request?.messages).includes(words);

describe('three ways to wire the sessions of steps', () => {
  it('a new one, the same one, a branch; and a second process goes on with each step’s own', async () => {
    at = await oneStep(answer);
    const flow = () =>
      new Workflow(
        [
          step('plan'),
          step('same', { resumeFrom: 'plan' }),
          step('branch', { resumeFrom: 'plan', fork: true }),
          step('apart'),
        ],
        { locale: 'en' },
      );
    const ctx = await flow().run(at.runtime);
    const { plan, same, branch, apart } = ctx._sessions ?? {};
    expect(same).toBe(plan);
    expect(new Set([plan, branch, apart]).size).toBe(3);
    const [, inSame, inBranch, inApart] = at.sim.requests.filter(({ kind }) => kind === 'message');
    expect([inSame, inBranch, inApart].map((request) => knows(request, 'Answer to: This is plan.'))).toEqual([
      true,
      true,
      false,
    ]);
    await at.runtime.close();

    const before = at.sim.requests.length;
    const second = new Workflow([step('branch', { resumePrompt: 'Go on with the branch.' }), step('plan')], {
      locale: 'en',
    });
    await second.run(at.again());
    const [onBranch, onPlan] = at.sim.requests.slice(before).filter(({ kind }) => kind === 'message');
    expect(onBranch).toMatchObject({ session: branch, prompt: 'Go on with the branch.' });
    expect(onPlan?.session).toBe(plan);
    expect(knows(onBranch, 'Answer to: This is branch.')).toBe(true);
    expect(knows(onPlan, 'This is branch.')).toBe(false);
    expect(at.sim.faults).toEqual([]);
  });
});

it('onFail: stops, skips or goes on without a step that did not pass', async () => {
  at = await oneStep(answer);
  const place = at;
  const run = async (onFail: NonNullable<StepOptions['onFail']>) => {
    const failing = step('failing', { onFail, gate: () => false });
    const runtime = place.again();
    const ctx = await new Workflow([failing, step('next')], { locale: 'en', continuous: false }).run(runtime);
    await runtime.close();
    return [ctx.failing, ctx.next, ctx._failed_at, ctx._outcome?.ended];
  };
  const said = (name: string) => `Answer to: This is ${name}.`;
  expect(await run('stop')).toEqual([undefined, undefined, 'failing', 'failed']);
  expect(await run('skip')).toEqual([undefined, said('next'), undefined, 'finished']);
  expect(await run('continue')).toEqual([said('failing'), said('next'), undefined, 'finished']);
});
