import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { FakeRuntime, type FakeScript, fakePlace } from '../../test/support/fakeRuntime.js';
import { AgentSpec } from '../agent/agentSpec.js';
import type { Books } from '../books/books.js';
import { Lineage } from '../books/lineage.js';
import { FlowerError } from '../errors.js';
import type { Event } from '../events/event.js';
import { HumanChannel } from '../human/humanChannel.js';
import { Runtime } from '../runtime/runtime.js';
import { Workbench } from '../workbench/workbench.js';
import type { Ctx } from './ctx.js';
import { Step, StepAbort, type StepOptions } from './step.js';
import { Workflow, type WorkflowOptions } from './workflow.js';

const spec = new AgentSpec({ name: 'a', instructions: '' });
const step = (name: string, options: StepOptions = {}, prompt: Step['prompt'] = `do ${name}`) =>
  new Step(name, spec, prompt, options);
const flow = (steps: Step[], options: WorkflowOptions = {}) => new Workflow(steps, { locale: 'en', ...options });
const echo: FakeScript = (_call, n) => `text ${n}`;

describe('steps', () => {
  it('1: a step that `when` skips leaves no value, and one that needs its session throws with both names', async () => {
    const runtime = new FakeRuntime(echo);
    const events: Event[] = [];
    const skipped = flow([step('A', { when: async () => false }), step('B')]);
    const ctx = await skipped.run(runtime, { onEvent: (event) => events.push(event) });
    expect(ctx).not.toHaveProperty('A');
    expect(runtime.steps).toEqual(['B']);
    expect(events.filter(({ kind }) => kind === 'step').map(({ text }) => text)).toEqual(['B']);
    const needy = flow([step('A', { when: () => false }), step('B', { resumeFrom: 'A' })]);
    await expect(needy.run(new FakeRuntime(echo))).rejects.toThrow(/B.*A/);
  });

  it('2: a gate that never opens is asked once for each attempt, and not at all after a failure', async () => {
    const gate = vi.fn(() => false);
    const runtime = new FakeRuntime(echo);
    await flow([step('A', { retries: 2, gate })]).run(runtime);
    expect(runtime.steps).toEqual(['A', 'A#retry1', 'A#retry2']);
    expect(gate).toHaveBeenCalledTimes(3);
    const failing = new FakeRuntime(() => ({ ok: false, error: 'broken' }));
    await flow([step('A', { retries: 1, gate })]).run(failing);
    expect(failing.steps).toHaveLength(2);
    expect(gate).toHaveBeenCalledTimes(3);
  });

  it('3: stops trying when the gate opens', async () => {
    const runtime = new FakeRuntime(echo);
    const ctx = await flow([step('A', { retries: 5, gate: ({ text }) => text === 'text 2' })]).run(runtime);
    expect(runtime.calls).toHaveLength(2);
    expect(ctx.A).toBe('text 2');
  });

  it('4: stops, skips or goes on without a step that did not pass', async () => {
    const run = async (onFail: StepOptions['onFail']) => {
      const runtime = new FakeRuntime(echo);
      const failing = step('A', { gate: () => false, reduce: () => 'reduced', ...(onFail && { onFail }) });
      const ctx = await flow([failing, step('B')]).run(runtime);
      return { steps: runtime.steps, A: ctx.A, failed: ctx._failed_at, outcome: ctx._outcome?.ended };
    };
    expect(await run('stop')).toEqual({ steps: ['A'], A: undefined, failed: 'A', outcome: 'failed' });
    expect(await run('skip')).toEqual({ steps: ['A', 'B'], A: undefined, failed: undefined, outcome: 'finished' });
    expect(await run('continue')).toEqual({ steps: ['A', 'B'], A: 'text 1', failed: undefined, outcome: 'finished' });
  });

  it('R2.25: words of onReject go into the same session, and without any the attempt begins as it did', async () => {
    const words = ['once more', ''];
    const runtime = new FakeRuntime(echo);
    const plan = step('plan');
    const work = step('work', {
      resumeFrom: 'plan',
      fork: true,
      retries: 2,
      gate: () => false,
      onReject: () => words.shift() ?? '',
    });
    await flow([plan, work]).run(runtime);
    expect(runtime.calls.map(({ step: name, prompt, resume, fork }) => [name, prompt, resume, fork])).toEqual([
      ['plan', 'do plan', null, false],
      ['work', 'do work', 's1', true],
      ['work#round2', 'once more', 's2', false],
      ['work#round3', 'once more', 's2', false],
    ]);
  });

  it.each([
    ['nothing is said to', '', [null]],
    ['is sent back', 'once more', [null, 's1', 's1']],
  ])('a round that failed and %s does not begin anew: its session holds the work', async (_, words, resumed) => {
    const runtime = new FakeRuntime(() => ({ ok: false, error: '401', sessionId: 's1' }));
    const work = step('work', { retries: 2, gate: () => false, onReject: () => words });
    const ctx = await flow([work]).run(runtime);
    expect(runtime.calls.map(({ resume }) => resume)).toEqual(resumed);
    expect(ctx).toMatchObject({ _failed_at: 'work', _sessions: { work: 's1' } });
  });

  it('nothing is tried again once the process is told to end', async () => {
    const runtime = new FakeRuntime(() => ({ ok: false, error: 'killed-by-signal', sessionId: 's1' }));
    await flow([step('work', { retries: 2 })]).run(runtime);
    expect(runtime.calls).toHaveLength(1);
  });

  it('5: gives the same ctx back, with the sessions of the last run', async () => {
    const one = flow([step('A')], { continuous: false, context: { seed: 'x' } });
    const first = await one.run(new FakeRuntime(() => ({ text: 'a', sessionId: 'old' })));
    const second = await one.run(new FakeRuntime(() => ({ text: 'b', sessionId: 'new' })));
    expect(second).toBe(one.context);
    expect(first).toBe(second);
    expect(second).toMatchObject({ seed: 'x', A: 'b', _sessions: { A: 'new' }, _results: { A: { text: 'b' } } });
  });

  it('10: carries nothing over where it is not continuous', async () => {
    const runtime = new FakeRuntime(echo);
    const one = flow([step('A')], { continuous: false });
    await one.run(runtime);
    await one.run(runtime);
    expect(runtime.calls.map(({ resume }) => resume)).toEqual([null, null]);
  });

  it('11: refuses two steps of one name, a name of a private key, retries that are no number', () => {
    expect(() => flow([step('A'), step('A')])).toThrow(/two steps.*'A'/);
    expect(() => step('_A')).toThrow(/begin with '_'/);
    expect(() => step('')).toThrow(TypeError);
    expect(() => step('A', { retries: 1.5 })).toThrow(/retries/);
  });

  it('R2.3: a copy has every field', () => {
    const full: Required<StepOptions> = {
      resumeFrom: 'x',
      fork: true,
      remark: true,
      guarded: true,
      retries: 3,
      gate: () => true,
      onFail: 'skip',
      when: () => true,
      onReject: () => '',
      resumePrompt: 'on',
      reduce: () => '',
    };
    const original = step('A', full);
    expect(original.with({})).toEqual(original);
    expect({ ...original.with({ name: 'B' }) }).toEqual({ ...original, name: 'B' });
  });

  it('forgets what an earlier run said of its failure', async () => {
    let fails = true;
    const one = flow([step('A', { gate: () => !fails })], { continuous: false });
    await one.run(new FakeRuntime(echo));
    expect(one.context._failed_at).toBe('A');
    fails = false;
    await one.run(new FakeRuntime(echo));
    expect(one.context).not.toHaveProperty('_failed_at');
    expect(one.context._outcome?.ended).toBe('finished');
  });
});

describe('going on in another process', () => {
  it('6: resumes the recorded session, and none that is dead or belongs to another workspace', async () => {
    const place = fakePlace();
    await flow([step('A')]).run(new FakeRuntime(echo, place));
    const second = new FakeRuntime(echo, place);
    const ctx = await flow([step('A')]).run(second);
    expect(second.calls[0]?.resume).toBe('s1');
    expect(ctx._woke).toBe(2);

    const dead = new FakeRuntime(echo, place);
    dead.alive = [];
    await flow([step('A')]).run(dead);
    expect(dead.calls[0]?.resume).toBeNull();

    const outside = { workspace: fakePlace().workspace, runDir: fakePlace().runDir };
    await flow([step('A')]).run(new FakeRuntime(echo, outside));
    const other = new FakeRuntime(echo, { workspace: fakePlace().workspace, runDir: outside.runDir });
    await flow([step('A')]).run(other);
    expect(other.calls[0]?.resume).toBeNull();
  });

  it('resumes the session that handed over, if its successor was killed before anything of it was stored', async () => {
    const place = fakePlace();
    const handsOver = () => ({ sessionId: 'third', retired: ['first', 'second'] });
    await flow([step('A')]).run(new FakeRuntime(handsOver, place));
    for (const [alive, resumed] of [
      [['first', 'second', 'third'], 'third'],
      [['first', 'second'], 'second'],
      [[], null],
    ] as const) {
      const next = new FakeRuntime(handsOver, place);
      next.alive = alive;
      await flow([step('A')]).run(next);
      expect(next.calls[0]?.resume).toBe(resumed);
    }
  });

  it('7: records the work session and not what a gate runs on the same runtime', async () => {
    const place = fakePlace();
    for (const resume of [null, 's1']) {
      const runtime = new FakeRuntime(({ step: name }) => ({ sessionId: name === 'A' ? 's1' : 'judge' }), place);
      let seen: unknown = 'not called';
      const gate: StepOptions['gate'] = async (_result, ctx) => {
        seen = runtime.onSession;
        await ctx._runtime?.run(spec, 'look', { stepName: 'judge' });
        return true;
      };
      await flow([step('A', { gate })]).run(runtime);
      expect(seen).toBeNull();
      expect(runtime.calls.map((call) => call.resume)).toEqual([resume, null]);
      expect(Lineage.open(place.runDir, place.workspace).steps).toEqual({ A: 's1' });
    }
  });

  it('8: uses the resume prompt only where a session goes on', async () => {
    const place = fakePlace();
    const steps = () => [step('A', { resumePrompt: (ctx) => `on, wake ${ctx._woke}` }), step('B')];
    const first = new FakeRuntime(echo, place);
    await flow(steps()).run(first);
    expect(first.calls.map(({ prompt }) => prompt)).toEqual(['do A', 'do B']);
    const second = new FakeRuntime(echo, place);
    await flow(steps()).run(second);
    expect(second.calls.map(({ prompt }) => prompt)).toEqual(['on, wake 2', 'do B']);
  });

  it('9: an explicit resumeFrom follows this run, and R2.18: a carried session is never forked', async () => {
    const place = fakePlace();
    await flow([step('A'), step('B', { resumeFrom: 'A' })]).run(
      new FakeRuntime((_call, n) => ({ sessionId: `old${n}` }), place),
    );
    const runtime = new FakeRuntime((_call, n) => ({ sessionId: `new${n}` }), place);
    await flow([step('A', { fork: true }), step('B', { resumeFrom: 'A' })]).run(runtime);
    expect(runtime.calls.map(({ resume, fork }) => [resume, fork])).toEqual([
      ['old1', false],
      ['new1', false],
    ]);
  });

  it('R2.17: a resumeFrom to a step that is skipped this time finds its old session', async () => {
    const place = fakePlace();
    await flow([step('A')]).run(new FakeRuntime(echo, place));
    const runtime = new FakeRuntime(echo, place);
    await flow([step('A', { when: () => false }), step('B', { resumeFrom: 'A' })]).run(runtime);
    expect(runtime.calls.map(({ resume }) => resume)).toEqual(['s1']);
  });

  it('26, D2.7: a start in which every step is skipped is no wake', async () => {
    const place = fakePlace();
    await flow([step('A')]).run(new FakeRuntime(echo, place));
    await flow([step('A', { when: () => false })]).run(new FakeRuntime(echo, place));
    expect(Lineage.open(place.runDir, place.workspace).woke).toBe(1);
  });

  it('30: a directory that was moved goes on; the person is told once, each session on its first resume', async () => {
    const place = fakePlace();
    await flow([step('A'), step('B')]).run(new FakeRuntime(echo, place));
    const moved = fakePlace();
    rmSync(moved.workspace, { recursive: true });
    cpSync(place.workspace, moved.workspace, { recursive: true });
    for (const [run, told] of [
      [1, true],
      [2, false],
    ] as const) {
      const runtime = new FakeRuntime(echo, moved);
      await flow([step('A'), step('B')]).run(runtime, { onEvent: runtime.onEvent });
      expect(
        runtime.calls.map(({ resume }) => resume),
        `run ${run}`,
      ).toEqual(['s1', 's2']);
      for (const { prompt } of runtime.calls) {
        expect(prompt.includes(place.workspace) && prompt.includes(moved.workspace)).toBe(told);
        expect(prompt.endsWith(told ? '\n\ndo A' : 'do A') || prompt.endsWith('do B')).toBe(true);
      }
      const notices = runtime.events.filter(({ kind, text }) => kind === 'task' && text.includes(place.workspace));
      expect(notices).toHaveLength(told ? 1 : 0);
    }
  });
});

describe('how a run ended', () => {
  const guarded = (options: StepOptions) =>
    step('work', { guarded: true, retries: 2, onReject: () => 'on', ...options });

  it('22: says finished, failed and interrupted, and what was claimed, each for itself', async () => {
    const outcome = async (script: FakeScript, steps = [step('A')]) =>
      (await flow(steps).run(new FakeRuntime(script)))._outcome;
    expect(await outcome(echo)).toEqual({ ended: 'finished', claimed: true, verified: 'not_judged', reason: '' });
    const broken = { ok: false, error: 'broken' };
    expect(await outcome(() => broken)).toEqual({
      ended: 'failed',
      claimed: false,
      verified: 'not_judged',
      reason: 'broken',
    });
    expect(await outcome(() => ({ ok: false, error: Runtime.INTERRUPTED }))).toMatchObject({ ended: 'interrupted' });
    expect(await outcome(() => ({ ok: false, error: Runtime.KILLED }))).toMatchObject({ ended: 'interrupted' });
    expect(await outcome(echo, [step('A', { when: () => false })])).toMatchObject({
      ended: 'finished',
      claimed: false,
    });
  });

  it('claims what the guarded step claims, whatever a later step does', async () => {
    const runtime = new FakeRuntime(({ step: name }) => ({ ok: name === 'work', error: 'broken' }));
    const ctx = await flow([guarded({ gate: () => true }), step('publish')]).run(runtime);
    expect(ctx._outcome).toMatchObject({ ended: 'failed', claimed: true, reason: 'broken' });
    const before = await flow([step('plan'), guarded({})]).run(
      new FakeRuntime(({ step: name }) => ({ ok: !name.startsWith('work') })),
    );
    expect(before._outcome).toMatchObject({ claimed: false });
    const never = await flow([step('plan', { gate: () => false }), guarded({})]).run(new FakeRuntime(echo));
    expect(never._outcome).toMatchObject({ ended: 'failed', claimed: false });
  });

  it('ends at once, with the message, when a gate aborts', async () => {
    const runtime = new FakeRuntime(echo);
    const gate = () => {
      throw new StepAbort('no use');
    };
    const ctx = await flow([step('A', { retries: 4, onFail: 'continue', gate }), step('B')]).run(runtime);
    expect(runtime.steps).toEqual(['A']);
    expect(ctx).toMatchObject({
      _aborted: 'no use',
      _failed_at: 'A',
      _outcome: { ended: 'aborted', claimed: true, reason: 'no use' },
    });
  });

  it('passes another exception of a gate on, with the outcome in ctx and in the books', async () => {
    const place = fakePlace();
    const runtime = new FakeRuntime(echo, place);
    const one = flow([
      step('A', {
        gate: () => {
          throw new Error('bug in a gate');
        },
      }),
    ]);
    await expect(one.run(runtime)).rejects.toThrow('bug in a gate');
    expect(one.context._outcome).toMatchObject({ ended: 'failed', claimed: true, reason: 'bug in a gate' });
    expect(runtime.books?.lastOutcome()).toMatchObject({ ended: 'failed', reason: 'bug in a gate' });
  });

  it('29: a used-up budget ends the workflow, whatever retries and onFail say', async () => {
    const used = { ok: false, error: Runtime.BUDGET_EXHAUSTED };
    const runtime = new FakeRuntime(() => used);
    const ctx = await flow([step('A', { retries: 3, onFail: 'continue' }), step('B')]).run(runtime);
    expect(runtime.steps).toEqual(['A']);
    expect(ctx).toMatchObject({ _failed_at: 'A', _outcome: { ended: 'budget_exhausted', claimed: false } });
  });
});

describe('what is kept of a run', () => {
  it('28: logs every event without gaps, framed by start and end, each with the step it belongs to', async () => {
    const place = fakePlace();
    const channel = new HumanChannel({ timeoutS: 0, locale: 'en' });
    const runtime = new FakeRuntime((call) => ({ do: () => FakeRuntime.bash(call, 'make') }), place);
    const gate: StepOptions['gate'] = async () => {
      await channel.ask('Sure?');
      return false;
    };
    const heard: Event[] = [];
    await flow([step('A', { retries: 1, gate, onReject: () => 'on' })], { channel, name: 'tried' }).run(runtime, {
      onEvent: (event) => heard.push(event),
    });
    const { events } = runtime.books?.events(runtime.runId ?? '') ?? { events: [] };
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, i) => i + 1));
    expect(events.map(({ kind }) => kind)).toEqual(heard.map(({ kind }) => kind));
    expect(events[0]).toMatchObject({
      kind: 'system',
      text: 'run_started',
      step: '',
      payload: { schema: 1, flow: 'tried', workspace: place.workspace },
    });
    expect(events.at(-1)).toMatchObject({
      kind: 'system',
      text: 'run_ended',
      step: '',
      payload: { ended: 'failed', exit: 6, claimed: true },
    });
    expect(events.filter(({ kind }) => kind === 'tool_call').map((event) => event.step)).toEqual(['A', 'A#round2']);
    expect(events.filter(({ kind }) => kind === 'ask')).toHaveLength(2);
  });

  it('28: a log that cannot be written is reported once and harms nothing', async () => {
    const place = fakePlace();
    const runtime = new FakeRuntime((call) => ({ text: 'done', do: () => FakeRuntime.bash(call, 'make') }), place);
    vi.spyOn(runtime.books as Books, 'appendEvents').mockImplementation(() => {
      throw new Error('disk gone');
    });
    const ctx = await flow([step('A'), step('B')]).run(runtime, { onEvent: runtime.onEvent });
    expect(ctx._outcome?.ended).toBe('finished');
    expect(runtime.events.filter(({ payload }) => payload.event_log_failed)).toHaveLength(1);
  });

  it('R2.33: does not lose rows to a reader who holds the database for a while', async () => {
    const place = fakePlace();
    const runtime = new FakeRuntime(echo, place);
    const { books } = runtime;
    const append = books?.appendEvents.bind(books);
    let locked = 3;
    vi.spyOn(books as Books, 'appendEvents').mockImplementation((run, rows) => {
      locked -= 1;
      if (locked >= 0) throw new FlowerError('database_locked', 'locked');
      append?.(run, rows);
    });
    await flow([step('A')]).run(runtime);
    expect(books?.events(runtime.runId ?? '').events.at(-1)?.text).toBe('run_ended');
  });

  it('R2.12: gives a channel its listener, never one that has one, and to the next run that of the next run', async () => {
    const own = vi.fn();
    const wired = new HumanChannel({ onEvent: own });
    const first = vi.fn();
    await flow([step('A')], { channel: wired }).run(new FakeRuntime(echo), { onEvent: first });
    expect(wired.onEvent).toBe(own);
    const free = new HumanChannel();
    const one = flow([step('A')], { channel: free });
    await one.run(new FakeRuntime(echo), { onEvent: first });
    expect(free.onEvent).toBe(first);
    const second = vi.fn();
    await one.run(new FakeRuntime(echo), { onEvent: second });
    expect(free.onEvent).toBe(second);
  });

  it('Z107: gives a channel the mailbox of the run, in the next run too', async () => {
    const place = fakePlace();
    const channel = new HumanChannel({ locale: 'en' });
    const one = flow([step('A')], { channel });
    const first = new FakeRuntime(echo, place);
    await one.run(first);
    first.books?.close();
    const second = new FakeRuntime(() => ({ do: () => void channel.send('use tabs') }), place);
    await one.run(second);
    expect(channel.uiErrors).toEqual([]);
    expect(
      second.books
        ?.mailbox('x')
        .untaken()
        .map(({ text }) => text),
    ).toEqual(['use tabs']);
  });

  it('contains what the user interface throws', async () => {
    const throwing = () => {
      throw new Error('bug in a UI');
    };
    const one = flow([step('A')]);
    const ctx = await one.run(new FakeRuntime(echo), { onEvent: throwing, onStep: throwing });
    expect(ctx.A).toBe('text 1');
    expect(new Set(one.uiErrors)).toEqual(new Set(['bug in a UI']));
  });

  it('X19, D8.3: refuses a runtime with another workbench', async () => {
    const place = fakePlace();
    const bench = new Workbench(fakePlace().workspace, { locale: 'en' });
    await expect(flow([step('A')], { workbench: bench }).run(new FakeRuntime(echo, place))).rejects.toThrow(
      /two.*workbench/i,
    );
  });

  it('27, D2.8: a run directory that another process holds is left as it is', async () => {
    const place = fakePlace();
    new FakeRuntime(echo, place).books?.close();
    const holder = new SQLite(join(place.runDir, 'run.lock'));
    holder.exec('BEGIN EXCLUSIVE');
    const runtime = new FakeRuntime(echo, place);
    await expect(flow([step('A')]).run(runtime)).rejects.toMatchObject({ code: 'run_locked' });
    expect(runtime.calls).toEqual([]);
    expect(runtime.books?.runs()).toEqual([]);
    holder.close();
    await flow([step('A')]).run(new FakeRuntime(echo, place));
  });
});

it('types: a workflow knows the names and values that its type says', () => {
  type Values = { plan: string; work?: string };
  const typed = new Workflow<Values>([
    new Step('plan', spec, 'Plan.'),
    new Step('work', spec, (ctx) => `Do ${ctx.plan.toUpperCase()}`, { resumeFrom: 'plan' }),
    // @ts-expect-error: no value has this name
    new Step('wrok', spec, 'Work.'),
    // @ts-expect-error: no step has this name
    new Step('work2' as 'work', spec, 'Work.', { resumeFrom: 'plam' }),
    // @ts-expect-error: no such value
    new Step('work3' as 'work', spec, (ctx) => ctx.plna),
  ]);
  // Without a type any name will do, also for a step that is made by itself.
  const plain = new Step('b', spec, (ctx) => String(ctx.a), { resumeFrom: 'a' });
  expect(new Workflow([new Step('a', spec, ''), plain]).steps).toHaveLength(2);
  const read = (ctx: Ctx<Values>): string | undefined => ctx.work ?? ctx._aborted;
  expect(read(typed.context)).toBeUndefined();
  expect(typed.steps).toHaveLength(5);
});
