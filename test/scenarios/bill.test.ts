import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HandoffPolicy } from '../../src/agent/handoffPolicy.js';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import type { HumanChannel } from '../../src/human/humanChannel.js';
import { estimateOf } from '../../src/prices/prices.js';
import { processEntries } from '../../src/runtime/processes.js';
import { Runtime } from '../../src/runtime/runtime.js';
import { byRole, call, Reply, type SimRequest, say, startSim, turns } from '../../src/sim/index.js';
import { starterFlow } from '../../src/workflow/starterFlow.js';
import { tempFolder } from '../support/flowerProgram.js';
import { type OneStep, withStep } from '../support/oneStep.js';
import { BRIEF, smallestRun } from '../support/scripts.js';

const HANDOFF = { doing: 'Half.', decided: '', deadends: '', next: 'The rest.', scene: '' };
const bash = (command = 'echo 1') => call('Bash', { command, description: 'Work' });
const dispatch = (task: string) => ({ subagent_type: 'coder', description: task, prompt: task });
const boss = coordinator('work', '', { coder: worker('Writes code.', 'You write.') });
const asksForHandoff = ({ prompt }: SimRequest) => prompt.includes('mcp__flower__submit_handoff');
const writesHandoff = ({ turn }: SimRequest) =>
  turn === 0 ? call('mcp__flower__submit_handoff', HANDOFF) : say('Handed in.');

const metered = ({ sim }: OneStep) => sim.meter.total().costUsd;
const booked = (runtime: Runtime) => runtime.books.rows().reduce((sum, row) => sum + row.cost_usd, 0);

/** The processes of the harness, without their shells. */
const harnesses = ({ runtime }: OneStep) =>
  processEntries().filter(
    (entry) =>
      entry.parent === process.pid && !entry.isZombie && entry.variable('FLOWER_OWNER')?.startsWith(runtime.projectKey),
  );

describe.concurrent('the bill of a run is what the service charged, to the cent', () => {
  it('with three workers at once, an interrupt, a handoff, a later process, a fork and a judge (A6, C55)', async () => {
    let interrupted = false;
    const script = byRole({
      coordinator: (request) => {
        if (asksForHandoff(request)) return writesHandoff(request);
        if (request.prompt.includes('taking over')) return say('The rest is done.');
        if (request.prompt.includes('interrupted')) return bash('true').usage({ input_tokens: 160_000 });
        if (request.prompt.includes('Go on')) return say('Nothing more.');
        if (request.prompt.includes('Aside')) return say('Tried another way.');
        const three = ['one', 'two', 'three'].reduce(
          (r, task) => r.call('Agent', dispatch(task)),
          new Reply({ content: [] }),
        );
        return request.calls.length === 0 ? three : bash('true');
      },
      worker: turns([bash(), bash(), say('Conclusion: done.')]),
      other: () => say('All items met.'),
    });
    const setup = { runtime: { handoff: new HandoffPolicy({ window: 200_000 }) } };
    await withStep(script, setup, async (at) => {
      const { runtime } = at;
      const glancing = coordinator('work', '', { coder: worker('Writes code.', 'You write.') }, { glance: true });
      const work = await runtime.run(glancing, 'Do it.', {
        onEvent: ({ kind, payload, tool }) => {
          if (interrupted || kind !== 'tool_call' || payload.subagent || tool !== 'Bash') return;
          interrupted = true;
          runtime.interrupt('carry on');
        },
      });
      expect(work).toMatchObject({ ok: true, attempts: 1, retired: [expect.any(String)], resumed: true });
      const later = at.again();
      expect(await later.run(boss, 'Go on.', { resume: work.sessionId })).toMatchObject({ text: 'Nothing more.' });
      const fork = await later.run(boss, 'Aside.', { resume: work.sessionId, fork: true });
      expect(fork.sessionId).not.toBe(work.sessionId);
      expect(await later.run(at.spec, 'Judge it.')).toMatchObject({ ok: true });

      expect(at.sim.faults).toEqual([]);
      expect(at.sim.meter.total({ thread: 'worker' }).requests).toBe(9);
      expect(booked(later)).toBeCloseTo(metered(at), 9);
      expect(later.books.rows().map((row) => row.cost_estimated ?? false)).toEqual([false, false, false, false]);
      expect(at.again().books.spentUsd()).toBeCloseTo(metered(at), 9);
    });
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'when its harness is ended by %s with workers at work, and says that it is estimated',
    async (signal) => {
      const script = byRole({
        coordinator: (request) => {
          if (request.prompt.includes('cut off')) return say('Done after all.');
          return call('Agent', dispatch('one')).call('Agent', dispatch('two'));
        },
        worker: ({ turn, prompt }) => (turn < 2 ? bash() : bash(`sleep ${prompt === 'one' ? 19 : 18}`)),
      });
      await withStep(script, {}, async (at) => {
        let sleeping = 0;
        const result = await at.runtime.run(boss, 'Do it.', {
          onEvent: ({ kind, text }) => {
            if (kind !== 'tool_call' || !text.includes('sleep')) return;
            sleeping += 1;
            // The entries of the last answers are written a moment after it is shown.
            if (sleeping === 2)
              setTimeout(() => harnesses(at).forEach(({ pid }) => void process.kill(pid, signal)), 600);
          },
        });
        expect(result).toMatchObject({ ok: true, attempts: 2, costEstimated: true, text: 'Done after all.' });
        expect(at.sim.meter.total({ thread: 'worker' }).requests).toBe(6);
        expect(result.costUsd).toBeCloseTo(metered(at), 9);
        expect(at.runtime.books.rows()).toMatchObject([{ cost_estimated: true }]);
      });
    },
  );

  it('or, for a model without a list price, what the program takes for it, killed or not, and says so (C57)', async () => {
    const model = 'example-model-9';
    const script = ({ prompt, calls }: SimRequest) => {
      if (prompt.includes('cut off') || prompt.includes('Go on')) return say('Done.');
      return bash(calls.length < 2 ? 'true' : 'sleep 17');
    };
    await withStep(script, { spec: { model } }, async (at) => {
      const charged = () => at.sim.requests.reduce((sum, { usage }) => sum + (usage ? estimateOf(model, usage) : 0), 0);
      const result = await at.runtime.run(at.spec, 'Do it.', {
        onEvent: ({ kind, text }) => {
          if (kind !== 'tool_call' || !text.includes('sleep')) return;
          setTimeout(() => harnesses(at).forEach(({ pid }) => void process.kill(pid, 'SIGKILL')), 600);
        },
      });
      expect(result).toMatchObject({ ok: true, attempts: 2, costEstimated: true });
      expect(result.costUsd).toBeCloseTo(charged(), 9);
      const before = charged();
      const later = await at.again().run(at.spec, 'Go on.', { resume: result.sessionId });
      expect(later).toMatchObject({ ok: true, costEstimated: true });
      expect(later.costUsd).toBeCloseTo(charged() - before, 9);
    });
  });

  it('when the silence of its harness ends it', async () => {
    const script = (request: SimRequest) => {
      if (request.prompt.includes('cut off')) return say('Done.');
      return request.calls.length < 2 ? bash() : bash('sleep 15; sleep 15');
    };
    await withStep(script, { resilience: { silenceS: 6 } }, async (at) => {
      const result = await at.runtime.run(at.spec, 'Do it.');
      expect(result).toMatchObject({ ok: true, resumed: true, costEstimated: true });
      expect(result.costUsd).toBeCloseTo(metered(at), 9);
    });
  });
});

describe('what a checklist with items that nobody can verify here costs', () => {
  it('is clarifying and setting the goal, if the person says stop (M9.5)', async () => {
    const folder = tempFolder('fifteen-items');
    const items = Array.from({ length: 15 }, (_, i) => ({
      text: `Item ${i + 1} holds`,
      ...(i % 4 === 2 && { verifiable: false, why: 'needs a Mac' }),
    }));
    // What the two steps cost when the figure was taken.
    const dollars = (usd: number) => ({
      input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      output_tokens: usd * 50_000,
    });
    const sim = await startSim({
      script: smallestRun({
        clarify: turns([
          call('mcp__flower__submit_brief', BRIEF).usage(dollars(0.5306)),
          say('Handed in.').usage(dollars(0)),
        ]),
        goal: turns([
          call('mcp__flower__submit_goal', { statement: 'It runs on a Mac.', items }).usage(dollars(0.4117)),
          say('Handed in.').usage(dollars(0)),
        ]),
      }),
    });
    const runDir = join(folder.path, 'runs');
    const flow = starterFlow('Make it run', { workspace: folder.path, runDir, timeoutS: null });
    const channel = flow.channel as HumanChannel;
    channel.onEvent = () => {
      for (const ask of channel.pending()) channel.answer(ask.id, 'stop');
    };
    const runtime = new Runtime({
      workspace: folder.path,
      runDir,
      settings: { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'sk-fake' },
      workbench: flow.workbench ?? false,
    });
    const ctx = await flow.run(runtime);
    expect(ctx._outcome).toMatchObject({ ended: 'aborted', claimed: false });
    expect(runtime.books.rows().map(({ step }) => step)).toEqual(['clarify', 'set-goal']);
    expect(booked(runtime)).toBeCloseTo(sim.meter.total().costUsd, 9);
    expect(booked(runtime)).toBeLessThanOrEqual(0.95);
    await runtime.close();
    await sim.close();
    folder.remove();
  });
});
