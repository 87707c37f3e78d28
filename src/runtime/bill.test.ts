import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeHarness, type FakeTurn, type Play } from '../../test/support/fakeHarness.js';
import { type OneStep, oneStep } from '../../test/support/oneStep.js';
import { HandoffPolicy } from '../agent/handoffPolicy.js';
import { say } from '../sim/index.js';
import { Runtime } from './runtime.js';

let at: OneStep | undefined;
let harness: FakeHarness;
afterEach(async () => {
  await at?.close();
});

type Setup = NonNullable<Parameters<typeof oneStep>[1]>;

async function start(play: Play, setup: Setup = {}): Promise<OneStep> {
  harness = new FakeHarness(play);
  at = await oneStep(() => say('not used'), { ...setup, runtime: { query: harness.query, ...setup.runtime } });
  return at;
}

/** An answer that costs one dollar. */
const DOLLAR = { usage: { output_tokens: 50_000 } };

async function* well(turn: FakeTurn, dollars = 1) {
  yield turn.init();
  for (let i = 0; i < dollars; i += 1) yield await turn.answer({ text: 'Done.', ...DOLLAR });
  yield turn.result();
}

const killed = (signal: string) => new Error(`Claude Code process terminated by signal ${signal}`);
const rows = (runtime: Runtime | undefined) => runtime?.books.rows() ?? [];
const booked = (runtime: Runtime | undefined) => rows(runtime).reduce((sum, row) => sum + row.cost_usd, 0);

describe('putting right what a killed process left', () => {
  it('is tried again by the next step if there was no room for it', async () => {
    const { runtime, spec } = await start((turn) => well(turn));
    vi.spyOn(runtime.books, 'repairs').mockImplementationOnce(() => {
      throw new Error('the disk is full');
    });
    await expect(runtime.run(spec, 'One.')).rejects.toThrow('the disk is full');
    expect(await runtime.run(spec, 'Two.')).toMatchObject({ ok: true });
  });
});

describe('what a step costs', () => {
  it('is what each result adds to the total of its session, in this process and the next (case 17)', async () => {
    const one = await start((turn) => well(turn));
    const first = await one.runtime.run(one.spec, 'One.');
    const again = one.again();
    const second = await again.run(one.spec, 'Two.', { resume: first.sessionId });
    const third = await again.run(one.spec, 'Three.', { resume: first.sessionId, fork: true });
    expect([first.costUsd, second.costUsd, third.costUsd]).toEqual([1, 1, 1].map((usd) => expect.closeTo(usd, 9)));
    expect(rows(again).some((row) => row.cost_estimated)).toBe(false);
  });

  it('counts a result that comes twice once, and begins anew with a counter that began anew', async () => {
    const totals = [0.4, 1, 1, 0.25];
    const one = await start(async function* (turn) {
      yield turn.init();
      for (const total_cost_usd of totals) yield turn.result({ total_cost_usd });
    });
    expect((await one.runtime.run(one.spec, 'Do it.')).costUsd).toBeCloseTo(1.25, 9);
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['no number', Number.NaN],
    ['a text', '0.40'],
    ['negative', -1],
    ['0 for what has a price', 0],
  ])('is estimated where the total is %s', async (_, total_cost_usd) => {
    const one = await start(async function* (turn) {
      yield turn.init();
      yield await turn.answer({ text: 'Done.', ...DOLLAR });
      yield turn.result({ total_cost_usd });
    });
    const result = await one.runtime.run(one.spec, 'Do it.');
    expect(result).toMatchObject({ ok: true, costEstimated: true });
    expect(result.costUsd).toBeCloseTo(1, 9);
  });

  it('does not lose what is too small to be seen', async () => {
    const one = await start(async function* (turn) {
      yield turn.init();
      for (let n = 1; n <= 1000; n += 1) yield turn.result({ total_cost_usd: n * 1e-7 });
    });
    expect((await one.runtime.run(one.spec, 'Do it.')).costUsd).toBeCloseTo(1e-4, 12);
  });

  it('is in the event as the difference, with all that was spent beside it (R1.44)', async () => {
    const one = await start((turn) => well(turn));
    const first = await one.runtime.run(one.spec, 'One.');
    await one.runtime.run(one.spec, 'Two.', {
      resume: first.sessionId,
      onEvent: (event) => one.events.push(event),
    });
    const { payload } = one.events.find(({ kind }) => kind === 'result') ?? {};
    expect(payload).toMatchObject({ cost_usd: expect.closeTo(1, 9), spent_usd: expect.closeTo(2, 9) });
  });
});

describe('what a killed attempt spent', () => {
  it.each([
    ['that saved nothing', true],
    ['that saved a total at its end, which no result names', false],
  ])('is on the bill of a harness %s, workers included, and marked', async (_, dies) => {
    const one = await start(async function* (turn) {
      turn.dies = dies;
      yield turn.init();
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield await turn.answer({ call: 'Agent', ...DOLLAR });
      yield await turn.answer({ call: 'Bash', worker: 'a1', ...DOLLAR });
      throw killed(dies ? 'SIGKILL' : 'SIGTERM');
    });
    const result = await one.runtime.run(one.spec, 'Do it.');
    expect(result).toMatchObject({ ok: true, attempts: 2, costEstimated: true });
    expect(result.costUsd).toBeCloseTo(3, 9);
    expect(rows(one.runtime)).toMatchObject([{ cost_estimated: true }]);
  });

  it('of a fork does not hold the past of what it was forked from', async () => {
    const one = await start(async function* (turn) {
      if (turn.n === 0) {
        yield* well(turn, 5);
        return;
      }
      yield turn.init();
      yield await turn.answer({ call: 'Bash', ...DOLLAR });
      turn.dies = turn.n === 1;
      if (turn.n === 1) throw killed('SIGKILL');
      yield turn.result();
    });
    const first = await one.runtime.run(one.spec, 'One.');
    const fork = await one.runtime.run(one.spec, 'Two.', { resume: first.sessionId, fork: true });
    expect(fork).toMatchObject({ ok: true, attempts: 2 });
    expect(fork.costUsd).toBeCloseTo(2, 9);
  });

  it('is counted once when one reply is stored in several blocks', async () => {
    const one = await start(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer({ text: 'Thinking.', call: 'Bash', ...DOLLAR });
        await turn.repeatLastEntry();
        throw killed('SIGKILL');
      },
      { resilience: { enabled: false } },
    );
    expect((await one.runtime.run(one.spec, 'Do it.')).costUsd).toBeCloseTo(1, 9);
  });
});

describe('a model without a list price', () => {
  const UNLISTED = { call: 'Bash', model: 'example-model-9', ...DOLLAR };

  it('costs what the harness takes for it, and the bill says that this is an estimate (C57)', async () => {
    const one = await start(async function* (turn) {
      yield turn.init();
      yield await turn.answer(UNLISTED);
      yield turn.result();
    });
    const result = await one.runtime.run(one.spec, 'Do it.');
    expect(result).toMatchObject({ ok: true, costUsd: expect.closeTo(1, 9), costEstimated: true });
    const later = await one.runtime.run(one.spec.with({ name: 'later' }), 'Go on.', { resume: result.sessionId });
    expect(later).toMatchObject({ costUsd: expect.closeTo(1, 9), costEstimated: true });
  });

  it('costs that also in a killed attempt', async () => {
    const one = await start(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer(UNLISTED);
        yield await turn.answer({ ...UNLISTED, worker: 'a1' });
        throw killed('SIGKILL');
      },
      { resilience: { enabled: false } },
    );
    const result = await one.runtime.run(one.spec, 'Do it.');
    expect(result).toMatchObject({ ok: false, costUsd: expect.closeTo(2, 9), costEstimated: true });
    expect(rows(one.runtime)).toMatchObject([{ cost_estimated: true }]);
  });

  it('leaves no mark on a later step of the same session that uses another', async () => {
    const one = await start(async function* (turn) {
      yield turn.init();
      yield await turn.answer(turn.n === 0 ? UNLISTED : { text: 'Done.', ...DOLLAR });
      yield turn.result();
    });
    const first = await one.runtime.run(one.spec, 'One.');
    const second = await one.runtime.run(one.spec, 'Two.', { resume: first.sessionId });
    expect(second).toMatchObject({ costUsd: expect.closeTo(1, 9), costEstimated: false });
  });

  it('draws on the budget within a turn, so that two steps at once see what each has spent', async () => {
    let beside: Promise<unknown> | undefined;
    const one = await start(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer(UNLISTED);
        if (turn.n === 0) {
          expect(await turn.boundary()).toBeNull();
          beside = one.runtime.run(one.spec, 'Two.');
          await beside;
          expect(await turn.boundary()).not.toBeNull();
        }
        yield turn.stopped();
      },
      { runtime: { maxBudgetUsd: 1.9 } },
    );
    const first = await one.runtime.run(one.spec, 'One.');
    expect([first, await beside]).toMatchObject([0, 1].map(() => ({ ok: false, error: Runtime.BUDGET_EXHAUSTED })));
    expect(harness.turns[1]?.options.maxBudgetUsd).toBeCloseTo(0.9, 9);
  });
});

describe('the bill outlasts its process', () => {
  /** A step whose process is gone for whoever comes next. */
  async function killedIn(play: Play, setup: Setup = {}): Promise<OneStep> {
    const one = await start(play, setup);
    void one.runtime.run(one.spec, 'Do it.');
    while (harness.turns.at(-1)?.isHanging !== true) await new Promise((resolve) => setTimeout(resolve, 5));
    return one;
  }

  it('with what was spent since the last booking, also if nobody goes on with the session', async () => {
    const one = await killedIn(async function* (turn) {
      yield turn.init();
      yield await turn.answer({ call: 'Agent', ...DOLLAR });
      yield await turn.answer({ call: 'Bash', worker: 'a1', ...DOLLAR });
      await turn.hang();
    });
    const next = one.again();
    await next.recover();
    expect(rows(next)).toMatchObject([{ step: 'work', ok: false, error: Runtime.KILLED, cost_estimated: true }]);
    expect(booked(next)).toBeCloseTo(2, 9);
    const third = one.again();
    await third.recover();
    expect(booked(third)).toBeCloseTo(2, 9);
  });

  it('with what the harness wrote before a booking that had not heard of it', async () => {
    let timestamp = '';
    const one = await killedIn(async function* (turn) {
      timestamp = new Date().toISOString();
      await new Promise((resolve) => setTimeout(resolve, 20));
      yield turn.init();
      await turn.hang();
    });
    const key = { projectKey: one.runtime.projectKey, sessionId: harness.turns[0]?.sessionId ?? '' };
    const message = { id: 'msg_late', role: 'assistant', model: 'claude-opus-5-5', content: [], ...DOLLAR };
    await one.runtime.store.inner.append(key, [{ type: 'assistant', uuid: randomUUID(), timestamp, message }]);
    const next = one.again();
    await next.recover();
    expect(booked(next)).toBeCloseTo(1, 9);
  });

  it.each([
    ['nothing', 50_000, 1],
    ['the rest of its usage', 75_000, 1.5],
  ])('with a reply once, of which a block more is written after the booking that adds %s', async (_, tokens, usd) => {
    const one = await killedIn(async function* (turn) {
      yield turn.init();
      yield await turn.answer({ text: 'Thinking.', ...DOLLAR });
      await turn.hang();
    });
    one.runtime.rescue();
    expect(booked(one.runtime)).toBeCloseTo(1, 9);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const key = { projectKey: one.runtime.projectKey, sessionId: harness.turns[0]?.sessionId ?? '' };
    await one.runtime.store.inner.append(key, [harness.turns[0]?.nextBlock({ output_tokens: tokens }) as never]);
    for (const runtime of [one.again(), one.again()]) {
      await runtime.recover();
      expect(booked(runtime)).toBeCloseTo(usd, 9);
    }
  });

  it('with the rest of a handoff, if it was being written', async () => {
    const one = await start(
      async function* (turn) {
        yield turn.init();
        if (turn.n > 0) {
          yield await turn.answer({ text: 'Thinking.', context: 160_000, ...DOLLAR });
          await turn.hang();
          return;
        }
        yield await turn.answer({ call: 'Bash', context: 160_000 });
        await turn.boundary();
        yield turn.stopped();
      },
      { runtime: { handoff: new HandoffPolicy({ window: 200_000 }) } },
    );
    void one.runtime.run(one.spec, 'Do it.');
    while (harness.turns.at(-1)?.isHanging !== true) await new Promise((resolve) => setTimeout(resolve, 5));
    one.runtime.rescue();
    expect(rows(one.runtime)).toMatchObject([{ ok: false, error: Runtime.KILLED }]);
  });

  it('nothing is asked any more once the process is told to end', async () => {
    const one = await start((turn) => well(turn));
    const running = one.runtime.run(one.spec, 'Do it.');
    one.runtime.rescue();
    expect(await running).toMatchObject({ ok: false, error: Runtime.KILLED });
    expect(harness.turns).toHaveLength(0);
  });

  it('once, when a later step goes on with the session', async () => {
    const one = await killedIn(async function* (turn) {
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      yield await turn.answer({ call: 'Bash', ...DOLLAR });
      await turn.hang();
    });
    const next = one.again();
    const result = await next.run(one.spec, 'Go on.', { resume: harness.turns[0]?.sessionId ?? null });
    expect(result.costUsd).toBeCloseTo(1, 9);
    for (const runtime of [next, one.again()]) {
      await runtime.recover();
      expect(booked(runtime)).toBeCloseTo(2, 9);
    }
  });

  it('with the sessions that it retired and the attempts that it had ended', async () => {
    const text = '## What is being done now\nHalf.\n\n## Next step\nThe rest.';
    const one = await killedIn(
      async function* (turn) {
        yield turn.init();
        if (turn.n === 0) {
          yield await turn.answer({ call: 'Bash', usage: { input_tokens: 160_000, output_tokens: 50_000 } });
          await turn.boundary();
          yield turn.stopped();
        } else if (turn.n === 1) {
          yield await turn.answer({ text, ...DOLLAR });
          yield turn.result();
        } else {
          yield await turn.answer({ call: 'Bash', ...DOLLAR });
          await turn.hang();
        }
      },
      { runtime: { handoff: new HandoffPolicy({ window: 200_000 }) } },
    );
    const next = one.again();
    await next.recover();
    expect(booked(next)).toBeCloseTo(3.64, 9);
    expect(rows(next)[0]?.retired).toEqual([harness.turns[0]?.sessionId]);
  });

  it('of a fork with what the fork spent, not with its past', async () => {
    const one = await start(async function* (turn) {
      if (turn.n === 0) {
        yield* well(turn, 5);
        return;
      }
      yield turn.init();
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield await turn.answer({ call: 'Bash', ...DOLLAR });
      await turn.hang();
    });
    const first = await one.runtime.run(one.spec, 'One.');
    void one.runtime.run(one.spec, 'Two.', { resume: first.sessionId, fork: true });
    while (harness.turns.at(-1)?.isHanging !== true) await new Promise((resolve) => setTimeout(resolve, 5));
    const next = one.again();
    await next.recover();
    expect(booked(next)).toBeCloseTo(6, 9);
  });

  it('and the budget knows it before the first query of the next process', async () => {
    const one = await killedIn(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer({ call: 'Bash', ...DOLLAR });
        await turn.hang();
      },
      { runtime: { maxBudgetUsd: 1 } },
    );
    const next = one.again();
    expect(await next.run(one.spec, 'Go on.')).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED });
    expect(harness.turns).toHaveLength(1);
  });
});

describe('a budget', () => {
  it('gives the next step what is left, and tells of 80 % and of the end once each (case 26)', async () => {
    const one = await start(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer({ call: 'Bash', usage: { output_tokens: turn.n === 0 ? 35_000 : 5_000 } });
        if (turn.n > 0) yield await turn.answer({ call: 'Bash', usage: { output_tokens: 10_000 } });
        if (turn.n === 1) expect(await turn.boundary()).not.toBeNull();
        yield turn.n === 1 ? turn.stopped() : turn.result();
      },
      { runtime: { maxBudgetUsd: 1 } },
    );
    const onEvent = (event: (typeof one.events)[number]) => one.events.push(event);
    await one.runtime.run(one.spec, 'One.', { onEvent });
    expect(one.events.filter(({ payload }) => payload.budget)).toEqual([]);
    const second = await one.runtime.run(one.spec, 'Two.', { onEvent });
    expect(harness.turns[1]?.options.maxBudgetUsd).toBeCloseTo(0.3, 9);
    expect(second).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED, attempts: 1 });
    const told = one.events.filter(({ payload }) => payload.budget);
    expect(told.map(({ payload }) => payload.budget)).toEqual(['near', 'used']);
    // Within the turn, before its result.
    expect(one.events.indexOf(told[1] as never)).toBeLessThan(
      one.events.findLastIndex(({ kind }) => kind === 'result'),
    );

    const third = await one.runtime.run(one.spec, 'Three.');
    expect(third).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED });
    expect(harness.turns).toHaveLength(2);
    const later = one.again({ maxBudgetUsd: null });
    expect(await later.run(one.spec, 'Four.')).toMatchObject({ error: Runtime.BUDGET_EXHAUSTED });
    later.books.newEpoch();
    const fresh = one.again({ maxBudgetUsd: null });
    await fresh.run(one.spec, 'Five.');
    expect(harness.turns.at(-1)?.options.maxBudgetUsd).toBe(1);
  });

  it('is drawn on by side questions, and stops what runs when they have used it up', async () => {
    let oracle: Runtime | undefined;
    const one = await start(
      async function* (turn) {
        yield turn.init();
        if (turn.prompt.includes('side')) {
          yield await turn.answer({ text: 'An answer.', ...DOLLAR });
          yield turn.result();
          return;
        }
        yield await turn.answer({ call: 'Bash', usage: { output_tokens: 25_000 } });
        expect(await turn.boundary()).toBeNull();
        await oracle?.run(one.spec, 'side question');
        yield await turn.answer({ call: 'Bash', usage: { output_tokens: 0 } });
        expect(await turn.boundary()).not.toBeNull();
        yield turn.stopped();
      },
      { runtime: { maxBudgetUsd: 1.2 } },
    );
    oracle = one.again({ runDir: `${one.runDir}/aside`, maxBudgetUsd: null, parent: one.runtime });
    const result = await one.runtime.run(one.spec, 'Work.');
    expect(result).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED });
    expect(harness.turns[1]?.options.maxBudgetUsd).toBeCloseTo(0.7, 9);
    expect(await oracle.run(one.spec, 'side again')).toMatchObject({ error: Runtime.BUDGET_EXHAUSTED });
  });

  it('that is used up leaves a full session as it is, as no successor could work', async () => {
    const one = await start(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer({ call: 'Bash', usage: { input_tokens: 160_000, output_tokens: 50_000 } });
        expect(await turn.boundary()).not.toBeNull();
        yield turn.stopped();
      },
      { runtime: { handoff: new HandoffPolicy({ window: 200_000 }) }, spec: { maxBudgetUsd: 1 } },
    );
    const result = await one.runtime.run(one.spec, 'Work.');
    expect(result).toMatchObject({ ok: false, error: 'error_max_budget_usd', retired: [] });
    expect(result.sessionId).toBe(harness.turns[0]?.sessionId);
    expect(harness.turns).toHaveLength(1);
  });
});
