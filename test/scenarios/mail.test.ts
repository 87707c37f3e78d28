import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HandoffPolicy } from '../../src/agent/handoffPolicy.js';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import type { Event } from '../../src/events/event.js';
import { HumanChannel } from '../../src/human/humanChannel.js';
import { processEntries } from '../../src/runtime/processes.js';
import type { StepResult } from '../../src/runtime/stepResult.js';
import { byRole, call, fail, type Reply, type Script, type SimRequest, say, turns } from '../../src/sim/index.js';
import { starterFlow } from '../../src/workflow/starterFlow.js';
import { Step } from '../../src/workflow/step.js';
import { Workflow } from '../../src/workflow/workflow.js';
import { type OneStep, oneStep } from '../support/oneStep.js';
import { smallestRun } from '../support/scripts.js';

let at: OneStep | undefined;
afterEach(async () => {
  await at?.close();
});

const WORDS = 'The port must be 8081.';
const bash = (command: string) => call('Bash', { command, description: command });
const dispatch = (prompt: string) => call('Agent', { subagent_type: 'coder', description: prompt, prompt });

/** Everything that one request shows the model, apart from its system prompt. */
const shown = (request: SimRequest | undefined) => JSON.stringify(request?.messages);
const mainRequests = () => requests('main');
const requests = (thread: SimRequest['thread']) =>
  at?.sim.requests.filter((request) => request.kind === 'message' && request.thread === thread) ?? [];
const sees = (request: SimRequest | undefined, words = WORDS) => shown(request).split(words).length - 1;
const mailStates = (events: readonly Event[]) =>
  events.filter(({ payload }) => payload.kind === 'mail').map(({ payload }) => payload.state);

/** Runs a coordinator with one kind of worker, and a channel whose events are kept with the run's. */
async function coordinate(
  script: Script,
  how: Parameters<typeof oneStep>[1] & { readonly remark?: boolean; readonly onEvent?: (event: Event) => void } = {},
): Promise<{ channel: HumanChannel; result: Promise<StepResult>; events: Event[] }> {
  at = await oneStep(script, how);
  const { events, runtime } = at;
  const channel = new HumanChannel({ locale: 'en', timeoutS: 0, onEvent: (event) => events.push(event) });
  const env = { CLAUDE_CODE_MAX_RETRIES: '0' };
  const spec = coordinator('work', '', { coder: worker('Writes code.', 'You write.') }, { channel, env });
  const onEvent = (event: Event) => {
    events.push(event);
    how.onEvent?.(event);
  };
  const result = runtime.run(spec, 'Do it.', { channel, onEvent, remark: how.remark ?? false });
  return { channel, result, events };
}

describe('mail reaches a run that does not look', () => {
  it('sent while a worker is at work, the coordinator has it when that worker returns; the worker does not', async () => {
    const { channel, result, events } = await coordinate(
      byRole({
        coordinator: turns([dispatch('write it'), say('All done.')]),
        worker: turns([
          () => {
            channel.send(WORDS);
            return bash('echo 1');
          },
          bash('echo 2'),
          say('Written.'),
        ]),
      }),
    );
    expect(await result).toMatchObject({ ok: true, text: 'All done.', attempts: 1 });
    expect(at?.sim.faults).toEqual([]);
    expect(mainRequests().map((request) => sees(request))).toEqual([0, 1]);
    expect(mainRequests()[1]?.pushed).toEqual([expect.stringContaining(WORDS)]);
    expect(requests('worker').map((request) => sees(request))).toEqual([0, 0, 0]);
    expect(mailStates(events)).toEqual(['queued', 'delivered']);
    expect(channel.pendingMail()).toEqual([]);
  });

  it('that comes with the last answer gets a turn of its own, in the same process', async () => {
    const { channel, result } = await coordinate(
      byRole({
        coordinator: (request) => {
          if (request.prompt.includes(WORDS)) return say('Port 8081, then.');
          channel.send(WORDS);
          return say('Done.');
        },
      }),
    );
    expect(await result).toMatchObject({ ok: true, text: 'Done.\nPort 8081, then.', resumed: false, attempts: 1 });
    expect(channel.pendingMail()).toEqual([]);
  });

  it('that waits when a step starts goes behind its prompt, and to a judge not at all', async () => {
    const script = () => say('Yes.');
    at = await oneStep(script);
    const channel = new HumanChannel({ locale: 'en' });
    channel.send(WORDS);
    await at.runtime.run(at.spec, 'Judge it.', { channel, remark: true });
    expect(sees(mainRequests().at(-1))).toBe(0);
    expect(channel.pendingMail()).toHaveLength(1);
    await at.runtime.run(at.spec, 'Do it.', { channel });
    expect(mainRequests().at(-1)?.prompt).toMatch(/^Do it\.\n\n.*The port must be 8081/s);
    expect(channel.pendingMail()).toEqual([]);
    await at.runtime.run(at.spec, 'Do more.', { channel });
    expect(sees(mainRequests().at(-1))).toBe(0);
  });

  it('that a killed harness took with it goes with the next attempt, once (case 12)', async () => {
    const { channel, result, events } = await coordinate(
      byRole({
        coordinator: (request) => {
          if (channel.mail.length > 0) return say('On.');
          if (request.turn === 1) {
            channel.send(WORDS);
            killHarness();
          }
          return bash('ls');
        },
      }),
    );
    expect(await result).toMatchObject({ ok: true, resumed: true, attempts: 2 });
    expect(mainRequests().map((request) => sees(request))).toEqual([0, 0, 1]);
    expect(mailStates(events)).toEqual(['queued', 'delivered']);
  });

  it('that nobody took is still there for the next process, under its id (case 14)', async () => {
    at = await oneStep(() => say('Yes.'));
    const { sim, again, spec } = at;
    const run = async (said: string | null) => {
      const channel = new HumanChannel({ locale: 'en', timeoutS: 0 });
      await new Workflow([new Step('work', spec, 'Do it.')], { channel, locale: 'en' }).run(again());
      return said === null ? null : channel.send(said);
    };
    const last = await run(WORDS);
    expect(sees(mainRequests().at(-1))).toBe(0);
    const next = await run('And quickly.');
    expect(sees(mainRequests().at(-1))).toBe(1);
    expect(Number(next?.id.slice(1))).toBeGreaterThan(Number(last?.id.slice(1)));
    await run(null);
    expect(sim.requests.at(-1)?.prompt).toContain('And quickly.');
    expect(sim.requests.at(-1)?.prompt).not.toContain(WORDS);
  });

  it('does not disturb a handoff: the successor gets it', async () => {
    const script = (request: SimRequest): Reply => {
      if (request.prompt.includes('mcp__flower__submit_handoff')) {
        const handoff = { doing: 'Half.', decided: '', deadends: '', next: 'The rest.', scene: 'a.ts' };
        return request.turn === 0 ? call('mcp__flower__submit_handoff', handoff) : say('Handed in.');
      }
      return request.prompt.includes('taking over')
        ? say('The rest is there.')
        : bash('ls').usage({ input_tokens: 160_000 });
    };
    const { channel, result, events } = await coordinate(script, {
      runtime: { handoff: new HandoffPolicy({ window: 200_000 }) },
      onEvent: (event) => {
        if (event.payload.phase === 'near') channel.send(WORDS);
      },
    });
    expect(await result).toMatchObject({ ok: true, text: 'The rest is there.' });
    const seen = mainRequests().map((request) => [request.prompt.includes('taking over'), sees(request)]);
    expect(seen.filter(([, times]) => times === 1).map(([successor]) => successor)).toEqual([true]);
    expect(mailStates(events)).toEqual(['queued', 'delivered']);
  });

  it('sent after an interrupt waits for its words and goes with them', async () => {
    const words = later<string>();
    const stopped = later<void>();
    const { channel, result } = await coordinate(
      byRole({
        coordinator: (request) => (request.prompt.includes('blue') ? say('Blue.') : bash(`echo ${request.turn}`)),
      }),
      {
        onEvent: (event) => {
          if (event.kind === 'result') stopped.resolve();
          if (event.kind !== 'tool_call') return;
          at?.runtime.interrupt(words.promise);
          channel.send(WORDS);
        },
      },
    );
    await stopped.promise;
    expect(mainRequests()).toHaveLength(1);
    words.resolve('make it blue');
    expect(await result).toMatchObject({ ok: true, text: 'Blue.' });
    expect(mainRequests()).toHaveLength(2);
    expect(mainRequests()[1]?.prompt).toMatch(/make it blue.*The port must be 8081/s);
  });
});

describe('a wait for a usage limit', () => {
  it('is cut short by mail, which goes with the attempt that is made then', async () => {
    const untilCut = (_seconds: number, { signal }: { readonly signal?: AbortSignal } = {}) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    const { channel, result } = await coordinate(
      byRole({
        coordinator: (request) => {
          if (request.prompt.includes(WORDS)) return say('Port 8081 it is.');
          if (request.turn === 0) return bash('ls');
          return fail(429, `usage limit reached|${Math.round(Date.now() / 1000) + 3600}`);
        },
      }),
      {
        resilience: { sleep: untilCut, now: () => Date.now() / 1000 },
        onEvent: (event) => {
          if (event.payload.limit) setImmediate(() => channel.send(WORDS));
        },
      },
    );
    expect(await result).toMatchObject({ ok: true, text: 'Port 8081 it is.', attempts: 1 });
    expect(channel.pendingMail()).toEqual([]);
  });
});

describe('urgent mail', () => {
  it('reaches every worker that runs, once each, and the coordinator; a later worker has it from its task alone (case 13)', async () => {
    const bothRun = later<void>();
    const sent = later<void>();
    const { channel, result, events } = await coordinate(
      byRole({
        coordinator: turns([dispatch('one').call('Agent', dispatchInput('two')), dispatch('three'), say('All done.')]),
        worker: async ({ prompt, turn }) => {
          if (prompt.includes('two')) {
            bothRun.resolve();
            await sent.promise;
          }
          if (prompt.includes('one') && turn === 0) {
            await bothRun.promise;
            channel.send(WORDS, { workers: true });
            sent.resolve();
            // A boundary comes after a call that fails, too.
            return bash('exit 3');
          }
          return turn < 2 ? bash(`echo ${turn}`) : say('Report.');
        },
      }),
    );
    expect(await result).toMatchObject({ ok: true, text: 'All done.' });
    expect(at?.sim.faults).toEqual([]);
    const last = (task: string) => requests('worker').findLast((request) => request.prompt.includes(task));
    expect([sees(last('one')), sees(last('two')), sees(last('three'))]).toEqual([1, 1, 0]);
    expect(shown(last('one'))).toContain('(urgent)');
    expect(
      requests('worker')
        .filter(({ prompt, turn }) => prompt.includes('one') && turn === 1)
        .map((one) => sees(one)),
    ).toEqual([1]);
    expect(sees(mainRequests().at(-1))).toBe(1);
    expect(mailStates(events)).toEqual(['queued', 'delivered']);
  });

  it('is ordinary mail where no worker runs', async () => {
    const { channel, result } = await coordinate(
      byRole({
        coordinator: turns([
          () => {
            channel.send(WORDS, { workers: true });
            return bash('ls');
          },
          say('Done.'),
        ]),
      }),
    );
    await result;
    expect(mainRequests().map((request) => sees(request))).toEqual([0, 1]);
  });
});

describe('what a person says on the way', () => {
  it('is in the brief that the judge reads', async () => {
    let tell: (words: string) => void = () => {};
    let briefPath = '';
    const judged: string[] = [];
    at = await oneStep(
      smallestRun({
        worker: turns([
          () => {
            tell(WORDS);
            return bash('printf hello > hello.txt');
          },
          say('Conclusion: there.'),
        ]),
        judge: turns([
          (request) => {
            expect(request.prompt).toContain(briefPath);
            return call('Read', { file_path: briefPath });
          },
          (request) => {
            judged.push(request.results[0]?.text ?? '');
            return call('mcp__flower__submit_verdict', {
              items: [{ number: 1, state: 'met', evidence: 'read' }],
              reason: '',
            });
          },
          say('Handed in.'),
        ]),
      }),
    );
    const { workspace, runDir } = at;
    briefPath = join(workspace, '.flower', 'notes', 'brief.md');
    const flow = starterFlow('Write hello.', { workspace, runDir, timeoutS: 0, locale: 'en' });
    tell = (words) => {
      flow.channel?.send(words);
      flow.channel?.send('And quickly.', { workers: true });
    };
    await flow.run(at.again({ workbench: flow.workbench ?? false }));
    expect(at.sim.faults).toEqual([]);
    expect(judged).toHaveLength(1);
    expect(judged[0]).toContain(WORDS);
    expect(judged[0]).toContain('And quickly.');
    expect(readFileSync(briefPath, 'utf8').split(WORDS)).toHaveLength(2);
    expect(flow.channel?.pendingMail()).toEqual([]);
  });
});

/** Ends the program that works in this test's run directory, as an out-of-memory killer would. */
function killHarness(): void {
  const ours = processEntries().filter((entry) => entry.variable('CLAUDE_CONFIG_DIR')?.startsWith(String(at?.runDir)));
  for (const { pid } of ours) process.kill(pid, 'SIGKILL');
}

function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function dispatchInput(prompt: string) {
  return { subagent_type: 'coder', description: prompt, prompt };
}
