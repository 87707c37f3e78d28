import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeHarness, type FakeTurn, type Play } from '../../test/support/fakeHarness.js';
import { type OneStep, oneStep } from '../../test/support/oneStep.js';
import { HandoffPolicy } from '../agent/handoffPolicy.js';
import { calibPath } from '../agent/window.js';
import { say } from '../sim/index.js';
import { Runtime } from './runtime.js';
import type { RunOptions } from './stepRun.js';

let at: OneStep | undefined;
let harness: FakeHarness;
beforeEach(() => {
  process.env.XDG_CONFIG_HOME = mkdtempSync(join(tmpdir(), 'flower-loop-'));
});
afterEach(async () => {
  await at?.close();
  delete process.env.XDG_CONFIG_HOME;
});

type Setup = NonNullable<Parameters<typeof oneStep>[1]>;

async function start(play: Play, setup: Setup = {}): Promise<OneStep> {
  harness = new FakeHarness(play);
  at = await oneStep(() => say('not used'), { ...setup, runtime: { query: harness.query, ...setup.runtime } });
  return at;
}

/** Runs one step of a harness that plays this. */
async function run(play: Play, setup: Setup = {}, options: RunOptions = {}) {
  const one = await start(play, setup);
  return one.runtime.run(one.spec, 'Do it.', {
    ...options,
    onEvent: (event) => {
      one.events.push(event);
      options.onEvent?.(event);
    },
  });
}

/** Says one thing and is done. */
async function* well(turn: FakeTurn, text = 'Done.') {
  yield turn.init();
  yield await turn.answer({ text });
  yield turn.result();
}

/** Works until a hook stops it. */
async function* untilStopped(turn: FakeTurn, context = 1000, batches = 1000) {
  yield turn.init();
  for (let i = 0; i < batches; i += 1) {
    yield await turn.answer({ call: 'Bash', context });
    if ((await turn.boundary()) !== null) {
      yield turn.stopped();
      return;
    }
  }
  yield turn.result();
}

async function* fails(turn: FakeTurn, words = 'API Error: Connection dropped (ECONNRESET).', fields = {}) {
  yield turn.init();
  yield* turn.apiError(words, fields);
}

const handoffText = '## What is being done now\nHalf.\n\n## Next step\nThe other half.';
/** Writes a handoff if it is asked for one. */
const asksForHandoff = (turn: FakeTurn) => turn.prompt.includes('submit_handoff');
const small = { handoff: new HandoffPolicy({ window: 200_000 }) };

describe('a handoff', () => {
  it('resumes nothing, the old session for the document, then nothing again (case 6)', async () => {
    const result = await run(
      (turn) =>
        turn.n === 0 ? untilStopped(turn, 160_000) : well(turn, asksForHandoff(turn) ? handoffText : 'All done.'),
      { runtime: small },
    );
    expect(result).toMatchObject({ ok: true, attempts: 1, text: 'All done.' });
    const old = harness.turns[0]?.sessionId ?? '';
    expect(harness.resumes).toEqual([null, old, null]);
    expect(result).toMatchObject({ retired: [old], sessionId: harness.turns[2]?.sessionId });
    expect(harness.turns[2]?.prompt).toContain('The other half.');
    expect(harness.turns[2]?.prompt).not.toContain('Do it.');
    expect(result.context).toBe(1000);
    expect(at?.events.filter(({ payload }) => payload.phase === 'done')).toHaveLength(1);
  });

  it('is not made for a turn that ended by itself, nor for the context of a worker (cases 5, 7)', async () => {
    const result = await run(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer({ call: 'Agent' });
        yield await turn.answer({ context: 190_000, worker: 'a1', call: 'Bash' });
        expect(await turn.boundary('a1')).toBeNull();
        expect(await turn.boundary()).toBeNull();
        yield await turn.answer({ text: 'Finished.', context: 160_000 });
        yield turn.result();
      },
      { runtime: small },
    );
    expect(result).toMatchObject({ ok: true, retired: [], text: 'Finished.' });
    expect(harness.turns).toHaveLength(1);
  });

  it('is made eight times at most, then the cause is named (case 8)', async () => {
    const result = await run((turn) => (asksForHandoff(turn) ? well(turn, handoffText) : untilStopped(turn, 160_000)), {
      runtime: small,
    });
    expect(result.retired).toHaveLength(8);
    expect(result.error).toMatch(/startup floor/);
    expect(result.sessionId).not.toBeNull();
  });

  it('that cannot be read once in a step is lived with, also in the step after (case 9)', async () => {
    const play: Play = (turn) =>
      turn.n % 3 === 0 ? untilStopped(turn, 160_000) : well(turn, asksForHandoff(turn) ? 'No.' : 'Done.');
    const first = await run(play, { runtime: small });
    expect(first).toMatchObject({ ok: true, errors: [expect.stringMatching(/handoff degraded/)] });
    const second = await at?.runtime.run(at.spec, 'And this.');
    expect(second).toMatchObject({ ok: true, retired: [expect.any(String)] });
  });

  it('does not carry the watermark into the next step (case 12)', async () => {
    const policy = small.handoff;
    const first = await run((turn) => untilStopped(turn, turn.n === 0 ? policy.at - 1 : 500, 1), { runtime: small });
    expect(first).toMatchObject({ ok: true, context: policy.at - 1 });
    const second = await at?.runtime.run(at.spec, 'And this.');
    expect(second).toMatchObject({ ok: true, context: 500, retired: [] });
  });

  it('follows a rising curve: one at 950 K, the next as far on (M9.2)', async () => {
    let turns = 0;
    const crossings: number[] = [];
    const result = await run(
      async function* (turn) {
        yield turn.init();
        if (asksForHandoff(turn)) {
          yield await turn.answer({ text: handoffText, context: 952_000 });
          yield turn.result();
          return;
        }
        for (let n = 0; turns < 900; n += 1) {
          turns += 1;
          yield await turn.answer({ call: 'Bash', context: 28_700 + 2200 * n });
          if ((await turn.boundary()) === null) continue;
          crossings.push(turns);
          yield turn.stopped();
          return;
        }
        yield await turn.answer({ text: 'Done.' });
        yield turn.result();
      },
      { runtime: { handoff: new HandoffPolicy({ window: 1_000_000 }) } },
    );
    expect(result).toMatchObject({ ok: true, attempts: 1 });
    expect(crossings[0]).toBeGreaterThanOrEqual(418);
    expect(crossings[0]).toBeLessThanOrEqual(421);
    expect(crossings[1]).toBe(2 * (crossings[0] ?? 0));
    expect(crossings).toHaveLength(2);
    const contexts = at?.events.map(({ payload }) => payload.context).filter((c) => typeof c === 'number') ?? [];
    expect(contexts[contexts.findLastIndex((c) => c > 950_000) + 1]).toBe(28_700);
  });
});

describe('a window', () => {
  it('is learnt from an overflow, which the successor keeps to (case 11, Z21)', async () => {
    const result = await run(
      async function* (turn) {
        yield turn.init();
        if (turn.n === 0) {
          yield await turn.answer({ call: 'Bash', context: 174_000 });
          yield* turn.apiError('Prompt is too long', { terminal_reason: 'prompt_too_long', error: 'invalid_request' });
          return;
        }
        yield* untilStopped(turn, 131_000, 2);
      },
      { runtime: { handoff: true } },
    );
    expect(Object.values(JSON.parse(readFileSync(calibPath(), 'utf8')))).toEqual([174_000]);
    // 174 000 less its room of 50 000: the successor hands over before it overflows too.
    expect(result.retired.length).toBeGreaterThan(1);
    const near = at?.events.find(({ payload }) => payload.phase === 'near');
    expect(near?.payload).toMatchObject({ window: 174_000, at: 124_000 });
  });

  it('is not learnt from the limit that the harness sets itself (case 11)', async () => {
    const result = await run((turn) =>
      turn.n === 0
        ? (async function* () {
            yield turn.init();
            yield await turn.answer({ call: 'Bash', context: 174_000 });
            yield* turn.apiError('Prompt is too long', { terminal_reason: 'blocking_limit' });
          })()
        : well(turn),
    );
    expect(result).toMatchObject({ ok: true, retired: [expect.any(String)] });
    expect(() => readFileSync(calibPath())).toThrow();
  });

  it('that the harness knows counts at once, also for the answer that it came with (R1.94)', async () => {
    const result = await run(async function* (turn) {
      if (asksForHandoff(turn)) {
        yield* well(turn, handoffText);
        return;
      }
      turn.contextWindow = 200_000;
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      yield await turn.answer({ call: 'Bash', context: 180_000 });
      await new Promise((resolve) => setImmediate(resolve));
      expect(await turn.boundary()).not.toBeNull();
      yield turn.stopped();
    });
    expect(result).toMatchObject({ ok: true, retired: [expect.any(String)] });
  });

  it('of a model without a list price is not believed', async () => {
    const result = await run(async function* (turn) {
      turn.contextWindow = 200_000;
      yield turn.init();
      yield await turn.answer({ call: 'Bash', context: 180_000, model: 'example-model-9' });
      await new Promise((resolve) => setImmediate(resolve));
      expect(await turn.boundary()).toBeNull();
      yield turn.result();
    });
    expect(result).toMatchObject({ ok: true, retired: [] });
  });
});

describe('another model than was asked for', () => {
  it('is told once, whether or not the harness knows a window (R1.47)', async () => {
    const settings = { ANTHROPIC_API_KEY: 'sk-fake', ANTHROPIC_MODEL: 'claude-sonnet-5-5' };
    const one = await start((turn) => well(turn), { runtime: { settings } });
    for (const prompt of ['One.', 'Two.']) {
      await one.runtime.run(one.spec, prompt, { onEvent: (event) => one.events.push(event) });
    }
    const told = one.events.filter(({ payload }) => payload.model_mismatch);
    expect(told.map(({ payload }) => payload)).toMatchObject([
      { want: 'claude-sonnet-5-5', served: 'claude-opus-5-5' },
    ]);
    expect(one.runtime.results[0]?.errors).toEqual([]);
  });
});

describe('a failure', () => {
  const sixHours = { resetAfterS: 600, maxOfflineWaitS: 3600 };

  it('counts in a row: ten minutes of work begin anew, six at once end the step (case 24)', async () => {
    const result = await run(
      (turn) => {
        if (turn.n < 6) at?.clock.move(601);
        return turn.n < 6 ? fails(turn) : well(turn);
      },
      { resilience: sixHours },
    );
    expect(result).toMatchObject({ ok: true, attempts: 7, resumed: true });
    expect(at?.slept).toEqual([4, 4, 4, 4, 4, 4]);

    await at?.close();
    const all = await run((turn) => fails(turn));
    expect(all).toMatchObject({ ok: false, attempts: 6 });
    expect(at?.slept).toEqual([4, 8, 16, 32, 64]);
    expect(harness.turns[1]?.prompt).not.toMatch(/ECONNRESET|API Error/);
  });

  it('adds up work over an interrupt', async () => {
    const result = await run(async function* (turn) {
      at?.clock.move(400);
      if (turn.n % 2 === 0) {
        yield turn.init();
        at?.runtime.interrupt('go on');
        yield await turn.answer({ call: 'Bash' });
        expect(await turn.boundary()).not.toBeNull();
        yield turn.stopped();
        return;
      }
      yield* turn.n < 15 ? fails(turn) : well(turn);
    });
    expect(result.ok).toBe(true);
    expect(new Set(at?.slept)).toEqual(new Set([4]));
  });

  it('of 529 is waited out, and does not count (case 24)', async () => {
    const wall = { error: 'server_error', api_error_status: 529 };
    const result = await run((turn) => (turn.n < 10 ? fails(turn, 'API Error: Overloaded', wall) : well(turn)));
    expect(result).toMatchObject({ ok: true, attempts: 11 });
  });

  it('of 529 does not end the step because the clock was set or the machine slept', async () => {
    const wall = { error: 'server_error', api_error_status: 529 };
    let slept = 0;
    const clock = Date.now;
    const setForward: Play = async function* (turn) {
      const hours = turn.n * 3;
      Date.now = () => clock() + hours * 3_600_000;
      yield* turn.n < 3 ? fails(turn, 'API Error: Overloaded', wall) : well(turn);
    };
    const result = await run(setForward, {
      resilience: {
        now: undefined as never,
        sleep: async () => {
          slept += 1;
        },
      },
    });
    Date.now = clock;
    expect(result.ok).toBe(true);
    expect(slept).toBe(3);
  });

  it('that names a reset time is waited for three times, the fourth is an ordinary one (case 24)', async () => {
    const limit = (seconds: number) => `API Error: Request rejected (429) · usage limit reached|${Math.round(seconds)}`;
    const play =
      (times: number): Play =>
      (turn) =>
        turn.n < times
          ? fails(turn, limit((at?.clock.now() ?? 0) + 3600), { error: 'rate_limit', api_error_status: 429 })
          : well(turn);
    const three = await run(play(3));
    expect(three).toMatchObject({ ok: true, attempts: 1 });
    const told = at?.events.filter(({ payload }) => payload.limit).map(({ payload }) => payload.count);
    expect(told).toEqual([1, 2, 3]);
    await at?.close();
    const four = await run(play(4));
    expect(four).toMatchObject({ ok: true, attempts: 2 });
  });

  it('is final for a budget and for a number of turns (case 13)', async () => {
    for (const [subtype, terminal_reason] of [
      ['error_max_budget_usd', 'budget_exhausted'],
      ['error_max_turns', 'max_turns'],
    ]) {
      const result = await run(async function* (turn) {
        yield turn.init();
        yield turn.result({ subtype, terminal_reason, is_error: true, errors: ['Reached'] });
        throw new Error('Claude Code returned an error result: Reached');
      });
      expect(result).toMatchObject({ ok: false, attempts: 1, error: `${subtype}: Reached` });
      await at?.close();
    }
  });

  it('of an overflow is an overflow of its own attempt only (case 10)', async () => {
    const result = await run(
      (turn) => (turn.n === 0 ? fails(turn, 'Prompt is too long') : fails(turn, 'API Error: 400 boo')),
      { resilience: { retryUnknown: true } },
    );
    expect(result).toMatchObject({ ok: false, retired: [expect.any(String)], error: 'API Error: 400 boo' });
  });

  it('of the history goes back once, then to a fresh session (case 34)', async () => {
    const refused = { api_error: 'tool_history_mismatch', api_error_status: 400, error: 'invalid_request' };
    const once = await run(async function* (turn) {
      if (turn.n === 0) {
        yield turn.init();
        yield await turn.answer({ call: 'Bash' });
        yield await turn.answer({ call: 'Bash' });
        yield* turn.apiError('API Error: 400 due to tool use concurrency issues.', refused);
        return;
      }
      yield* well(turn);
    });
    expect(once).toMatchObject({ ok: true, attempts: 1, retired: [] });
    expect(harness.turns[1]?.options.resumeSessionAt).toBeTruthy();
    expect(harness.turns[1]?.prompt).toMatch(/last steps are missing/);

    await at?.close();
    const twice = await run(async function* (turn) {
      if (turn.n < 2) {
        yield turn.init();
        if (turn.n === 0) yield await turn.answer({ call: 'Bash' });
        if (turn.n === 0) yield await turn.answer({ call: 'Bash' });
        yield* turn.apiError('API Error: 400 due to tool use concurrency issues.', refused);
        return;
      }
      yield* well(turn);
    });
    expect(twice).toMatchObject({ ok: true, attempts: 1, retired: [expect.any(String)] });
    expect(harness.resumes).toEqual([null, harness.turns[0]?.sessionId, null]);
    expect(twice.errors.at(-1)).toMatch(/handoff degraded/);
  });

  it('before the store knows the session repeats the prompt, as there is nothing to resume', async () => {
    const result = await run(async function* (turn) {
      yield turn.init();
      if (turn.n === 0) throw new Error('Claude Code process terminated by signal SIGKILL');
      yield await turn.answer({ text: 'Done.' });
      yield turn.result();
    });
    expect(result).toMatchObject({ ok: true, attempts: 2 });
    expect(harness.resumes).toEqual([null, null]);
    expect(harness.turns[1]?.prompt).toContain('Do it.');
  });

  it('resumes at a place for the first attempt only (case 16)', async () => {
    const one = await start((turn) => (turn.n < 2 ? fails(turn) : well(turn)));
    await one.runtime.run(one.spec, 'Begin.', { resume: 'S', resumeAt: 'M' });
    expect(harness.turns.map((turn) => turn.options.resumeSessionAt ?? null)).toEqual(['M', null, null]);
  });
});

describe('an interrupt', () => {
  it('stops at the next batch of the main thread, not for that of a worker (case 2)', async () => {
    const result = await run(async function* (turn) {
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      yield await turn.answer({ call: 'Agent' });
      at?.runtime.interrupt('  use port 8081\n(really)  ');
      expect(await turn.boundary('a1')).not.toBeNull();
      yield await turn.answer({ text: 'Still here.' });
      expect(await turn.boundary()).not.toBeNull();
      yield turn.stopped();
    });
    expect(result).toMatchObject({ ok: true, attempts: 1, resumed: true, text: 'Done.' });
    expect(harness.resumes).toEqual([null, harness.turns[0]?.sessionId]);
    expect(harness.turns[1]?.prompt).toContain('use port 8081\n(really)');
    expect(harness.turns[1]?.prompt).toMatch(/side effect/);
  });

  it('without a session ends the step, or resumes what was given (case 3)', async () => {
    // A harness that dies before it says anything.
    const mute: Play = async function* (turn) {
      if (turn.n === 0) throw new Error('Claude Code process exited with code 1');
      yield* well(turn);
    };
    const one = await start(mute);
    one.runtime.interrupt('wait');
    expect(await one.runtime.run(one.spec, 'Begin.')).toMatchObject({ ok: false, error: Runtime.INTERRUPTED });
    await one.close();

    const two = await start(mute);
    two.runtime.interrupt('wait');
    const result = await two.runtime.run(two.spec, 'Begin.', { resume: 'S' });
    expect(result).toMatchObject({ ok: true, attempts: 1 });
    expect(harness.resumes).toEqual(['S', 'S']);
    expect(harness.turns[1]?.prompt).toContain('wait');
  });

  it('of a turn that ends well goes on only with words, and counts its cost once (case 4)', async () => {
    for (const words of ['one more thing', '']) {
      const result = await run(async function* (turn) {
        yield turn.init();
        yield await turn.answer({ text: `Turn ${turn.n}.`, usage: { output_tokens: 50_000 } });
        if (turn.n === 0) at?.runtime.interrupt(words);
        yield turn.result();
      });
      expect(result).toMatchObject({ ok: true, attempts: 1 });
      expect(harness.turns).toHaveLength(words ? 2 : 1);
      expect(result.costUsd).toBeCloseTo(words ? 2 : 1, 9);
      await at?.close();
    }
  });

  it('waits for words that come late, and takes a rejected promise for none (case 22)', async () => {
    let speak: (words: string) => void = () => undefined;
    const late = new Promise<string>((resolve) => {
      speak = resolve;
    });
    const play: Play = async function* (turn) {
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      at?.runtime.interrupt(late);
      await turn.boundary();
      yield turn.stopped();
      setTimeout(() => speak('late words'), 20);
    };
    const result = await run(play);
    expect(result.ok).toBe(true);
    expect(harness.turns[1]?.prompt).toContain('late words');

    await at?.close();
    const silent = await run(async function* (turn) {
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      at?.runtime.interrupt(Promise.reject(new Error('the terminal is gone')));
      await turn.boundary();
      yield turn.stopped();
    });
    expect(silent.ok).toBe(true);
    expect(harness.turns[1]?.prompt).toMatch(/interrupted for a moment/);
  });

  it('without a boundary cuts the turn once and reads on to the result (case 22)', async () => {
    const result = await run(
      async function* (turn) {
        if (turn.n > 0) {
          yield* well(turn);
          return;
        }
        yield turn.init();
        at?.runtime.interrupt('stop it');
        await turn.interrupted;
        yield turn.result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' });
      },
      { runtime: { interruptGraceS: 0.01 } },
    );
    expect(result).toMatchObject({ ok: true, attempts: 1 });
    expect(harness.turns[0]?.interrupts).toBe(1);
    expect(harness.turns[1]?.prompt).toContain('stop it');
  });

  it('during a wait is answered at once: the next attempt brings the words', async () => {
    const failures: Record<string, Parameters<typeof fails>> = {
      'a back-off': [undefined as never, 'API Error: Connection dropped (ECONNRESET).'],
      'a limit': [undefined as never, 'usage limit reached|4102444800', { error: 'rate_limit', api_error_status: 429 }],
      'a wall': [undefined as never, 'API Error: Overloaded', { error: 'server_error', api_error_status: 529 }],
    };
    for (const [, words, fields] of Object.values(failures)) {
      const result = await run(
        async function* (turn) {
          if (turn.n > 0) {
            yield* well(turn);
            return;
          }
          yield turn.init();
          yield await turn.answer({ call: 'Bash' });
          yield* turn.apiError(words ?? '', fields as Record<string, unknown>);
        },
        {
          resilience: {
            sleep: async () => {
              at?.runtime.interrupt('go on now');
              await new Promise(() => undefined);
            },
          },
        },
      );
      expect(result).toMatchObject({ ok: true, resumed: true });
      expect(harness.turns).toHaveLength(2);
      expect(harness.turns[1]?.prompt).toContain('go on now');
      await at?.close();
    }
  });

  it('while a handoff is written lets it be written and reaches the successor', async () => {
    const result = await run(
      async function* (turn) {
        if (turn.n === 0) {
          yield* untilStopped(turn, 160_000);
        } else if (asksForHandoff(turn)) {
          yield turn.init();
          at?.runtime.interrupt('mind the tests');
          yield await turn.answer({ call: 'Bash', context: 160_000 });
          expect(await turn.boundary()).toBeNull();
          yield await turn.answer({ text: handoffText, context: 160_000 });
          yield turn.result();
        } else if (turn.n === 2) {
          yield* untilStopped(turn);
        } else {
          yield* well(turn);
        }
      },
      { runtime: small },
    );
    expect(result).toMatchObject({ ok: true, attempts: 1, retired: [harness.turns[0]?.sessionId] });
    expect(harness.turns[2]?.prompt).toContain('The other half.');
    expect(harness.turns[3]?.prompt).toContain('mind the tests');
    expect(harness.turns[3]?.options.resume).toBe(harness.turns[2]?.sessionId);
  });

  it('does not wait behind a handoff that waits for a long command', async () => {
    const result = await run(
      async function* (turn) {
        if (turn.n > 0) {
          yield* well(turn, asksForHandoff(turn) ? handoffText : 'Done.');
          return;
        }
        yield turn.init();
        yield await turn.answer({ call: 'Bash', context: 160_000 });
        at?.runtime.interrupt('enough');
        // The command runs for hours: no boundary comes.
        await turn.interrupted;
        yield turn.result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' });
      },
      { runtime: { ...small, interruptGraceS: 0.01 } },
    );
    expect(result).toMatchObject({ ok: true });
    expect(harness.turns.at(-1)?.prompt).toContain('enough');
  });

  it('stops every step that runs, each with the words, and no later one', async () => {
    const one = await start(async function* (turn) {
      if (turn.options.resume) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      if (turn.prompt.includes('later')) {
        yield await turn.answer({ text: 'Untouched.' });
        expect(await turn.boundary()).toBeNull();
        yield turn.result();
        return;
      }
      if (turn.n === 1) one.runtime.interrupt('both of you');
      while ((await turn.boundary()) === null) await new Promise((resolve) => setTimeout(resolve, 1));
      yield turn.stopped();
    });
    const both = await Promise.all(['A', 'B'].map((prompt) => one.runtime.run(one.spec, prompt)));
    expect(both.map(({ ok }) => ok)).toEqual([true, true]);
    const resumed = harness.turns.filter(({ options }) => options.resume);
    expect(resumed.map(({ prompt }) => prompt.includes('both of you'))).toEqual([true, true]);
    expect(await one.runtime.run(one.spec, 'later')).toMatchObject({ ok: true, text: 'Untouched.' });
  });
});

describe('what a user gives', () => {
  it('may throw without any harm (case 14)', async () => {
    const one = await start((turn) => well(turn));
    one.runtime.onSession = () => {
      throw new Error('disk full');
    };
    let thrown = 0;
    const result = await one.runtime.run(one.spec, 'Do it.', {
      onEvent: () => {
        thrown += 1;
        if (thrown === 1) throw new Error('no terminal');
      },
    });
    expect(result).toMatchObject({ ok: true, text: 'Done.' });
    expect(one.runtime.uiErrors).toEqual(expect.arrayContaining(['no terminal', 'disk full']));
  });
});

describe('a result', () => {
  it('that a hook of the user stopped is not a success (case 23)', async () => {
    const result = await run(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer({ text: 'Stopped half-way.', usage: { output_tokens: 10_000 } });
        yield turn.stopped();
      },
      { resilience: { enabled: false } },
    );
    expect(result).toMatchObject({ ok: false, error: 'hook_stopped' });
    expect(result.costUsd).toBeCloseTo(0.2, 9);
  });

  it('that says success and an error is a failure with its own text', async () => {
    const result = await run((turn) => fails(turn, 'API Error: 400 boo'), { resilience: { enabled: false } });
    expect(result).toMatchObject({ ok: false, error: 'API Error: 400 boo', text: '' });
  });
});
