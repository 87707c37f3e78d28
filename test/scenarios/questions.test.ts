import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import { WORKER_TOOLS } from '../../src/agent/toolLists.js';
import type { Event } from '../../src/events/event.js';
import { HumanChannel } from '../../src/human/humanChannel.js';
import type { HumanChannelOptions } from '../../src/human/humanChannelOptions.js';
import type { StepResult } from '../../src/runtime/stepResult.js';
import { byRole, call, type Script, say, turns } from '../../src/sim/index.js';
import { starterFlow } from '../../src/workflow/starterFlow.js';
import { type OneStep, oneStep } from '../support/oneStep.js';
import { BRIEF, smallestRun } from '../support/scripts.js';

let at: OneStep | undefined;
afterEach(async () => {
  await at?.close();
});

const ASK = 'mcp__human__ask';
const dispatch = (task: string) => ({ subagent_type: 'coder', description: task, prompt: task });
const mainRequests = () =>
  at?.sim.requests.filter((request) => request.kind === 'message' && request.thread === 'main') ?? [];

/** A coordinator with workers that may ask, and its channel. */
async function coordinate(
  script: Script,
  options: HumanChannelOptions = {},
): Promise<{ channel: HumanChannel; result: Promise<StepResult>; events: Event[] }> {
  at = await oneStep(script);
  const { events, runtime } = at;
  const channel = new HumanChannel({ locale: 'en', onEvent: (event) => events.push(event), ...options });
  const coder = worker('Writes code.', 'You write.', { tools: [...WORKER_TOOLS, ASK] });
  const spec = coordinator('work', '', { coder }, { channel });
  return { channel, events, result: runtime.run(spec, 'Do it.', { channel }) };
}

const open = (channel: HumanChannel, count: number) =>
  vi.waitFor(
    () => {
      expect(channel.pending()).toHaveLength(count);
      return channel.pending();
    },
    { timeout: 30_000, interval: 20 },
  );

describe('a question of a run', () => {
  it('says who asks, and three workers may ask at once: each gets its own answer', async () => {
    const { channel, result } = await coordinate(
      byRole({
        coordinator: turns([
          call('Agent', dispatch('a')).call('Agent', dispatch('b')).call('Agent', dispatch('c')),
          call(ASK, { question: 'And the colour?', options: ['red', 'blue'] }),
          (request) => say(`Done in ${request.results[0]?.text}.`),
        ]),
        worker: turns([
          (request) => call(ASK, { question: `Which port for ${request.prompt}?` }),
          (request) => say(`${request.prompt} got ${request.results[0]?.text}.`),
        ]),
      }),
    );
    const workers = await open(channel, 3);
    expect(workers.map((ask) => ask.question).toSorted()).toEqual(
      ['a', 'b', 'c'].map((task) => `Which port for ${task}?`),
    );
    expect(workers.map((ask) => ask.from?.role)).toEqual(['coder', 'coder', 'coder']);
    expect(new Set(workers.map((ask) => ask.from?.agentId)).size).toBe(3);
    for (const ask of workers.toReversed()) expect(channel.answer(ask.id, `port of ${ask.question.at(-2)}`)).toBe(true);
    const [main] = await open(channel, 1);
    expect(main).toMatchObject({ options: ['red', 'blue'], from: { role: 'work' } });
    expect(main?.from?.agentId).toBeUndefined();
    channel.answer(String(main?.id), 'blue');
    expect(await result).toMatchObject({ ok: true, text: 'Done in blue.' });
    const reports = mainRequests()[1]?.results.map((report) => report.text) ?? [];
    expect(['a', 'b', 'c'].map((task, i) => reports[i]?.includes(`${task} got port of ${task}.`))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.each([
    ['timeoutS 0', { timeoutS: 0 }, 'timeout', /^Nobody answered/],
    ['maxAsks 0', { maxAsks: 0 }, 'over_budget', /^No questions are left/],
  ])('never blocks with %s: worker and coordinator are told and go on', async (_name, options, state, note) => {
    const { channel, result } = await coordinate(
      byRole({
        coordinator: turns([
          call('Agent', dispatch('a')).call('Agent', dispatch('b')),
          call(ASK, { question: 'Keep it?', default: 'keep' }),
          (request) => say(request.results[0]?.text ?? ''),
        ]),
        worker: turns([call(ASK, { question: 'Which port?' }), (request) => say(`Told: ${request.results[0]?.text}`)]),
      }),
      options,
    );
    const { ok, text } = await result;
    expect(ok).toBe(true);
    expect(text).toMatch(note);
    expect(text.includes('Your default holds: keep')).toBe(state === 'timeout');
    expect(channel.asks.map((ask) => ask.state)).toEqual([state, state, state]);
    expect(mainRequests()[1]?.results.map((report) => report.isError)).toEqual([false, false]);
  });

  // Five minutes are too long for every change; LONG_TESTS=1 runs it.
  it.runIf(process.env.LONG_TESTS)(
    'may wait for five minutes of the harness, and the run goes on with the answer',
    async () => {
      const { channel, result } = await coordinate(
        byRole({
          coordinator: turns([
            call('Agent', dispatch('a')),
            (request) => say(request.results[0]?.text.includes('8081') ? 'Yes.' : 'No.'),
          ]),
          worker: turns([
            call(ASK, { question: 'Which port?' }),
            (request) => say(`It is ${request.results[0]?.text}.`),
          ]),
        }),
        { timeoutS: null },
      );
      const [asked] = await open(channel, 1);
      await new Promise((resolve) => setTimeout(resolve, 305_000));
      expect(channel.answer(String(asked?.id), '8081')).toBe(true);
      expect(await result).toMatchObject({ ok: true, text: 'Yes.', attempts: 1 });
      expect(at?.sim.faults).toEqual([]);
    },
    400_000,
  );

  it('that timed out goes on with its default, and the late answer reaches the run as mail that names it', async () => {
    const { channel, result, events } = await coordinate(
      byRole({
        coordinator: turns([
          call(ASK, { question: 'Which port?', default: '8080' }),
          (request) => {
            expect(request.results[0]?.text).toMatch(/^Nobody answered.*\nYour default holds: 8080\./s);
            expect(channel.answer('q1', '8081')).toBe(false);
            return call('Bash', { command: 'ls', description: 'look' });
          },
          say('Done.'),
        ]),
      }),
      { timeoutS: 0.3 },
    );
    expect(await result).toMatchObject({ ok: true, text: 'Done.' });
    expect(at?.sim.faults).toEqual([]);
    expect(mainRequests().at(-1)?.pushed).toEqual([
      expect.stringContaining('A late answer to the question "Which port?":\n8081'),
    ]);
    expect(channel.asks[0]?.state).toBe('timeout');
    expect(events.filter(({ payload }) => payload.kind === 'mail').map(({ payload }) => payload.state)).toEqual([
      'queued',
      'delivered',
    ]);
  });

  it('is told apart by its role in a whole run, and what was said is in the log', async () => {
    at = await oneStep(
      smallestRun({
        clarify: turns([
          call(ASK, { question: 'What is it for?' }),
          call('mcp__flower__submit_brief', BRIEF),
          say('Handed in.'),
        ]),
        judge: turns([
          call(ASK, { question: 'Is a newline fine?' }),
          call('mcp__flower__submit_verdict', { items: [{ number: 1, state: 'met', evidence: 'hello' }], reason: '' }),
          say('Handed in.'),
        ]),
      }),
    );
    const { workspace, runDir } = at;
    const flow = starterFlow('Write hello.', { workspace, runDir, locale: 'en' });
    const channel = flow.channel as HumanChannel;
    const asked: unknown[] = [];
    channel.listen(({ payload }) => {
      if (payload.state !== 'asked') return;
      asked.push(payload.from);
      channel.answer(String(payload.id), 'yes, for the reader');
    });
    const ctx = await flow.run(at.again({ workbench: flow.workbench ?? false }));
    expect(ctx._outcome).toMatchObject({ ended: 'finished', verified: 'achieved' });
    expect(asked).toEqual([
      { role: 'clarify', agent_id: null },
      { role: 'work·verdict', agent_id: null },
    ]);
    const log = readFileSync(String(channel.logPath), 'utf8');
    expect(log).toContain('What is it for?');
    expect(log).toContain('[answered] yes, for the reader');
  });
});

describe('a user interface', () => {
  const script = smallestRun({
    clarify: turns([
      call(ASK, { question: 'What is it for?' }),
      (request) => call('mcp__flower__submit_brief', { ...BRIEF, goal: `For ${request.results[0]?.text}` }),
      say('Handed in.'),
    ]),
  });

  /** A whole run under one interface; what of it must not depend on that. */
  async function outcomeUnder(onEvent: ((event: Event) => void) | undefined) {
    const here = await oneStep(script);
    at = here;
    const flow = starterFlow('Write hello.', {
      workspace: here.workspace,
      runDir: here.runDir,
      timeoutS: 60,
      goal: false,
      locale: 'en',
    });
    const channel = flow.channel as HumanChannel;
    channel.listen(({ payload }) => {
      if (payload.state === 'asked') channel.answer(String(payload.id), 'the reader');
    });
    const runtime = here.again({ workbench: flow.workbench ?? false });
    const ctx = await flow.run(runtime, onEvent && { onEvent });
    const rows = runtime.results.map(({ step, ok, text, numTurns, attempts }) => ({
      step,
      ok,
      text,
      numTurns,
      attempts,
    }));
    const logged = runtime.books
      .events(runtime.runId, { limit: 500 })
      .events.map(({ kind, text }) => `${kind} ${text}`);
    const requests = here.sim.requests.length;
    const faults = here.sim.faults;
    await here.close();
    return { outcome: ctx._outcome, rows, logged: logged.filter((line) => line.startsWith('ask')), requests, faults };
  }

  it('that throws, blocks for a second or is not there changes no outcome', async () => {
    const none = await outcomeUnder(undefined);
    expect(none.outcome).toMatchObject({ ended: 'finished', claimed: true });
    expect(none.faults).toEqual([]);
    const throwing = await outcomeUnder(() => {
      throw new Error('the screen is gone');
    });
    expect(throwing).toEqual(none);
    const blocking = await outcomeUnder(({ kind }) => {
      if (kind !== 'ask' && kind !== 'step' && kind !== 'handoff') return;
      for (const end = Date.now() + 1000; Date.now() < end; );
    });
    expect(blocking).toEqual(none);
  }, 120_000);
});
