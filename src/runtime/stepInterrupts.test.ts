import { describe, expect, it } from 'vitest';
import type { Play } from '../../test/support/fakeHarness.js';
import {
  asksForHandoff,
  FakeStep,
  fails,
  HANDOFF_TEXT,
  SMALL,
  untilStopped,
  well,
} from '../../test/support/fakeStep.js';
import { text } from '../locale/locale.js';
import { Runtime } from './runtime.js';

const step = new FakeStep();

describe('an interrupt', () => {
  it('stops at the next batch of the main thread, not for that of a worker (case 2)', async () => {
    const result = await step.run(async function* (turn) {
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      yield await turn.answer({ call: 'Agent' });
      step.at.runtime.interrupt('  use port 8081\n(really)  ');
      expect(await turn.boundary('a1')).not.toBeNull();
      yield await turn.answer({ text: 'Still here.' });
      expect(await turn.boundary()).not.toBeNull();
      yield turn.stopped();
    });
    expect(result).toMatchObject({ ok: true, attempts: 1, resumed: true, text: 'Done.' });
    expect(step.harness.resumes).toEqual([null, step.harness.turns[0]?.sessionId]);
    expect(step.harness.turns[1]?.prompt).toContain('use port 8081\n(really)');
    expect(step.harness.turns[1]?.prompt).toMatch(/side effect/);
  });

  it('without a session ends the step, or resumes what was given (case 3)', async () => {
    // A harness that dies before it says anything.
    const mute: Play = async function* (turn) {
      if (turn.n === 0) throw new Error('Claude Code process exited with code 1');
      yield* well(turn);
    };
    const one = await step.start(mute);
    one.runtime.interrupt('wait');
    expect(await one.runtime.run(one.spec, 'Begin.')).toMatchObject({ ok: false, error: Runtime.INTERRUPTED });

    const two = await step.start(mute);
    two.runtime.interrupt('wait');
    const result = await two.runtime.run(two.spec, 'Begin.', { resume: 'S' });
    expect(result).toMatchObject({ ok: true, attempts: 1 });
    expect(step.harness.resumes).toEqual(['S', 'S']);
    expect(step.harness.turns[1]?.prompt).toContain('wait');
  });

  it('of a turn that ends well goes on only with words, and counts its cost once (case 4)', async () => {
    for (const words of ['one more thing', '']) {
      const result = await step.run(async function* (turn) {
        yield turn.init();
        yield await turn.answer({ text: `Turn ${turn.n}.`, usage: { output_tokens: 50_000 } });
        if (turn.n === 0) step.at.runtime.interrupt(words);
        yield turn.result();
      });
      expect(result).toMatchObject({ ok: true, attempts: 1 });
      expect(step.harness.turns).toHaveLength(words ? 2 : 1);
      expect(result.costUsd).toBeCloseTo(words ? 2 : 1, 9);
    }
  });

  it.each([
    ['second', /first\s+second/],
    ['', /first/],
  ])('before its turn has ended adds to the one before: %j', async (second, expected) => {
    const result = await step.run(async function* (turn) {
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      step.at.runtime.interrupt('first');
      step.at.runtime.interrupt(second);
      await turn.boundary();
      yield turn.stopped();
    });
    expect(result.ok).toBe(true);
    expect(step.harness.turns).toHaveLength(2);
    expect(step.harness.turns[1]?.prompt).toMatch(expected);
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
      step.at.runtime.interrupt(late);
      await turn.boundary();
      yield turn.stopped();
      setTimeout(() => speak('late words'), 20);
    };
    const result = await step.run(play);
    expect(result.ok).toBe(true);
    expect(step.harness.turns[1]?.prompt).toContain('late words');
    const silent = await step.run(async function* (turn) {
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      step.at.runtime.interrupt(Promise.reject(new Error('the terminal is gone')));
      await turn.boundary();
      yield turn.stopped();
    });
    expect(silent.ok).toBe(true);
    expect(step.harness.turns[1]?.prompt).toMatch(/interrupted for a moment/);
  });

  it('without a boundary cuts the turn once and reads on to the result (case 22)', async () => {
    const result = await step.run(
      async function* (turn) {
        if (turn.n > 0) {
          yield* well(turn);
          return;
        }
        yield turn.init();
        step.at.runtime.interrupt('stop it');
        await turn.interrupted;
        yield turn.result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' });
      },
      { runtime: { interruptGraceS: 0.01 } },
    );
    expect(result).toMatchObject({ ok: true, attempts: 1 });
    expect(step.harness.turns[0]?.interrupts).toBe(1);
    expect(step.harness.turns[1]?.prompt).toContain('stop it');
  });

  it('D4.13: during a wait is answered at once: that is said, and the next attempt brings the words', async () => {
    const failures: Record<string, Parameters<typeof fails>> = {
      'a back-off': [undefined as never, 'API Error: Connection dropped (ECONNRESET).'],
      'a limit': [undefined as never, 'usage limit reached|4102444800', { error: 'rate_limit', api_error_status: 429 }],
      'a wall': [undefined as never, 'API Error: Overloaded', { error: 'server_error', api_error_status: 529 }],
    };
    for (const [, words, fields] of Object.values(failures)) {
      const result = await step.run(
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
              step.at.runtime.interrupt('go on now');
              await new Promise(() => undefined);
            },
          },
        },
      );
      expect(result).toMatchObject({ ok: true, resumed: true });
      expect(step.harness.turns).toHaveLength(2);
      expect(step.harness.turns[1]?.prompt).toContain('go on now');
      expect(step.at.events.map((event) => event.text)).toContain(text('retry.interruptedWithWords'));
    }
  });

  it('while a handoff is written lets it be written and reaches the successor', async () => {
    const result = await step.run(
      async function* (turn) {
        if (turn.n === 0) {
          yield* untilStopped(turn, 160_000);
        } else if (asksForHandoff(turn)) {
          yield turn.init();
          step.at.runtime.interrupt('mind the tests');
          yield await turn.answer({ call: 'Bash', context: 160_000 });
          expect(await turn.boundary()).toBeNull();
          yield await turn.answer({ text: HANDOFF_TEXT, context: 160_000 });
          yield turn.result();
        } else if (turn.n === 2) {
          yield* untilStopped(turn);
        } else {
          yield* well(turn);
        }
      },
      { runtime: SMALL },
    );
    expect(result).toMatchObject({ ok: true, attempts: 1, retired: [step.harness.turns[0]?.sessionId] });
    expect(step.harness.turns[2]?.prompt).toContain('The other half.');
    expect(step.harness.turns[3]?.prompt).toContain('mind the tests');
    expect(step.harness.turns[3]?.options.resume).toBe(step.harness.turns[2]?.sessionId);
  });

  it('while a handoff is asked for again lets that wait go on', async () => {
    let looks = 0;
    const result = await step.run(
      (turn) => {
        if (turn.n === 0) return untilStopped(turn, 160_000);
        if (turn.n === 1) return fails(turn);
        if (turn.n === 2) return well(turn, HANDOFF_TEXT);
        return turn.n === 3 ? untilStopped(turn) : well(turn);
      },
      {
        runtime: SMALL,
        resilience: {
          probe: async () => step.harness.turns.length !== 2 || looks++ > 2,
          sleep: async () => {
            step.at.runtime.interrupt('mind the tests');
            await new Promise((resolve) => setTimeout(resolve, 5));
          },
        },
      },
    );
    expect(result).toMatchObject({ ok: true, retired: [step.harness.turns[0]?.sessionId] });
    expect(asksForHandoff(step.harness.turns[2])).toBe(true);
    expect(step.harness.turns[4]?.prompt).toContain('mind the tests');
  });

  it('does not wait behind a handoff that waits for a long command', async () => {
    const result = await step.run(
      async function* (turn) {
        if (turn.n > 0) {
          yield* well(turn, asksForHandoff(turn) ? HANDOFF_TEXT : 'Done.');
          return;
        }
        yield turn.init();
        yield await turn.answer({ call: 'Bash', context: 160_000 });
        step.at.runtime.interrupt('enough');
        // The command runs for hours: no boundary comes.
        await turn.interrupted;
        yield turn.result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' });
      },
      { runtime: { ...SMALL, interruptGraceS: 0.01 } },
    );
    expect(result).toMatchObject({ ok: true });
    expect(step.harness.turns.at(-1)?.prompt).toContain('enough');
  });

  it('stops every step that runs, each with the words, and no later one', async () => {
    const one = await step.start(async function* (turn) {
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
    const resumed = step.harness.turns.filter(({ options }) => options.resume);
    expect(resumed.map(({ prompt }) => prompt.includes('both of you'))).toEqual([true, true]);
    expect(await one.runtime.run(one.spec, 'later')).toMatchObject({ ok: true, text: 'Untouched.' });
  });
});

it('D4.15: what is said to one who judges is a remark, to be weighed and not followed', async () => {
  const play: Play = async function* (turn) {
    if (turn.n > 0) return yield* well(turn);
    yield turn.init();
    yield await turn.answer({ call: 'Read' });
    step.at.runtime.interrupt('let it pass');
    expect(await turn.boundary()).not.toBeNull();
    yield turn.stopped();
  };
  await step.run(play, {}, { remark: true });
  expect(step.harness.turns[1]?.prompt).toContain(text('remark.head', { words: 'let it pass' }));
  await step.run(play);
  expect(step.harness.turns[1]?.prompt).toContain(text('interrupt.head.words', { words: 'let it pass' }));
});

describe('what a user gives', () => {
  it('may throw without any harm (case 14)', async () => {
    const one = await step.start((turn) => well(turn));
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
