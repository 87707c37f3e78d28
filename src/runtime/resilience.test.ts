import { describe, expect, it, vi } from 'vitest';
import { Resilience, type ResilienceOptions } from './resilience.js';

const target = ['gw', 8080] as const;

/** A clock that only sleeping moves; `away` says how many seconds of a sleep the machine itself slept on top. */
function fakeTime(start = 0, away: (seconds: number) => number = () => 0) {
  const time = { now: start, sleeps: [] as number[] };
  const sleep = async (seconds: number) => {
    time.sleeps.push(seconds);
    time.now += seconds + away(seconds);
  };
  return { time, options: { now: () => time.now, sleep } };
}

/** Answers of the network, one a look; the last one stays. */
function network(answers: readonly boolean[]) {
  const looks: unknown[][] = [];
  const probe = async (...look: unknown[]) => {
    looks.push(look);
    return answers[Math.min(looks.length, answers.length) - 1] ?? false;
  };
  return { looks, probe };
}

describe('R9.1 options', () => {
  it('have the documented defaults, and a prompt that names no error', () => {
    const resilience = new Resilience({}, 'en');
    expect({ ...resilience }).toEqual({
      enabled: true,
      maxAttempts: 6,
      baseDelayS: 4,
      maxDelayS: 120,
      probeTimeoutS: 5,
      probeIntervalS: 15,
      maxOfflineWaitS: 3600,
      resetAfterS: 600,
      silenceS: 1800,
      maxLimitWaits: 3,
      retryUnknown: true,
      resumePrompt: expect.stringMatching(/do not start over/i),
    });
    expect(resilience.resumePrompt).not.toMatch(/error|network|50\d|DNS/i);
    expect(new Resilience({}, 'zh').resumePrompt).not.toBe(resilience.resumePrompt);
    expect(new Resilience({ resumePrompt: 'go on', maxAttempts: undefined as never })).toMatchObject({
      resumePrompt: 'go on',
      maxAttempts: 6,
    });
  });

  it.each([
    [{ maxAttempts: -1 }, 'Resilience: maxAttempts must be a number from 0 on, got -1'],
    [{ baseDelayS: Number.NaN }, 'Resilience: baseDelayS must be a number from 0 on, got null'],
    [{ silenceS: '30' }, 'Resilience: silenceS must be a number from 0 on, got "30"'],
    [{ enabled: 'no' }, 'Resilience: enabled must be a boolean, got "no"'],
    [{ resumePrompt: 1 }, 'Resilience: resumePrompt must be a string, got 1'],
    [{ maxDelay: 5 }, 'Resilience: there is no option maxDelay'],
  ])('%j is refused', (options, message) => {
    expect(() => new Resilience(options as ResilienceOptions)).toThrow(new TypeError(message));
  });
});

describe('R9.2, R9.3 trying again', () => {
  it('waits twice as long each time, a quarter up or down', () => {
    const delays = (random: number) =>
      [1, 2, 3, 4, 5, 6, 7].map((attempt) => new Resilience({ random: () => random }).delayFor(attempt));
    expect(delays(0.5)).toEqual([4, 8, 16, 32, 64, 120, 120]);
    expect(delays(0)[0]).toBe(3);
    expect(delays(1)[0]).toBe(5);
    expect(new Resilience({ random: () => 0.5 }).delayFor(5000)).toBe(120);
  });

  it('is worth it for what may pass', () => {
    const resilience = new Resilience();
    expect(resilience.shouldRetry('transient')).toBe(true);
    expect(resilience.shouldRetry('unknown')).toBe(true);
    expect(resilience.shouldRetry('fatal')).toBe(false);
    expect(new Resilience({ retryUnknown: false }).shouldRetry('unknown')).toBe(false);
  });
});

describe('R9.5 waitOnline', () => {
  const wait = async (answers: readonly boolean[], options: ResilienceOptions = {}) => {
    const { time, options: clock } = fakeTime();
    const { looks, probe } = network(answers);
    const notes: string[] = [];
    const resilience = new Resilience({ ...clock, probe, ...options }, 'en');
    const online = await resilience.waitOnline((note) => notes.push(note), { target });
    return { online, notes, looks, slept: time.now };
  };

  it('says nothing of a network that is there', async () => {
    expect(await wait([true])).toEqual({ online: true, notes: [], looks: [['gw', 8080, 5]], slept: 0 });
  });

  it('says once that it is away and once that it is back', async () => {
    const { online, notes, looks, slept } = await wait([false, false, true]);
    expect([online, looks.length, slept]).toEqual([true, 3, 30]);
    expect(notes).toEqual(['gw:8080 cannot be reached, waiting (at most 60 minutes)', 'gw:8080 is back, going on']);
  });

  it('gives up at the limit, and looks once more before', async () => {
    const { online, notes, looks, slept } = await wait([false], { maxOfflineWaitS: 40 });
    expect([online, notes.length, looks.length]).toEqual([false, 1, 4]);
    expect(slept).toBeCloseTo(40, 0);
    expect((await wait([false, false, false, true], { maxOfflineWaitS: 40 })).online).toBe(true);
  });

  it('looks once without a wait, if none is allowed', async () => {
    const { online, notes, looks } = await wait([false], { maxOfflineWaitS: 0 });
    expect([online, looks.length, notes.length]).toEqual([false, 1, 1]);
  });

  it('goes without somebody to tell, and looks at the endpoint of this process', async () => {
    const { looks, probe } = network([false, true]);
    process.env.ANTHROPIC_BASE_URL = 'http://127.0.0.1:9';
    process.env.NO_PROXY = '*';
    try {
      expect(await new Resilience({ ...fakeTime().options, probe }).waitOnline()).toBe(true);
    } finally {
      delete process.env.ANTHROPIC_BASE_URL;
      delete process.env.NO_PROXY;
    }
    expect(looks[0]).toEqual(['127.0.0.1', 9, 5]);
  });

  it('ends at once when it is called off, in a sleep or in a look', async () => {
    for (const step of ['sleep', 'probe'] as const) {
      const controller = new AbortController();
      const neverEnds = () => {
        controller.abort();
        return new Promise<never>(() => {});
      };
      const resilience = new Resilience({
        probe: step === 'probe' ? neverEnds : async () => false,
        sleep: neverEnds,
      });
      expect(await resilience.waitOnline(undefined, { target, signal: controller.signal })).toBe(false);
      expect(controller.signal.aborted).toBe(true);
    }
  });

  it.each([
    [1, '1 second'],
    [59, '59 seconds'],
    [60, '1 minute'],
    [90, '2 minutes'],
    [3600, '60 minutes'],
  ])('R9.6 calls %i s %s', (maxOfflineWaitS, words) => {
    expect(new Resilience({ maxOfflineWaitS }, 'en').offlineLimit).toBe(words);
  });
});

describe('R9.16 clock', () => {
  it('is not the wall clock, which may be set, but in a test the one that is given', () => {
    const resilience = new Resilience();
    const before = { now: resilience.now(), clock: resilience.clock() };
    vi.setSystemTime(Date.now() + 3_600_000);
    try {
      expect(resilience.now() - before.now).toBeGreaterThanOrEqual(3600);
      expect(resilience.clock() - before.clock).toBeLessThan(3600);
    } finally {
      vi.useRealTimers();
    }
    expect(new Resilience({ now: () => 7 }).clock()).toBe(7);
  });
});

describe('R9.17 waitUntil', () => {
  it('looks at the wall clock every half minute', async () => {
    const { time, options } = fakeTime(1000);
    await new Resilience(options).waitUntil(1070);
    expect(time.sleeps).toEqual([30, 30, 10]);
    await new Resilience(options).waitUntil(900);
    expect(time.sleeps).toHaveLength(3);
  });

  it('goes on at once on a machine that slept over the time', async () => {
    const { time, options } = fakeTime(1000, () => 36_000);
    await new Resilience(options).waitUntil(10_000);
    expect(time.sleeps).toEqual([30]);
  });

  it('follows a clock that is set back', async () => {
    const steps = [-60];
    const { time, options } = fakeTime(1000, () => steps.pop() ?? 0);
    await new Resilience(options).waitUntil(1040);
    expect(time.sleeps).toEqual([30, 30, 30, 10]);
  });

  it('is cut short by a signal, and leaves no timer behind', async () => {
    const controller = new AbortController();
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const waiting = new Resilience().waitUntil(Date.now() / 1000 + 36_000, { signal: controller.signal });
    expect(timers()).toBe(before + 1);
    controller.abort();
    await waiting;
    expect(timers()).toBe(before);
    await new Resilience().sleep(36_000, { signal: controller.signal });
  });

  it('waits on the real clock', async () => {
    const end = Date.now() / 1000 + 0.05;
    await new Resilience().waitUntil(end);
    expect(Date.now() / 1000).toBeGreaterThanOrEqual(end);
  });
});
