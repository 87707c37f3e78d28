import { describe, expect, it, vi } from 'vitest';
import { HandoffPolicy } from '../../src/agent/handoffPolicy.js';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import type { Event } from '../../src/events/event.js';
import { byRole, call, fail, type Reply, type SimRequest, say, stall } from '../../src/sim/index.js';
import { NO_RETRIES, type OneStep, processesOf, withStep } from '../support/oneStep.js';

const WORDS = 'Take "port" 8081,\n  not {8080} — 好吗? $HOME';
const bash = (command: string) => call('Bash', { command, description: 'Work' });
const spec = coordinator('work', '', { coder: worker('Writes code.', 'You write.') });
const dispatch = (task: string) => ({ subagent_type: 'coder', description: task, prompt: task });

/** Where flower itself resumes: its own prompt, not what a person said. */
const isResumed = (request: SimRequest) => /interrupted/.test(request.prompt);

async function run(at: OneStep, onEvent: (event: Event) => void = () => undefined) {
  return at.runtime.run(at.spec, 'Begin.', {
    onEvent: (event) => {
      at.events.push(event);
      onEvent(event);
    },
  });
}

const sessions = ({ sim }: OneStep) => new Set(sim.requests.map(({ session }) => session)).size;

describe.concurrent('a person interrupts', () => {
  it('D4.12: before the first message: the session that then begins goes on with the words, verbatim', async () => {
    const script = (request: SimRequest) => (isResumed(request) ? say('As you say.') : bash('echo 1'));
    await withStep(script, {}, async (at) => {
      at.runtime.interrupt(WORDS);
      expect(await run(at)).toMatchObject({ ok: true, attempts: 1, text: 'As you say.' });
      expect(at.sim.requests.at(-1)?.prompt).toContain(WORDS);
      expect(sessions(at)).toBe(1);
    });
  });

  it('at work: it stops at the boundary and goes on in the same session, told what the break may have left behind', async () => {
    const script = (request: SimRequest) =>
      isResumed(request) ? say('Port 8081 it is.') : bash(`echo ${request.turn}`);
    await withStep(script, {}, async (at) => {
      const result = await run(at, ({ kind }) => {
        if (kind === 'tool_result') at.runtime.interrupt(Promise.resolve(WORDS));
      });
      expect(result).toMatchObject({ ok: true, attempts: 1, resumed: true, text: 'Port 8081 it is.' });
      expect(sessions(at)).toBe(1);
      const resumed = at.sim.requests.at(-1);
      expect(resumed?.prompt).toContain('side effect');
      expect(JSON.stringify(resumed?.messages)).toContain('a person interrupted here');
    });
  });

  it('a command that takes long: it is cut after the grace', async () => {
    const script = (request: SimRequest) => (isResumed(request) ? say('On.') : bash('sleep 19'));
    await withStep(script, { runtime: { interruptGraceS: 0.2 } }, async (at) => {
      const result = await run(at, ({ kind }) => {
        if (kind === 'tool_call') at.runtime.interrupt();
      });
      expect(result).toMatchObject({ ok: true, text: 'On.', attempts: 1 });
    });
  });

  it('when the turn has just ended: it goes on with the words, and the next step hears nothing of them', async () => {
    const script = (request: SimRequest) => say(isResumed(request) ? 'One thing more.' : 'Done.');
    await withStep(script, {}, async (at) => {
      const result = await run(at, ({ kind }) => {
        if (kind === 'result' && at.sim.requests.length === 1) at.runtime.interrupt(WORDS);
      });
      expect(result).toMatchObject({ ok: true, attempts: 1, text: 'One thing more.' });
      expect(result.costUsd).toBeCloseTo(at.sim.meter.total().costUsd, 9);
      await run(at);
      expect(at.sim.requests.at(-1)?.prompt).toBe('Begin.');
      expect(at.sim.requests).toHaveLength(3);
    });
  });

  it('D4.8: while two workers work: each stops at its own next batch, its last words are its report', async () => {
    let at: OneStep | undefined;
    const script = byRole({
      coordinator: (request) => {
        if (isResumed(request)) return say('Both heard.');
        return call('Agent', dispatch('one')).call('Agent', dispatch('two'));
      },
      worker: (request) => {
        if (request.turn === 1 && request.prompt === 'two') at?.runtime.interrupt(WORDS);
        return say(`Half of ${request.prompt}.`).call('Bash', { command: 'sleep 0.3', description: 'Work' });
      },
    });
    await withStep(script, {}, async (one) => {
      at = one;
      const result = await one.runtime.run(spec, 'Begin.', { onEvent: (event) => one.events.push(event) });
      expect(result).toMatchObject({ ok: true, attempts: 1, text: 'Both heard.' });
      const [resumed] = one.sim.requests.filter(({ thread, prompt }) => thread === 'main' && /8081/.test(prompt));
      const reports = resumed?.calls.map((made) => made.result?.text ?? '') ?? [];
      expect(reports).toHaveLength(2);
      for (const [i, task] of ['one', 'two'].entries()) {
        expect(reports[i]).toMatch(/stopped by a person before it was done/);
        expect(reports[i]).toContain(`Half of ${task}.`);
      }
      expect(one.sim.requests.filter(({ thread }) => thread === 'worker').length).toBeLessThanOrEqual(5);
      expect(result.costUsd).toBeCloseTo(one.sim.meter.total().costUsd, 9);
    });
  });

  it.each([
    ['while a failure is backed off', 'API Error', () => fail(500)],
    ['while a usage limit is waited for', 'usage limit', () => fail(429, 'usage limit reached|4102444800')],
  ])('D4.13: %s: the wait ends, and the one attempt that follows brings the words', async (_, __, refuse) => {
    const script = (request: SimRequest): Reply => {
      if (isResumed(request)) return say('At once.');
      return request.calls.length === 0 ? bash('echo 1') : refuse();
    };
    const holder: { at?: OneStep } = {};
    const sleep = async () => {
      holder.at?.runtime.interrupt(WORDS);
      await new Promise(() => undefined);
    };
    await withStep(script, { resilience: { sleep }, spec: { env: NO_RETRIES } }, async (at) => {
      holder.at = at;
      expect(await run(at)).toMatchObject({ ok: true, text: 'At once.' });
      expect(at.sim.requests).toHaveLength(3);
      expect(at.sim.requests.at(-1)?.prompt).toContain(WORDS);
      expect(sessions(at)).toBe(1);
    });
  });

  it('D4.14: while a handoff is written: it is written to its end, and the successor goes on with the words', async () => {
    const HANDOFF = { doing: 'Half.', decided: '', deadends: '', next: 'The rest.', scene: '' };
    const holder: { at?: OneStep } = {};
    const script = (request: SimRequest): Reply => {
      if (request.prompt.includes('mcp__flower__submit_handoff')) {
        if (request.turn > 0) return say('Handed in.');
        holder.at?.runtime.interrupt(WORDS);
        return call('mcp__flower__submit_handoff', HANDOFF);
      }
      if (isResumed(request)) return say('Heard.');
      return bash('echo 1').usage({ input_tokens: request.prompt.includes('taking over') ? 1000 : 160_000 });
    };
    await withStep(script, { runtime: { handoff: new HandoffPolicy({ window: 200_000 }) } }, async (at) => {
      holder.at = at;
      const result = await run(at);
      expect(result).toMatchObject({
        ok: true,
        attempts: 1,
        text: 'Heard.',
        retired: [expect.any(String)],
        errors: [],
      });
      expect(at.sim.requests.at(-1)?.prompt).toContain(WORDS);
      expect(at.sim.requests.at(-1)?.session).toBe(result.sessionId);
      expect(JSON.stringify(at.sim.requests.at(-1)?.messages)).toContain('The rest.');
    });
  });

  it('and closes the terminal before a word is said: it goes on without', async () => {
    const script = (request: SimRequest) => (isResumed(request) ? say('On.') : bash('echo 1'));
    await withStep(script, {}, async (at) => {
      let asked = false;
      const result = await run(at, ({ kind }) => {
        if (kind !== 'tool_call' || asked) return;
        asked = true;
        at.runtime.interrupt(Promise.reject(new Error('closed')));
      });
      expect(result).toMatchObject({ ok: true, text: 'On.' });
      expect(at.sim.requests.at(-1)?.prompt).toMatch(/interrupted for a moment/);
    });
  });
});

/** Longer than the program takes to start on a busy machine. */
const silenceS = 10;

describe.concurrent('a harness that has fallen silent', () => {
  it('is ended and its session resumed; a step beside it works on', async () => {
    let stalled = false;
    const script = (request: SimRequest): Reply => {
      if (request.prompt === 'Beside it.') return request.turn < 14 ? bash('sleep 1') : say('Undisturbed.');
      if (request.calls.length === 0) return bash('echo 1');
      if (stalled) return say('Woken.');
      stalled = true;
      return stall();
    };
    await withStep(script, { resilience: { silenceS } }, async (at) => {
      const [silent, beside] = await Promise.all([run(at), at.runtime.run(at.spec, 'Beside it.')]);
      expect(silent).toMatchObject({ ok: true, text: 'Woken.', attempts: 2, resumed: true });
      expect(beside).toMatchObject({ ok: true, text: 'Undisturbed.', attempts: 1 });
      const own = at.sim.requests.filter(({ session }) => session === silent.sessionId);
      expect(own.at(-1)?.prompt).toMatch(/cut off midway/);
      expect(processesOf(at.runtime)).toEqual([]);
    });
  });

  it('is ended with the command that it runs, even if it no longer takes a signal', async () => {
    const script = (request: SimRequest): Reply =>
      request.prompt.includes('cut off') ? say('Woken.') : bash('sleep 15; sleep 15; sleep 15');
    await withStep(script, { resilience: { silenceS } }, async (at) => {
      const leaders = () => processesOf(at.runtime).filter(({ pid, group }) => pid === group);
      const stopAll = async () => {
        // The program leads a group, and the command that it runs another one.
        await vi.waitUntil(() => leaders().length > 1, { timeout: 30_000 });
        for (const { pid } of leaders()) process.kill(pid, 'SIGSTOP');
      };
      let stopped: Promise<void> | undefined;
      const result = await run(at, ({ kind }) => {
        if (kind === 'tool_call') stopped ??= stopAll();
      });
      await stopped;
      expect(result).toMatchObject({ ok: true, text: 'Woken.', resumed: true });
      expect(processesOf(at.runtime)).toEqual([]);
    });
  });
});
