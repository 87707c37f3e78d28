import { describe, expect, it } from 'vitest';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import { Runtime } from '../../src/runtime/runtime.js';
import { byRole, call, Reply, type SimRequest, say } from '../../src/sim/index.js';
import { type OneStep, withStep } from '../support/oneStep.js';

const bash = () => call('Bash', { command: 'echo 1', description: 'Work' });
/** Ten cents, whatever the prompt. */
const DIME = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 5_000 };
const spends = () => bash().usage(DIME);
const dispatch = (task: string) => ({ subagent_type: 'coder', description: task, prompt: task });
const boss = coordinator('work', '', { coder: worker('Writes code.', 'You write.') });
const notices = ({ events }: OneStep) =>
  events.filter(({ payload }) => payload.budget).map(({ payload }) => payload.budget);

describe.concurrent('a budget', () => {
  it('of the run stops within the turn, says so at 80 % and at the end, and is not refilled by a restart', async () => {
    await withStep(spends, { runtime: { maxBudgetUsd: 0.95 } }, async (at) => {
      const result = await at.runtime.run(at.spec, 'Work.', { onEvent: (event) => at.events.push(event) });
      expect(result).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED, attempts: 1 });
      expect(result.costUsd).toBeCloseTo(1, 9);
      expect(at.sim.meter.total().costUsd).toBeCloseTo(1, 9);
      expect(notices(at)).toEqual(['near', 'used']);
      const near = at.events.findIndex(({ payload }) => payload.budget === 'near');
      expect(near).toBeLessThan(at.events.findIndex(({ kind }) => kind === 'result'));

      const later = await at.again({ maxBudgetUsd: null }).run(at.spec, 'More.');
      expect(later).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED });
      expect(at.sim.requests).toHaveLength(10);

      // A new ceiling, and the session is there.
      at.sim.setScript(() => say('Done.'));
      const more = await at.again({ maxBudgetUsd: 2 }).run(at.spec, 'Go on.', { resume: result.sessionId });
      expect(more).toMatchObject({ ok: true, text: 'Done.' });
    });
  });

  it('of a step ends that step and not the run', async () => {
    await withStep(spends, { spec: { maxBudgetUsd: 0.25 } }, async (at) => {
      const result = await at.runtime.run(at.spec, 'Work.');
      expect(result.error).toMatch(/^error_max_budget_usd/);
      expect(result).toMatchObject({ ok: false, attempts: 1, costUsd: expect.closeTo(0.3, 9) });
    });
  });

  it('is overshot by one request of each worker that runs, at most', async () => {
    const three = ['one', 'two', 'three'].reduce(
      (r, task) => r.call('Agent', dispatch(task)),
      new Reply({ content: [] }),
    );
    // A model takes its time.
    const script = byRole({ coordinator: () => three.usage(DIME), worker: () => spends().delay(300) });
    await withStep(script, { runtime: { maxBudgetUsd: 1.05 } }, async (at) => {
      const result = await at.runtime.run(boss, 'Work.', { onEvent: (event) => at.events.push(event) });
      expect(result).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED });
      expect(at.sim.meter.total().costUsd).toBeGreaterThan(1.05);
      expect(at.sim.meter.total().costUsd).toBeLessThan(1.05 + 3 * 0.1);
      expect(notices(at)).toEqual(['near', 'used']);
    });
  });

  it('holds for two steps at once on one account: each sees what the other spends while it spends it', async () => {
    const script = (request: SimRequest) => (request.turn < 30 ? spends().delay(200) : say('Too late.'));
    await withStep(script, { runtime: { maxBudgetUsd: 1.05 } }, async (at) => {
      const both = await Promise.all(['One.', 'Two.'].map((prompt) => at.runtime.run(at.spec, prompt)));
      for (const result of both) expect(result).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED });
      expect(at.sim.meter.total().costUsd).toBeLessThan(1.05 + 2 * 0.1);
      expect(both.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(at.sim.meter.total().costUsd, 9);
    });
  });
});
