import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { FakeTurn, Play } from '../../test/support/fakeHarness.js';
import { FakeStep, fails, well } from '../../test/support/fakeStep.js';
import type { RunDatabase } from '../database/database.js';

const step = new FakeStep();

/** Gets an answer after so many seconds, and then an error of the service. */
async function* worksAndFails(turn: FakeTurn, seconds: number) {
  yield turn.init();
  step.at.clock.move(seconds);
  yield await turn.answer({ call: 'Bash' });
  yield* turn.apiError('API Error: Connection dropped (ECONNRESET).');
}

describe('a failure', () => {
  const sixHours = { resetAfterS: 600, maxOfflineWaitS: 3600 };

  it('counts in a row: ten minutes of work begin anew, six at once end the step (case 24)', async () => {
    const result = await step.run((turn) => (turn.n < 6 ? worksAndFails(turn, 601) : well(turn)), {
      resilience: sixHours,
    });
    expect(result).toMatchObject({ ok: true, attempts: 7, resumed: true });
    expect(step.at.slept).toEqual([4, 4, 4, 4, 4, 4]);
    const all = await step.run((turn) => fails(turn));
    expect(all).toMatchObject({ ok: false, attempts: 6 });
    expect(step.at.slept).toEqual([4, 8, 16, 32, 64]);
    expect(step.harness.turns[1]?.prompt).not.toMatch(/ECONNRESET|API Error/);
  });

  it('counts however long it took to come: no answer is no work', async () => {
    const slow = async function* (turn: FakeTurn) {
      step.at.clock.move(1800);
      yield* turn.n < 10 ? fails(turn, 'API Error: Request timed out.') : well(turn);
    };
    const all = await step.run(slow);
    expect(all).toMatchObject({ ok: false, attempts: 6 });
    // What was done before the silence is work, be it done by a worker.
    const worker = await step.run(async function* (turn) {
      if (turn.n === 6) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      step.at.clock.move(601);
      yield await turn.answer({ call: 'Bash', worker: 'a1' });
      step.at.clock.move(1800);
      yield* turn.apiError('API Error: Request timed out.');
    });
    expect(worker).toMatchObject({ ok: true, attempts: 7 });
  });

  it('adds up work over an interrupt', async () => {
    const result = await step.run(async function* (turn) {
      if (turn.n % 2 === 0) {
        yield turn.init();
        step.at.clock.move(400);
        step.at.runtime.interrupt('go on');
        yield await turn.answer({ call: 'Bash' });
        expect(await turn.boundary()).not.toBeNull();
        yield turn.stopped();
        return;
      }
      yield* turn.n < 15 ? worksAndFails(turn, 400) : well(turn);
    });
    expect(result.ok).toBe(true);
    expect(new Set(step.at.slept)).toEqual(new Set([4]));
  });

  it('of 529 is waited out, and does not count (case 24)', async () => {
    const wall = { error: 'server_error', api_error_status: 529 };
    const result = await step.run((turn) => (turn.n < 10 ? fails(turn, 'API Error: Overloaded', wall) : well(turn)));
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
    const result = await step.run(setForward, {
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
          ? fails(turn, limit((step.at.clock.now() ?? 0) + 3600), { error: 'rate_limit', api_error_status: 429 })
          : well(turn);
    const three = await step.run(play(3));
    expect(three).toMatchObject({ ok: true, attempts: 1 });
    const told = step.at.events.filter(({ payload }) => payload.limit).map(({ payload }) => payload.count);
    expect(told).toEqual([1, 2, 3]);
    const four = await step.run(play(4));
    expect(four).toMatchObject({ ok: true, attempts: 2 });
  });

  it('that names a reset time is waited for once more after a wait that a person has cut short', async () => {
    const limited: Play = (turn) => {
      const ends = Math.round(step.at.clock.now() + 3600);
      const fields = { error: 'rate_limit', api_error_status: 429 };
      return turn.n < 6
        ? fails(turn, `API Error: Request rejected (429) · usage limit reached|${ends}`, fields)
        : well(turn);
    };
    let waits = 0;
    const result = await step.run(limited, {
      resilience: {
        sleep: async () => {
          waits += 1;
          if (waits <= 3) step.at.runtime.interrupt('Try now.');
          else step.at.clock.move(3611);
        },
      },
    });
    expect(result).toMatchObject({ ok: true, attempts: 1 });
    expect(waits).toBe(6);
  });

  it('that names a reset time is waited for by the next process too, for the rest of the time (C15 c)', async () => {
    const one = await step.start((turn) => well(turn));
    const dead = one.again();
    dead.books.beginRun(dead.runId);
    dead.books.setLimitUntil(dead.runId, one.clock.now() + 1800);
    const began = one.clock.now();
    const result = await one.runtime.run(one.spec, 'Do it.', { onEvent: (event) => one.events.push(event) });
    expect(result).toMatchObject({ ok: true, attempts: 1, resumed: false });
    expect(one.clock.now() - began).toBeCloseTo(1800, 3);
    expect(one.events.filter(({ payload }) => payload.limit)).toHaveLength(1);
    await one.runtime.run(one.spec, 'And this.');
    expect(one.clock.now() - began).toBeCloseTo(1800, 3);
  });

  describe('and was waited for by a process that was killed', () => {
    const limits = () => step.at.runtime.books.runs().flatMap(({ limitUntil }) => limitUntil ?? []);
    const told = () => step.at.events.filter(({ payload }) => payload.limit);
    const work = (runtime = step.at.runtime) =>
      runtime.run(step.at.spec, 'Do it.', { onEvent: (event) => step.at.events.push(event) });

    /** The wait can only be cut short; `onSleep` is called when it begins. */
    async function afterKill(onSleep: () => void, play: Play = (turn) => well(turn)) {
      const one = await step.start(play, {
        resilience: {
          sleep: async () => {
            onSleep();
            await new Promise(() => undefined);
          },
        },
      });
      const dead = one.again();
      dead.books.beginRun(dead.runId);
      dead.books.setLimitUntil(dead.runId, one.clock.now() + 1800);
      return one;
    }

    it('is not waited for again once a person has cut it short', async () => {
      const one = await afterKill(() => step.at.runtime.interrupt(''));
      expect(await work()).toMatchObject({ ok: true });
      expect(await work()).toMatchObject({ ok: true });
      expect(told()).toHaveLength(1);
      expect(limits()).toEqual([]);
      expect(await work(one.again())).toMatchObject({ ok: true });
      expect(told()).toHaveLength(1);
    });

    it('is not waited for by somebody who has interrupted already', async () => {
      const one = await afterKill(() => undefined);
      one.runtime.interrupt('use port 8081');
      expect(await work()).toMatchObject({ ok: true });
      expect(told()).toEqual([]);
      expect(limits()).toEqual([]);
      expect(step.harness.turns.at(-1)?.prompt).toContain('use port 8081');
    });

    it('is left to the next process if this one is killed as well', async () => {
      let asleep: () => void = () => undefined;
      const sleeping = new Promise<void>((resolve) => {
        asleep = resolve;
      });
      const one = await afterKill(asleep);
      const until = one.clock.now() + 1800;
      const running = work();
      await sleeping;
      expect(limits()).toEqual([until]);
      one.runtime.interrupt('');
      await running;
    });
  });

  it('does not reject the run while another program holds the books (R1.18)', async () => {
    const held: SQLite.Database[] = [];
    const result = await step.run(
      async function* (turn) {
        if (turn.n > 0) {
          for (const other of held) other.close();
          yield* well(turn);
          return;
        }
        const ends = Math.round(step.at.clock.now()) + 3600;
        const fields = { error: 'rate_limit', api_error_status: 429 };
        yield* fails(turn, `API Error: Request rejected (429) · usage limit reached|${ends}`, fields);
      },
      {},
      {
        onEvent: ({ payload }) => {
          if (!payload.limit) return;
          const other = new SQLite(join(step.at.runDir, 'sessions.db'));
          other.exec('BEGIN IMMEDIATE');
          held.push(other);
        },
      },
    );
    expect(result).toMatchObject({ ok: true, attempts: 1 });
    const { books } = step.at.runtime;
    expect(books.rows()).toMatchObject([{ step: 'work', ok: true }]);
    expect(books.lastRun()?.limitUntil).toBeNull();
  });

  it('of a full disk does not reject the run: it is told once, and booked when there is room (R1.18)', async () => {
    const full = (pages: number) => {
      const { database } = step.at.runtime.books as unknown as { database: RunDatabase };
      database.handle.pragma(`max_page_count = ${pages}`);
    };
    const result = await step.run(
      (turn) => {
        full(1);
        return turn.n === 0 ? fails(turn, 'x'.repeat(200_000)) : well(turn);
      },
      { resilience: { retryUnknown: true } },
    );
    expect(result).toMatchObject({ ok: true, attempts: 2 });
    const told = step.at.events.filter(({ payload }) => payload.books_fault);
    expect(told.map(({ kind, payload }) => [kind, payload.books_fault])).toEqual([['error', 'database_full']]);
    expect(step.at.runtime.books.rows()).not.toMatchObject([{ ok: true }]);
    full(1_000_000);
    await step.at.runtime.run(step.at.spec, 'And this.');
    expect(step.at.runtime.books.rows()).toMatchObject([{ ok: true }, { ok: true }]);
  });

  it('of a workbench that cannot be written does not reject the run: the work matters more than its index', async () => {
    const result = await step.run(
      (turn) => {
        if (turn.n > 0) return well(turn);
        const { workbench } = step.at.runtime;
        if (workbench) {
          workbench.refresh = () => {
            throw new Error('ENOSPC: no space left on device');
          };
        }
        return fails(turn);
      },
      { runtime: { workbench: true } },
    );
    expect(result).toMatchObject({ ok: true, attempts: 2 });
    const told = step.at.events.filter(({ text }) => text.includes('ENOSPC'));
    expect(told.map(({ kind }) => kind)).toEqual(['error']);
  });

  it('is final for a budget and for a number of turns (case 13)', async () => {
    for (const [subtype, terminal_reason] of [
      ['error_max_budget_usd', 'budget_exhausted'],
      ['error_max_turns', 'max_turns'],
    ]) {
      const result = await step.run(async function* (turn) {
        yield turn.init();
        yield turn.result({ subtype, terminal_reason, is_error: true, errors: ['Reached'] });
        throw new Error('Claude Code returned an error result: Reached');
      });
      expect(result).toMatchObject({ ok: false, attempts: 1, error: `${subtype}: Reached` });
    }
  });

  it('of an overflow is an overflow of its own attempt only (case 10)', async () => {
    const result = await step.run(
      (turn) => (turn.n === 0 ? fails(turn, 'Prompt is too long') : fails(turn, 'API Error: 400 boo')),
      { resilience: { retryUnknown: true } },
    );
    expect(result).toMatchObject({ ok: false, retired: [expect.any(String)], error: 'API Error: 400 boo' });
  });

  it('of the history goes back once, then to a fresh session (case 34)', async () => {
    const refused = { api_error: 'tool_history_mismatch', api_error_status: 400, error: 'invalid_request' };
    const once = await step.run(async function* (turn) {
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
    expect(step.harness.turns[1]?.options.resumeSessionAt).toBeTruthy();
    expect(step.harness.turns[1]?.prompt).toMatch(/last steps are missing/);
    const twice = await step.run(async function* (turn) {
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
    expect(step.harness.resumes).toEqual([null, step.harness.turns[0]?.sessionId, null]);
    expect(twice.errors.at(-1)).toMatch(/handoff degraded/);
  });

  it('before the store knows the session repeats the prompt, as there is nothing to resume', async () => {
    const result = await step.run(async function* (turn) {
      yield turn.init();
      if (turn.n === 0) throw new Error('Claude Code process terminated by signal SIGKILL');
      yield await turn.answer({ text: 'Done.' });
      yield turn.result();
    });
    expect(result).toMatchObject({ ok: true, attempts: 2 });
    expect(step.harness.resumes).toEqual([null, null]);
    expect(step.harness.turns[1]?.prompt).toContain('Do it.');
  });

  it('resumes at a place for the first attempt only (case 16)', async () => {
    const one = await step.start((turn) => (turn.n < 2 ? fails(turn) : well(turn)));
    await one.runtime.run(one.spec, 'Begin.', { resume: 'S', resumeAt: 'M' });
    expect(step.harness.turns.map((turn) => turn.options.resumeSessionAt ?? null)).toEqual(['M', null, null]);
  });
});

describe('what was said to a session', () => {
  /** A harness that dies before anything of its query is written. */
  async function* dies(turn: FakeTurn) {
    yield turn.init();
    throw new Error('Claude Code process terminated by signal SIGKILL');
  }

  it('is said again if the harness died before it was written, to a resumed session and to a fork too', async () => {
    const one = await step.start((turn) => (turn.n === 0 || turn.n % 2 === 0 ? well(turn) : dies(turn)));
    const { sessionId } = await one.runtime.run(one.spec, 'Begin.');
    for (const fork of [false, true]) {
      const result = await one.runtime.run(one.spec, 'Now the tests.', { resume: sessionId, fork });
      expect(result).toMatchObject({ ok: true, attempts: 2 });
      const turn = step.harness.turns.at(-1);
      expect(turn?.prompt).toBe('Now the tests.');
      expect(turn?.options.resume).toBe(sessionId);
      expect(turn?.options.forkSession ?? false).toBe(fork);
    }
  });

  it('at an interrupt outlasts a harness that dies of it', async () => {
    const result = await step.run(async function* (turn) {
      if (turn.n === 1) yield* dies(turn);
      if (turn.n > 0) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      yield await turn.answer({ call: 'Bash' });
      step.at.runtime.interrupt('use port 8081');
      await turn.boundary();
      yield turn.stopped();
    });
    expect(result).toMatchObject({ ok: true });
    expect(step.harness.turns[2]?.prompt).toContain('use port 8081');
  });

  it('is not lost with the end of a history that is refused before it was answered', async () => {
    const refused = { api_error: 'tool_history_mismatch', api_error_status: 400, error: 'invalid_request' };
    const one = await step.start((turn) => (turn.n === 1 ? fails(turn, 'API Error: 400 boo', refused) : well(turn)));
    const { sessionId } = await one.runtime.run(one.spec, 'Begin.');
    const result = await one.runtime.run(one.spec, 'Now the tests.', { resume: sessionId });
    expect(result).toMatchObject({ ok: true, attempts: 1 });
    expect(step.harness.turns[2]?.options.resumeSessionAt).toBeTruthy();
    expect(step.harness.turns[2]?.prompt).toMatch(/^Now the tests\..*last steps are missing/s);
  });

  it('at an interrupt reaches the successor of a session that no longer takes it', async () => {
    const result = await step.run(async function* (turn) {
      if (turn.n === 1) {
        yield turn.init();
        yield* turn.apiError('Prompt is too long', { terminal_reason: 'prompt_too_long' });
        return;
      }
      if (turn.n > 1) {
        yield* well(turn);
        return;
      }
      yield turn.init();
      yield await turn.answer({ call: 'Bash' });
      step.at.runtime.interrupt('use port 8081');
      await turn.boundary();
      yield turn.stopped();
    });
    expect(result).toMatchObject({ ok: true, retired: [expect.any(String)] });
    expect(step.harness.turns[2]?.prompt).toMatch(/use port 8081.*Do it\./s);
  });
});

describe('a result', () => {
  it('that a hook of the user stopped is not a success (case 23)', async () => {
    const result = await step.run(
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
    const result = await step.run((turn) => fails(turn, 'API Error: 400 boo'), { resilience: { enabled: false } });
    expect(result).toMatchObject({ ok: false, error: 'API Error: 400 boo', text: '' });
  });
});
