import { afterEach, expect, it } from 'vitest';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import { HumanChannel } from '../../src/human/humanChannel.js';
import { byRole, call, say } from '../../src/sim/index.js';
import { type OneStep, oneStep } from '../support/oneStep.js';

const DISPATCHES = 23;
const BRIEF = 400;
const REPORT = 1500;
const tokens = (characters: number) => Math.ceil(characters / 4);
const text = (length: number, n: number) => `${n}: ${'word '.repeat(length)}`.slice(0, length);

let at: OneStep | undefined;
afterEach(async () => {
  await at?.close();
});

/** What a dispatch costs a coordinator stays in its context for good: a brief, a report, and as little of flower as can be (A3). */
it('adds at most 500 tokens of its own to the main thread with each dispatch', async () => {
  at = await oneStep(
    byRole({
      coordinator: ({ turn }) =>
        turn < DISPATCHES
          ? call('Agent', { subagent_type: 'coder', description: `task ${turn}`, prompt: text(BRIEF, turn) })
          : say('All dispatched.'),
      worker: ({ prompt }) => say(text(REPORT, Number.parseInt(prompt, 10))),
    }),
    { runtime: { workbench: true } },
  );
  const channel = new HumanChannel({ timeoutS: 0, locale: 'en' });
  const spec = coordinator('work', '', { coder: worker('Codes.', 'You code.') }, { channel });
  const result = await at.runtime.run(spec, 'Have it done.', { channel });
  expect(result).toMatchObject({ ok: true, text: 'All dispatched.' });

  const contexts = at.sim.requests
    .filter(({ thread, kind }) => thread === 'main' && kind === 'message')
    .map((request) => request.tokens);
  expect(contexts).toHaveLength(DISPATCHES + 1);
  const growth = contexts.slice(1).map((context, i) => context - (contexts[i] ?? 0));
  const largest = Math.max(...growth);
  const own = largest - tokens(BRIEF) - tokens(REPORT);
  const mean = ((contexts.at(-1) ?? 0) - (contexts[0] ?? 0)) / DISPATCHES;
  console.log(
    `growth of the main thread per dispatch: mean ${mean.toFixed(0)}, largest ${largest} tokens, ${own} of them beyond brief and report`,
  );
  expect(own).toBeLessThanOrEqual(500);
  expect(largest).toBeLessThanOrEqual(1200);
  expect(at.sim.faults).toEqual([]);
});

/** A worker takes longer than the five minutes of the usual cache, and the coordinator's context would be charged anew each time. */
it('is kept in the prompt cache for an hour, what a worker reads for five minutes', async () => {
  at = await oneStep(
    byRole({
      coordinator: ({ turn }) =>
        turn === 0
          ? call('Agent', { subagent_type: 'coder', description: 'task', prompt: 'Do it.' })
          : say('All dispatched.'),
      worker: () => say('Done.'),
    }),
  );
  const result = await at.runtime.run(coordinator('work', '', { coder: worker('Codes.', 'You code.') }), 'Go.');
  expect(result).toMatchObject({ ok: true, text: 'All dispatched.' });
  const { meter } = at.sim;
  expect(meter.total({ thread: 'main' })).toMatchObject({ cacheWrite5mTokens: 0 });
  expect(meter.total({ thread: 'main' }).cacheWrite1hTokens).toBeGreaterThan(0);
  expect(meter.total({ thread: 'worker' })).toMatchObject({ cacheWrite1hTokens: 0 });
  expect(meter.total({ thread: 'worker' }).cacheWrite5mTokens).toBeGreaterThan(0);
});
