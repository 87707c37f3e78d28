import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import { Runtime } from '../../src/runtime/runtime.js';
import { call, fail, http, type Reply, reset, type SimRequest, say, stall } from '../../src/sim/index.js';
import { NO_RETRIES, type OneStep, withStep } from '../support/oneStep.js';

/** What no model may ever read, and no text of a step may hold. */
const ERROR_WORDS =
  /API Error|ECONNRE|Overloaded|server error|rate limit|usage limit|Proxy login|Prompt is too long|Invalid API key|selected model|\bboo\b|Credit balance|stalled|idle timeout/i;

const work = () => call('Bash', { command: 'echo 1', description: 'Work' });
const shown = (request: SimRequest | undefined) => JSON.stringify(request?.messages);

const run = (at: OneStep, runtime = at.runtime) =>
  runtime.run(at.spec, 'Work.', { onEvent: (event) => at.events.push(event) });

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The session went on: one id, and nothing of the failure in what the model reads. */
function expectCleanSession({ sim }: OneStep): void {
  expect(sim.faults).toEqual([]);
  expect(new Set(sim.requests.map(({ session }) => session)).size).toBe(1);
  expect(shown(sim.requests.at(-1))).not.toMatch(ERROR_WORDS);
}

describe.concurrent('a failure that passes: the session goes on where it was', () => {
  const cut = () => say('Half of it.').breakOff({ by: 'reset', after: { blocks: 1 } });
  const inTheFirstBlock = () => say('Half of it.').breakOff({ by: 'reset', after: { blocks: 0 } });
  const html = (status: number) => http(status, '<html>Proxy login</html>', { 'content-type': 'text/html' });
  /** How often the program itself asks within one attempt is part of the promise: the two retryings do not multiply. */
  const rows: readonly [what: string, requests: number, kind: string, reply: () => Reply][] = [
    ['429 without a time', 3, 'transient', () => fail(429)],
    ['429 that is to be asked again in an hour', 1, 'transient', () => fail(429, 'Later', { retryAfterS: 3600 })],
    ['500', 3, 'wall', () => fail(500)],
    ['529', 3, 'wall', () => fail(529)],
    ['an HTML page with status 200', 2, 'unknown', () => html(200)],
    ['an HTML page with status 502', 3, 'wall', () => html(502)],
    ['an empty body', 2, 'unknown', () => http(200, '')],
    ['a reset before the answer', 3, 'transient', reset],
    ['a reset in the first block', 4, 'transient', inTheFirstBlock],
    ['a reset behind a finished block', 4, 'transient', cut],
  ];
  it.each(rows)('%s: %d requests, then one attempt more (%s)', async (_, requests, kind, reply) => {
    let refused = 0;
    const script = (request: SimRequest): Reply => {
      if (request.calls.length === 0) return work();
      refused += 1;
      return refused <= requests ? reply() : say('Finished.');
    };
    await withStep(script, {}, async (at) => {
      const result = await run(at);
      expect(result).toMatchObject({ ok: true, error: null, text: 'Finished.', attempts: 2, resumed: true });
      expect(at.sim.requests).toHaveLength(1 + requests + 1);
      expect(at.slept).toEqual([4]);
      expect(at.events.find(({ kind: of }) => of === 'retry')?.text).toContain(`(${kind})`);
      expectCleanSession(at);
    });
  });

  const halfSaid = () =>
    say('Half of it.')
      .say('More.')
      .breakOff({ by: 'stall', after: { blocks: 1 } });
  it.each([
    ['at its headers', 2, 'Finished.', () => stall('headers')],
    // The program goes on by itself from what is said.
    ['behind a finished block', 1, 'Half of it.\nFinished.', halfSaid],
  ])('an answer that stalls %s is cut, also by the shortest limit that the program takes', async (...row) => {
    const [, attempts, text, stalls] = row;
    const env = {
      ...NO_RETRIES,
      CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '1000',
      CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
    };
    let stalled = false;
    const script = (request: SimRequest): Reply => {
      if (request.calls.length === 0) return work();
      if (stalled) return say('Finished.');
      stalled = true;
      return stalls();
    };
    await withStep(script, { spec: { env } }, async (at) => {
      expect(await run(at)).toMatchObject({ ok: true, error: null, text, attempts, resumed: attempts > 1 });
      expect(at.sim.requests).toHaveLength(3);
      expectCleanSession(at);
    });
  });

  it('a service that stays silent for longer than work counts anew ends the step (R9.1, R9.20)', async () => {
    let asked = 0;
    const script = (request: SimRequest): Reply => {
      if (request.calls.length === 0) return work();
      asked += 1;
      return asked <= 3 ? stall('headers') : say('Finished.');
    };
    const resilience = { silenceS: 5, resetAfterS: 4, maxAttempts: 2, now: undefined as never };
    await withStep(script, { resilience }, async (at) => {
      expect(await run(at)).toMatchObject({ ok: false, attempts: 2, error: Runtime.SILENT });
    });
  });

  it.each([
    ['blanks around it', '  Work. \n\n'],
    ['line ends of Windows', 'Work.\r\nWell.\r\n'],
    ['half a surrogate and a zero', 'Work \ud83d now\u0000.'],
    ['the look of a command', '/help me with the work'],
  ])('also if the harness writes the prompt down differently: %s', async (_, prompt) => {
    let refused = false;
    const script = (request: SimRequest): Reply => {
      if (request.calls.length === 0) return work();
      if (refused) return say('Finished.');
      refused = true;
      return fail(500);
    };
    await withStep(script, { spec: { env: NO_RETRIES } }, async (at) => {
      const result = await at.runtime.run(at.spec, prompt);
      expect(result).toMatchObject({ ok: true, text: 'Finished.', attempts: 2, resumed: true });
      expect(new Set(at.sim.requests.map(({ session }) => session)).size).toBe(1);
    });
  });

  it('before the model has said anything', async () => {
    let refused = 0;
    const script = () => {
      refused += 1;
      return refused <= 3 ? fail(500) : say('Finished.');
    };
    await withStep(script, {}, async (at) => {
      expect(await run(at)).toMatchObject({ ok: true, text: 'Finished.', attempts: 2, resumed: true });
      expectCleanSession(at);
      expect(shown(at.sim.requests.at(-1))).toContain('Work.');
    });
  });

  it('a usage limit is waited for until its time and is no attempt', async () => {
    let refused = 0;
    const script = (at: { current?: OneStep }) => (request: SimRequest) => {
      if (request.calls.length === 0) return work();
      refused += 1;
      const ends = Math.round(at.current?.clock.now() ?? 0) + 3600;
      return refused <= 3 ? fail(429, `Claude usage limit reached|${ends}`) : say('Finished.');
    };
    const holder: { current?: OneStep } = {};
    await withStep(script(holder), {}, async (at) => {
      holder.current = at;
      const began = at.clock.now();
      expect(await run(at)).toMatchObject({ ok: true, text: 'Finished.', attempts: 1, resumed: true });
      expect(at.sim.requests).toHaveLength(5);
      expect(at.clock.now() - began).toBeGreaterThan(3600);
      expect(at.clock.now() - began).toBeLessThan(3700);
      const told = at.events.filter(({ kind }) => kind === 'retry');
      expect(told.map(({ payload }) => payload.limit)).toEqual([true]);
      expectCleanSession(at);
    });
  });

  it('a wall of 529 of a quarter of an hour is waited out, however many attempts that takes', async () => {
    const holder: { current?: OneStep; began?: number } = {};
    const script = (request: SimRequest): Reply => {
      if (request.calls.length === 0) return work();
      holder.began ??= holder.current?.clock.now() ?? 0;
      return (holder.current?.clock.now() ?? 0) - holder.began < 900 ? fail(529) : say('Finished.');
    };
    await withStep(script, { spec: { env: NO_RETRIES } }, async (at) => {
      holder.current = at;
      const result = await run(at);
      expect(result).toMatchObject({ ok: true, text: 'Finished.', resumed: true });
      expect(at.slept.slice(0, 7)).toEqual([4, 8, 16, 32, 64, 120, 120]);
      expect(result.attempts).toBe(at.slept.length + 1);
      expect(at.sim.requests).toHaveLength(1 + result.attempts);
      expectCleanSession(at);
    });
  });

  it('a request that had become too large goes back to before what made it so', async () => {
    let refused = false;
    const script = (request: SimRequest): Reply => {
      if (!refused && request.calls.length > 0) {
        refused = true;
        return fail(413);
      }
      return refused ? say('Another way.') : work();
    };
    await withStep(script, {}, async (at) => {
      expect(await run(at)).toMatchObject({ ok: true, text: 'Another way.', attempts: 1, resumed: true });
      expect(at.sim.requests).toHaveLength(3);
      expect(at.sim.requests.at(-1)?.calls).toEqual([]);
      expectCleanSession(at);
    });
  });
});

describe.concurrent('a failure that does not pass: one attempt, and the session is kept', () => {
  const rows: readonly [what: string, requests: number, error: RegExp, reply: () => Reply][] = [
    ['401', 3, /Invalid API key/, () => fail(401)],
    ['403', 1, /403/, () => fail(403)],
    ['404', 2, /selected model/, () => fail(404)],
    ['400', 3, /400 boo/, () => fail(400, 'boo')],
    ['a spent balance', 1, /Credit balance/, () => fail(400, 'Your credit balance is too low')],
  ];
  it.each(rows)('%s: %d requests', async (_, requests, error, reply) => {
    const script = (request: SimRequest) => (request.calls.length === 0 ? work() : reply());
    await withStep(script, {}, async (at) => {
      const result = await run(at);
      expect(result).toMatchObject({ ok: false, attempts: 1, text: '', resumed: false, retired: [] });
      expect(result.error).toMatch(error);
      expect(at.sim.requests).toHaveLength(1 + requests);
      expect(at.slept).toEqual([]);
      // The program calls it a success; it is none.
      expect(at.events.find(({ kind }) => kind === 'result')?.text).toBe('success');

      // A person has put it right.
      at.sim.setScript(() => say('Finished.'));
      const later = await at.again().run(at.spec, 'Go on.', { resume: result.sessionId });
      expect(later).toMatchObject({ ok: true, text: 'Finished.', sessionId: result.sessionId });
      expectCleanSession(at);
      const last = at.sim.requests.at(-1);
      expect(last?.calls).toMatchObject([{ tool: 'Bash', result: { text: '1' } }]);
      expect(shown(last)).toContain('Work.');
    });
  });

  it('a request that is too large from the start', async () => {
    await withStep(
      () => fail(413),
      {},
      async (at) => {
        const result = await run(at);
        expect(result).toMatchObject({ ok: false, attempts: 1, text: '' });
        expect(result.error).toMatch(/too large/);
        expect(at.sim.requests).toHaveLength(1);
      },
    );
  });

  it('a prompt has become too long: a successor takes over and finishes', async () => {
    const script = (request: SimRequest): Reply => {
      if (request.prompt.includes('taking over')) return say('Finished.');
      return request.calls.length < 2 ? work() : fail(400, 'prompt is too long: 210000 tokens > 200000 maximum');
    };
    await withStep(script, {}, async (at) => {
      const result = await run(at);
      expect(result).toMatchObject({ ok: true, error: null, attempts: 1, text: 'Finished.' });
      expect(result.retired).toEqual([at.sim.requests[0]?.session]);
      expect(at.sim.requests).toHaveLength(4);
      const taken = at.sim.requests[3];
      expect(taken).toMatchObject({ session: result.sessionId, calls: [] });
      expect(shown(taken)).not.toMatch(ERROR_WORDS);
      expect(at.sim.faults).toEqual([]);
    });
  });

  it('every prompt is too long: two reduced handoffs, then the cause and the figures (M9.6)', async () => {
    const script = () => fail(400, 'prompt is too long: 210000 tokens > 200000 maximum');
    await withStep(script, {}, async (at) => {
      const result = await run(at);
      expect(result).toMatchObject({ ok: false, attempts: 1, text: '', costUsd: 0 });
      expect(result.retired).toHaveLength(2);
      expect(result.error).toMatch(/degraded.*Window 1000000, threshold 950000, headroom 50000/s);
      expect(at.sim.requests).toHaveLength(2);
      expect(shown(at.sim.requests[1])).not.toMatch(ERROR_WORDS);
    });
  });
});

describe.concurrent('a service that cannot be reached at all', () => {
  const settings = (url: string) => ({ ANTHROPIC_API_KEY: 'sk-fake', ANTHROPIC_BASE_URL: url });
  const rows: readonly [what: string, url: string, words: RegExp][] = [
    ['refuses the connection', 'http://127.0.0.1:9', /ECONNREFUSED/],
    ['has no address', 'http://no-such-host.invalid', /ENOTFOUND/],
    ['does not speak TLS', 'https://127.0.0.1:SIM', /EPROTO/],
  ];
  it.each(rows)('%s: tried again, the session is kept', async (_, url, words) => {
    const setup = { resilience: { maxAttempts: 2 }, spec: { env: NO_RETRIES } };
    await withStep(
      () => say('Never asked.'),
      setup,
      async (at) => {
        const runtime = at.again({ settings: settings(url.replace('SIM', String(at.sim.port))) });
        const result = await run(at, runtime);
        expect(result).toMatchObject({ ok: false, attempts: 2, text: '', costUsd: 0 });
        expect(result.error).toMatch(words);
        expect(at.sim.requests).toEqual([]);

        at.sim.setScript(() => say('Finished.'));
        const later = await at.again().run(at.spec, 'Go on.', { resume: result.sessionId });
        expect(later).toMatchObject({ ok: true, text: 'Finished.', sessionId: result.sessionId });
        expect(shown(at.sim.requests.at(-1))).not.toMatch(ERROR_WORDS);
      },
    );
  });

  it('cuts the connection in the middle of the TLS handshake: tried again', async () => {
    const server = createNetServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const port = await listening(server);
    const setup = { resilience: { maxAttempts: 2 }, spec: { env: NO_RETRIES } };
    await withStep(
      () => say('Never asked.'),
      setup,
      async (at) => {
        const result = await run(at, at.again({ settings: settings(`https://127.0.0.1:${port}`) }));
        expect(result).toMatchObject({ ok: false, attempts: 2, text: '' });
        expect(result.error).toMatch(/ECONNRESET/);
      },
    );
    server.close();
  });

  const certificates: readonly [what: string, file: string, isTrusted: boolean, words: RegExp][] = [
    ['is signed by nobody who is trusted', 'untrusted', false, /signed by nobody.*NODE_EXTRA_CA_CERTS/],
    ['has expired', 'expired', true, /has expired.*renew/],
    ['is not valid yet', 'early', true, /not valid yet.*clock.*now shows \d{4}-/],
    ['is for another host', 'other', true, /another name.*ANTHROPIC_BASE_URL/],
  ];
  it.each(certificates)(
    'shows a certificate that %s: one attempt, told what to do, the session is kept',
    async (_, file, isTrusted, words) => {
      const path = (name: string) => fileURLToPath(new URL(`../support/tls/${name}.pem`, import.meta.url));
      const server = createServer({ key: readFileSync(path('key')), cert: readFileSync(path(file)) });
      const port = await listening(server);
      const env = { ...NO_RETRIES, ...(isTrusted && { NODE_EXTRA_CA_CERTS: path(file) }) };
      await withStep(
        () => say('Never asked.'),
        { spec: { env } },
        async (at) => {
          const result = await run(at, at.again({ settings: settings(`https://127.0.0.1:${port}`) }));
          expect(result).toMatchObject({ ok: false, attempts: 1, text: '', costUsd: 0 });
          expect(result.error).toMatch(words);
          expect(result.error).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}.*The session is kept.*\nAPI Error`, 's'));
          expect(at.slept).toEqual([]);

          at.sim.setScript(() => say('Finished.'));
          const later = await at.again().run(at.spec, 'Go on.', { resume: result.sessionId });
          expect(later).toMatchObject({ ok: true, text: 'Finished.', sessionId: result.sessionId });
          expect(shown(at.sim.requests.at(-1))).not.toMatch(/certificate/i);
        },
      );
      server.close();
    },
  );

  const log = (turn: number) => call('Bash', { command: `echo ${turn} >> log`, description: 'Work' });
  const spoken = (turn: number) => say(`Step ${turn} is in the log.`).call('Bash', { command: `echo ${turn} >> log` });
  const CUT = 'The worker was cut off before it was done';

  it.each([
    ['has said nothing yet', log, CUT],
    ['had spoken', spoken, 'Step 0 is in the log.'],
  ])(
    'for three minutes while a worker works that %s: one word out, one back, and the work is done (A2, M9.4)',
    async (_, act, reported) => {
      const holder: { current?: OneStep; wentAway?: number } = {};
      const now = () => holder.current?.clock.now() ?? 0;
      const isAway = () => holder.wentAway !== undefined && now() - holder.wentAway < 180;
      const script = (request: SimRequest): Reply => {
        if (request.thread === 'worker' && request.turn === 1) holder.wentAway ??= now();
        if (isAway()) return reset();
        if (request.thread === 'worker') return request.turn < 2 ? act(request.turn) : say('Report: done.');
        if (request.calls.some(({ result }) => result?.text.includes('Report: done.'))) return say('All done.');
        return call('Agent', { subagent_type: 'coder', description: 'do it', prompt: 'Do it.' });
      };
      await withStep(script, { resilience: { probe: async () => !isAway() } }, async (at) => {
        holder.current = at;
        const spec = coordinator('work', '', { coder: worker('Writes code.', 'You write.') });
        const result = await at.runtime.run(spec, 'Do it.', { onEvent: (event) => at.events.push(event) });
        expect(result).toMatchObject({ ok: true, error: null, attempts: 2, resumed: true, text: 'All done.' });
        expect(readFileSync(join(at.workspace, 'log'), 'utf8')).toBe('0\n0\n1\n');

        const told = at.events.filter(({ kind }) => kind === 'retry').map(({ text }) => text);
        expect(told).toHaveLength(3);
        expect(told[1]).toMatch(/cannot be reached/);
        expect(told[2]).toMatch(/reach.* again|back/);
        expect(now() - (holder.wentAway ?? 0)).toBeGreaterThanOrEqual(180);
        expect(now() - (holder.wentAway ?? 0)).toBeLessThan(210);

        const later = at.sim.requests.slice(
          at.sim.requests.findIndex(({ prompt }) => prompt.includes('cut off midway')),
        );
        expect(later.map(({ thread }) => thread)).toEqual(['main', 'worker', 'worker', 'worker', 'main']);
        for (const request of later) expect(shown(request)).not.toMatch(ERROR_WORDS);
        expect(shown(later[0])).toContain(CUT);
        expect(shown(later[0])).toContain(reported);
        const key = { projectKey: at.runtime.projectKey, sessionId: result.sessionId ?? '' };
        const stored = JSON.stringify(await at.runtime.store.inner.load(key));
        if (act === log) expect(stored).toMatch(/terminated early.*ECONNRESET/);
        expect(at.sim.faults).toEqual([]);
      });
    },
  );

  it('for a moment while a worker works that had spoken: its coordinator goes on and reads nothing of it', async () => {
    let refused = 0;
    const script = (request: SimRequest): Reply => {
      const isCutHere = request.thread === 'worker' && request.turn === 1 && refused < 3;
      if (isCutHere) refused += 1;
      if (isCutHere) return reset();
      if (request.thread === 'worker') return request.turn < 1 ? spoken(request.turn) : say('Report: done.');
      if (request.turn > 1) return say('All done.');
      return call('Agent', { subagent_type: 'coder', description: 'do it', prompt: 'Do it.' });
    };
    await withStep(script, {}, async (at) => {
      const spec = coordinator('work', '', { coder: worker('Writes code.', 'You write.') });
      const result = await at.runtime.run(spec, 'Do it.');
      expect(result).toMatchObject({ ok: true, attempts: 1, text: 'All done.' });
      for (const request of at.sim.requests) expect(shown(request)).not.toMatch(ERROR_WORDS);
      const reader = at.sim.requests.find(({ thread, turn }) => thread === 'main' && turn === 1);
      expect(shown(reader)).toContain(CUT);
      expect(shown(reader)).toContain('Step 0 is in the log.');
    });
  });
});
