import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Play } from '../../test/support/fakeHarness.js';
import { asksForHandoff, FakeStep, HANDOFF_TEXT, SMALL, untilStopped, well } from '../../test/support/fakeStep.js';
import { HandoffPolicy } from '../agent/handoffPolicy.js';
import { calibPath } from '../agent/window.js';

const step = new FakeStep();

describe('a handoff', () => {
  it('resumes nothing, the old session for the document, then nothing again (case 6)', async () => {
    const result = await step.run(
      (turn) =>
        turn.n === 0 ? untilStopped(turn, 160_000) : well(turn, asksForHandoff(turn) ? HANDOFF_TEXT : 'All done.'),
      { runtime: SMALL },
    );
    expect(result).toMatchObject({ ok: true, attempts: 1, text: 'All done.' });
    const old = step.harness.turns[0]?.sessionId ?? '';
    expect(step.harness.resumes).toEqual([null, old, null]);
    expect(result).toMatchObject({ retired: [old], sessionId: step.harness.turns[2]?.sessionId });
    expect(step.harness.turns[2]?.prompt).toContain('The other half.');
    expect(step.harness.turns[2]?.prompt).not.toContain('Do it.');
    expect(result.context).toBe(1000);
    expect(step.at.events.filter(({ payload }) => payload.phase === 'done')).toHaveLength(1);
  });

  it('is not made for a turn that ended by itself, nor for the context of a worker (cases 5, 7)', async () => {
    const result = await step.run(
      async function* (turn) {
        yield turn.init();
        yield await turn.answer({ call: 'Agent' });
        yield await turn.answer({ context: 190_000, worker: 'a1', call: 'Bash' });
        expect(await turn.boundary('a1')).toBeNull();
        expect(await turn.boundary()).toBeNull();
        yield await turn.answer({ text: 'Finished.', context: 160_000 });
        yield turn.result();
      },
      { runtime: SMALL },
    );
    expect(result).toMatchObject({ ok: true, retired: [], text: 'Finished.' });
    expect(step.harness.turns).toHaveLength(1);
  });

  it('D8.7: is made eight times at most, then cause and remedy are named (case 8)', async () => {
    const result = await step.run(
      (turn) => (asksForHandoff(turn) ? well(turn, HANDOFF_TEXT) : untilStopped(turn, 160_000)),
      {
        runtime: SMALL,
      },
    );
    expect(result.retired).toHaveLength(8);
    expect(result.error).toMatch(/threshold 150000 .*startup floor.*--window \(now 200000\).*--no-handoff/);
    expect(result.error).not.toContain(calibPath());
    expect(result.sessionId).not.toBeNull();
  });

  it('D8.6: that cannot be read once in a step is lived with, also in the step after (case 9)', async () => {
    const play: Play = (turn) =>
      turn.n % 3 === 0 ? untilStopped(turn, 160_000) : well(turn, asksForHandoff(turn) ? 'No.' : 'Done.');
    const first = await step.run(play, { runtime: SMALL });
    expect(first).toMatchObject({ ok: true, errors: [expect.stringMatching(/handoff degraded/)] });
    const second = await step.at.runtime.run(step.at.spec, 'And this.');
    expect(second).toMatchObject({ ok: true, retired: [expect.any(String)] });
  });

  it('does not carry the watermark into the next step (case 12)', async () => {
    const policy = SMALL.handoff;
    const first = await step.run((turn) => untilStopped(turn, turn.n === 0 ? policy.at - 1 : 500, 1), {
      runtime: SMALL,
    });
    expect(first).toMatchObject({ ok: true, context: policy.at - 1 });
    const second = await step.at.runtime.run(step.at.spec, 'And this.');
    expect(second).toMatchObject({ ok: true, context: 500, retired: [] });
  });

  it('follows a rising curve: one at 950 K, the next as far on (M9.2)', async () => {
    let turns = 0;
    const crossings: number[] = [];
    const result = await step.run(
      async function* (turn) {
        yield turn.init();
        if (asksForHandoff(turn)) {
          yield await turn.answer({ text: HANDOFF_TEXT, context: 952_000 });
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
    const contexts = step.at.events.map(({ payload }) => payload.context).filter((c) => typeof c === 'number') ?? [];
    expect(contexts[contexts.findLastIndex((c) => c > 950_000) + 1]).toBe(28_700);
  });
});

describe('a window', () => {
  it('is learnt from an overflow, which the successor keeps to (case 11, Z21)', async () => {
    const result = await step.run(
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
    const near = step.at.events.find(({ payload }) => payload.phase === 'near');
    expect(near?.payload).toMatchObject({ window: 174_000, at: 124_000 });
  });

  it('that was learnt and is now too small is named with the file that keeps it (R4.34, R13.52)', async () => {
    const result = await step.run(
      async function* (turn) {
        if (turn.n > 0) return yield* asksForHandoff(turn) ? well(turn, HANDOFF_TEXT) : untilStopped(turn, 25_000);
        yield turn.init();
        yield await turn.answer({ call: 'Bash', context: 70_000 });
        yield* turn.apiError('Prompt is too long', { terminal_reason: 'prompt_too_long', error: 'invalid_request' });
      },
      { runtime: { handoff: true } },
    );
    expect(result.retired).toHaveLength(8);
    expect(result.error).toContain(calibPath());
  });

  it('is looked up and learnt for the address and the model of its own settings', async () => {
    const settings = {
      ANTHROPIC_API_KEY: 'sk-fake',
      ANTHROPIC_BASE_URL: 'http://own',
      ANTHROPIC_MODEL: 'claude-haiku-4-5',
    };
    const at = await step.start(
      async function* (turn) {
        yield turn.init();
        if (turn.n > 0) return yield* well(turn);
        yield await turn.answer({ call: 'Bash', context: 120_000 });
        yield* turn.apiError('Prompt is too long', { terminal_reason: 'prompt_too_long', error: 'invalid_request' });
      },
      { runtime: { handoff: true, settings } },
    );
    expect(at.runtime.handoff).toMatchObject({ window: 200_000, windowSource: 'name' });
    await at.runtime.run(at.spec, 'Work.');
    expect(JSON.parse(readFileSync(calibPath(), 'utf8'))).toEqual({ 'http://own|claude-haiku-4-5': 120_000 });
    expect(at.again().handoff).toMatchObject({ window: 120_000, windowSource: 'overflow' });
  });

  it('is not learnt from the limit that the harness sets itself (case 11)', async () => {
    const result = await step.run((turn) =>
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
    const result = await step.run(async function* (turn) {
      if (asksForHandoff(turn)) {
        yield* well(turn, HANDOFF_TEXT);
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
    const result = await step.run(async function* (turn) {
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
    const one = await step.start((turn) => well(turn), { runtime: { settings } });
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
