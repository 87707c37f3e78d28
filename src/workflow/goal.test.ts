import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  briefHandIn,
  FakeRuntime,
  type FakeScript,
  FULL_BRIEF,
  fakePlace,
  goalHandIn,
  verdictHandIn,
} from '../../test/support/fakeRuntime.js';
import { AgentSpec } from '../agent/agentSpec.js';
import { Brief } from '../documents/brief.js';
import { Goal } from '../documents/goal.js';
import { sealed, unsealed } from '../documents/seal.js';
import { HumanChannel } from '../human/humanChannel.js';
import { Runtime } from '../runtime/runtime.js';
import { clarifyStep } from './clarifyStep.js';
import type { Ctx } from './ctx.js';
import { goalStep } from './goalStep.js';
import { Step, StepAbort } from './step.js';
import { type WithGoalOptions, withGoal } from './withGoal.js';
import { Workflow } from './workflow.js';

type Place = ReturnType<typeof fakePlace>;

/** A person who gives these answers in turn, and then is away. */
function person(
  place: Place,
  answers: readonly (string | ((question: string) => string))[] = [],
): HumanChannel & { questions: string[] } {
  const left = [...answers];
  const questions: string[] = [];
  const channel = new HumanChannel({ locale: 'en', timeoutS: 0, amendPath: place.brief });
  channel.onEvent = ({ kind, payload, text }) => {
    if (kind !== 'ask' || payload.kind === 'mail') return;
    if (payload.state === 'asked') {
      questions.push(text);
      const answer = left.shift();
      channel.answer(String(payload.id), typeof answer === 'function' ? answer(text) : (answer ?? ''));
    }
  };
  const ask = channel.ask.bind(channel);
  channel.ask = (question, options, how) => ask(question, options, { ...how, timeoutS: left.length > 0 ? null : 0 });
  return Object.assign(channel, { questions });
}

const worker = new AgentSpec({ name: 'w', instructions: '' });
const CHECKS = ['`wc a b c` prints 3', 'README.md says how'];

/** A work step under a goal that lies in its file; each round a new file is made, unless `idle`. */
async function judged(
  verdicts: FakeScript,
  options: {
    readonly place?: Place;
    readonly checks?: readonly string[];
    readonly answers?: Parameters<typeof person>[1];
    readonly idle?: boolean;
    readonly onWork?: (round: number, place: Place) => unknown;
    readonly work?: FakeScript;
    readonly goal?: Partial<WithGoalOptions>;
    readonly ctx?: Ctx;
  } = {},
) {
  const place = options.place ?? fakePlace();
  if (!existsSync(place.goal))
    new Goal({ statement: 'It counts.', checks: options.checks ?? CHECKS }, { locale: 'en' }).write(place.goal);
  const channel = person(place, options.answers);
  let rounds = 0;
  let judges = 0;
  const runtime = new FakeRuntime((call, n) => {
    if (call.step.includes('verdict')) {
      judges += 1;
      return verdicts(call, judges);
    }
    rounds += 1;
    if (!options.idle) writeFileSync(join(place.workspace, `round-${rounds}.txt`), '');
    options.onWork?.(rounds, place);
    return options.work?.(call, n) ?? `done ${rounds}`;
  }, place);
  const work = withGoal(new Step('work', worker, 'Do it.'), channel, {
    goalPath: place.goal,
    locale: 'en',
    ...options.goal,
  });
  const flow = new Workflow([work], { channel, locale: 'en', context: options.ctx ?? {} });
  const ctx = await flow.run(runtime, { onEvent: runtime.onEvent });
  const workCalls = runtime.calls.filter(({ step }) => !step.includes('verdict'));
  const judgeCalls = runtime.calls.filter(({ step }) => step.includes('verdict'));
  return { ctx, runtime, channel, place, workCalls, judgeCalls, outcome: ctx._outcome };
}

const failing = (reason = 'the second is missing') =>
  verdictHandIn(['met', { state: 'failed', evidence: 'no such file' }], reason);

describe('a round that is judged', () => {
  it('12: has as many rounds as were given, each going on with the reason', async () => {
    for (const rounds of [1, 3]) {
      const run = await judged(() => failing(), { goal: { rounds } });
      expect(run.workCalls.map(({ step }) => step)).toEqual(['work', 'work#round2', 'work#round3'].slice(0, rounds));
      expect(run.judgeCalls.map(({ step }) => step)).toEqual(
        [1, 2, 3].slice(0, rounds).map((n) => `work·verdict#${n}`),
      );
      expect(run.ctx._failed_at).toBe('work');
      expect(run.outcome).toEqual({
        ended: 'failed',
        claimed: true,
        verified: 'not_yet',
        reason: 'the second is missing',
      });
      for (const call of run.workCalls.slice(1)) {
        expect(call).toMatchObject({ resume: 's1' });
        expect(call.prompt).toContain('the second is missing');
        expect(call.prompt).toContain('carry on');
      }
      expect(run.judgeCalls.every(({ resume }) => resume === null)).toBe(true);
    }
  });

  it('D10.6: passes only with evidence for every item', async () => {
    const run = await judged(() => verdictHandIn(['met', 'met']));
    expect(run.outcome).toEqual({ ended: 'finished', claimed: true, verified: 'achieved', reason: '' });
    expect(run.ctx.work).toBe('done 1');
    expect(run.judgeCalls).toHaveLength(1);
    expect(run.judgeCalls[0]?.options).toMatchObject({ checks: CHECKS, remark: true });
  });

  it('23: asks a second judge about items without evidence, by number, and then it is not yet', async () => {
    const three = ['a', 'b', 'c'];
    const run = await judged(() => verdictHandIn(['met', 'met']), { checks: three, goal: { rounds: 1 } });
    expect(run.judgeCalls).toHaveLength(2);
    expect(run.judgeCalls[0]?.prompt).not.toMatch(/had no evidence/);
    expect(run.judgeCalls[1]?.prompt).toMatch(/had no evidence: 3\b/);
    expect(run.outcome).toMatchObject({ ended: 'failed', verified: 'not_yet' });
    const blank = await judged(() => verdictHandIn(['met', { evidence: '' }]), { goal: { rounds: 1 } });
    expect(blank.outcome).toMatchObject({ verified: 'not_yet' });
    const found = await judged((_call, n) => verdictHandIn(n === 1 ? ['met'] : ['met', 'met']));
    expect(found.outcome).toMatchObject({ verified: 'achieved' });
    const mixed = await judged(() => verdictHandIn(['failed', 'unverifiable']), { goal: { rounds: 1 } });
    expect(mixed.outcome).toMatchObject({ verified: 'not_yet' });
    expect(mixed.channel.questions).toEqual([]);
  });

  it('23: a second judge who says nothing does not undo what the first could not show', async () => {
    const run = await judged((_call, n) => (n === 1 ? verdictHandIn(['met']) : 'Looks fine to me.'), {
      goal: { rounds: 1 },
    });
    expect(run.channel.questions).toEqual([]);
    expect(run.outcome).toMatchObject({ verified: 'not_yet' });
    expect(run.outcome?.reason).toMatch(/\b2\b/);
  });

  it('13: two vague verdicts go to the person; nobody there is not yet, a yes is accepted, a no is a reason', async () => {
    const vague = () => 'It looks rather good overall.';
    const alone = await judged(vague, { goal: { rounds: 1 } });
    expect(alone.judgeCalls).toHaveLength(2);
    expect(alone.channel.asks).toHaveLength(1);
    expect(alone.outcome).toMatchObject({ ended: 'failed', verified: 'not_yet' });
    expect(alone.outcome?.reason).toMatch(/no clear conclusion/);
    const yes = await judged(vague, { answers: ['1'] });
    expect(yes.outcome).toMatchObject({ ended: 'finished', verified: 'accepted' });
    const no = await judged(vague, { answers: ['the port is wrong', 'the port is wrong'], goal: { rounds: 2 } });
    expect(no.workCalls[1]?.prompt).toContain('the port is wrong');
    expect(no.outcome).toMatchObject({ verified: 'not_yet' });
  });

  it('16: a judge that fails is no verdict', async () => {
    const run = await judged(() => ({ ok: false, error: 'crashed' }));
    expect(run.workCalls).toHaveLength(1);
    expect(run.outcome).toMatchObject({ ended: 'aborted', claimed: true, verified: 'not_judged' });
    expect(run.ctx._aborted).toContain('crashed');
    const late = await judged(() => ({
      ...verdictHandIn(['met', 'met']),
      ok: false,
      error: 'cut off at its last word',
    }));
    expect(late.outcome).toMatchObject({ verified: 'achieved' });
  });

  it('29: a budget that a judge uses up ends the run', async () => {
    const run = await judged(() => ({ ok: false, error: Runtime.BUDGET_EXHAUSTED }));
    expect(run.outcome).toMatchObject({ ended: 'budget_exhausted', claimed: true, verified: 'not_judged' });
    expect(run.ctx._failed_at).toBe('work');
    const cut = await judged(() => ({ ok: false, error: Runtime.INTERRUPTED }));
    expect(cut.outcome).toMatchObject({ ended: 'interrupted' });
  });

  it('22: work that fails in the second round claims nothing, and nothing is said of the first verdict', async () => {
    let round = 0;
    const work: FakeScript = () => {
      round += 1;
      return round === 1 ? 'done' : { ok: false, error: 'broken' };
    };
    const run = await judged(() => failing(), { work, goal: { rounds: 2 } });
    expect(run.outcome).toEqual({ ended: 'failed', claimed: false, verified: 'not_judged', reason: 'broken' });
    expect(run.ctx._report).toMatchObject({ itemsAreOld: true, items: [{ state: 'met' }, { state: 'failed' }] });
  });

  it('15: without a runtime there is no verdict, and so no pass', async () => {
    const place = fakePlace();
    const step = withGoal(new Step('X', worker, ''), person(place), { goalPath: place.goal, locale: 'zh' });
    const result = await new FakeRuntime(() => 'x').run(worker, '');
    const judge = async () => step.gate?.(result, {}, { number: 1, of: 3 });
    await expect(judge()).rejects.toThrow(StepAbort);
    await expect(judge()).rejects.toThrow('Runtime');
    expect(step).toMatchObject({ retries: 2, guarded: true });
  });
});

describe('a goal that cannot be reached here', () => {
  const unreachable = () =>
    verdictHandIn(['met', { state: 'unverifiable', evidence: 'needs a Mac' }], 'there is no Mac');

  it('14: accepted: passes after one round', async () => {
    for (const answer of ['accept', 'Accept.', '1', '接受这个结果', 'accept this result and go on']) {
      const run = await judged(unreachable, { answers: [answer] });
      expect(run.workCalls).toHaveLength(1);
      expect(run.channel.questions[0]).toContain('there is no Mac');
      expect(run.outcome).toMatchObject({ ended: 'finished', claimed: true, verified: 'accepted' });
    }
  });

  it('14, D3.17: what only begins like an option is asked back once and then counts as "you are mistaken"', async () => {
    const run = await judged(unreachable, { answers: ['accept only half', 'accept only half'], goal: { rounds: 2 } });
    expect(run.channel.questions[1]).toContain('"accept only half" is none of these');
    expect(run.workCalls).toHaveLength(2);
    expect(run.workCalls[1]?.prompt).toContain('accept only half');
  });

  it('14: changed: the file has the old and the new text, under its hash', async () => {
    const run = await judged((_call, n) => (n === 1 ? unreachable() : verdictHandIn(['met', 'met'])), {
      answers: ['2', 'Linux is enough'],
    });
    const file = readFileSync(run.place.goal, 'utf8');
    expect(file).toContain('It counts.');
    expect(file).toContain('Linux is enough');
    expect(unsealed(file)).toMatchObject({ edited: false, hash: run.ctx._goal_sha256 });
    expect(run.workCalls[1]?.prompt).toContain('Linux is enough');
    expect(run.judgeCalls[1]?.prompt).toContain('Linux is enough');
    expect(run.judgeCalls[1]?.prompt).not.toContain('changed after it was frozen');
    expect(run.outcome?.verified).toBe('achieved');
  });

  it('14: nobody there: one round only', async () => {
    const run = await judged(unreachable, { goal: { rounds: 5 } });
    expect(run.workCalls).toHaveLength(1);
    expect(run.outcome).toMatchObject({ ended: 'aborted', claimed: true, verified: 'unreachable' });
    for (const part of ['nobody answered', 'there is no Mac', run.place.goal, 'manifest.json'])
      expect(run.ctx._aborted).toContain(part);
  });

  it('D10.6: never passes an item that was marked as not verifiable here, whatever a judge thinks it has seen', async () => {
    const checks = ['it runs', 'it runs on a Mac [cannot be verified here: no Mac]'];
    const run = await judged(() => verdictHandIn(['met', 'met']), { checks });
    expect(run.channel.asks[0]?.question).toContain('it runs on a Mac');
    expect(run.outcome).toMatchObject({ ended: 'aborted', verified: 'unreachable' });
  });
});

describe('24: two rounds that fail alike', () => {
  it('and change nothing are not paid for a third time without a person', async () => {
    const run = await judged(() => failing(), { idle: true, goal: { rounds: 5 } });
    expect(run.workCalls).toHaveLength(2);
    expect(run.outcome).toMatchObject({ ended: 'aborted', claimed: true, verified: 'not_yet' });
    for (const part of ['README.md says how', run.place.goal, 'manifest.json'])
      expect(run.ctx._aborted).toContain(part);
  });

  it('shows each event under the label of what ran when it came', async () => {
    const run = await judged(() => failing(), { idle: true, goal: { rounds: 3 } });
    const rows = run.runtime.books?.events(run.runtime.runId ?? '').events ?? [];
    const shown = rows
      .filter(({ kind }) => kind === 'task' || kind === 'ask')
      .map(({ step, text }) => `${step}: ${text.split(' ')[0]}`);
    expect(shown).toEqual([
      'work·verdict#1: An',
      'work·verdict#1: Verdict',
      'work·verdict#2: An',
      'work·verdict#2: Verdict',
      'work#round2: 2',
    ]);
  });

  it('a person can send on, with words or without, accept or stop', async () => {
    const on = await judged(() => failing(), { idle: true, answers: ['again'], goal: { rounds: 3 } });
    expect(on.workCalls).toHaveLength(3);
    expect(on.channel.questions[0]).toContain('  · README.md says how');
    expect(on.workCalls[2]?.prompt).toContain('the second is missing');
    const words = await judged(() => failing(), {
      idle: true,
      answers: ['put it into docs', 'put it into docs'],
      goal: { rounds: 3 },
    });
    expect(words.workCalls[2]?.prompt).toContain('put it into docs');
    const accepted = await judged(() => failing(), { idle: true, answers: ['2'], goal: { rounds: 5 } });
    expect(accepted.outcome).toMatchObject({ ended: 'finished', verified: 'accepted' });
    const stopped = await judged(() => failing(), { idle: true, answers: ['stop'], goal: { rounds: 5 } });
    expect(stopped.outcome).toMatchObject({ ended: 'aborted', verified: 'not_yet' });
  });

  it('begins to compare anew after a person has sent on', async () => {
    const run = await judged(() => failing(), { idle: true, answers: ['1', '1'], goal: { rounds: 5 } });
    expect(run.workCalls).toHaveLength(5);
    expect(run.channel.questions).toHaveLength(2);
  });

  it('is not asked about where something changed, another item failed, or no round is left', async () => {
    const changed = await judged(() => failing(), { goal: { rounds: 4 } });
    expect([changed.workCalls.length, changed.channel.asks.length]).toEqual([4, 0]);
    const other = await judged((_call, n) => verdictHandIn(n % 2 ? ['met', 'failed'] : ['failed', 'met']), {
      idle: true,
      goal: { rounds: 4 },
    });
    expect([other.workCalls.length, other.channel.asks.length]).toEqual([4, 0]);
    const last = await judged(() => failing(), { idle: true, goal: { rounds: 2 } });
    expect([last.workCalls.length, last.channel.asks.length]).toEqual([2, 0]);
  });

  it('takes nothing that the workbench or a judge changes for progress', async () => {
    const place = fakePlace();
    const leaveBehind = (n: number) => () => writeFileSync(join(place.workspace, `judged-${n}`), '');
    const run = await judged((_call, n) => ({ ...failing(), do: leaveBehind(n) }), {
      place,
      idle: true,
      goal: { rounds: 4, canRun: true },
      onWork: (round) => writeFileSync(join(place.notes, `note-${round}.md`), ''),
    });
    expect(run.workCalls).toHaveLength(2);
  });

  it('holds over a restart', async () => {
    const first = await judged(() => failing(), { idle: true, goal: { rounds: 1 } });
    const second = await judged(() => failing(), { place: first.place, idle: true, goal: { rounds: 3 } });
    expect(second.workCalls).toHaveLength(1);
    expect(second.ctx._outcome?.ended).toBe('aborted');
    const third = await judged(() => failing(), {
      place: first.place,
      idle: true,
      answers: ['1'],
      goal: { rounds: 2 },
    });
    expect(third.channel.questions).toHaveLength(1);
    expect(third.workCalls).toHaveLength(2);
  });
});

describe('25: a goal file that changes', () => {
  const judge: FakeScript = (_call, n) => (n < 3 ? verdictHandIn(['failed'], 'not there') : verdictHandIn(['met']));
  const edit = (path: string, change: (body: string) => string) =>
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/^(<!--.*-->\n)?([\s\S]*)$/, (_all, line = '', body) => line + change(body)),
    );
  const shorter = (body: string) => body.replace('- README.md says how\n', '');

  it('by hand: its new text is judged, the person is told once, and the judge is told what differs', async () => {
    const run = await judged(judge, {
      onWork: (round, { goal }) => round === 2 && edit(goal, shorter),
      goal: { rounds: 4 },
    });
    expect(run.judgeCalls[1]?.options.checks).toEqual([CHECKS[0]]);
    expect(run.judgeCalls[1]?.prompt).toContain('changed after it was frozen');
    expect(run.judgeCalls[1]?.prompt).toContain('- - README.md says how');
    expect(run.judgeCalls[0]?.prompt).not.toContain('changed after it was frozen');
    const told = run.runtime.events.filter(({ payload }) => payload.frozen_edited);
    expect(told.map(({ kind, payload }) => [kind, payload.path])).toEqual([['task', run.place.goal]]);
    expect(run.outcome?.verified).toBe('achieved');
  });

  it('by a worker who gives it a fitting hash: noticed all the same', async () => {
    const reseal = (path: string) => writeFileSync(path, sealed(shorter(unsealed(readFileSync(path, 'utf8')).body)));
    const run = await judged(judge, { onWork: (round, { goal }) => round === 2 && reseal(goal) });
    expect(run.judgeCalls[1]?.prompt).toContain('changed after it was frozen');
    const known = { _goal: new Goal({ statement: 'It counts.', checks: CHECKS }, { locale: 'en' }) };
    const atOnce = await judged(judge, { ctx: known, onWork: (round, { goal }) => round === 1 && reseal(goal) });
    expect(atOnce.judgeCalls[0]?.prompt).toContain('changed after it was frozen');
  });

  it('past the guard, sealed anew or without a hash line: the judge is told, whatever was added or taken out', async () => {
    const extended = await judged(judge, {
      onWork: (round, { goal }) => round === 2 && Goal.load(goal)?.amend('nothing counts too').write(goal),
    });
    expect(extended.judgeCalls[1]?.prompt).toContain('changed after it was frozen');
    const place = fakePlace();
    mkdirSync(dirname(place.goal), { recursive: true });
    writeFileSync(place.goal, new Goal({ statement: 'It counts.', checks: CHECKS }).toMarkdown());
    const bare = await judged(judge, { place, onWork: (round, { goal }) => round === 2 && edit(goal, shorter) });
    expect(bare.judgeCalls[0]?.prompt).not.toContain('changed after it was frozen');
    expect(bare.judgeCalls[1]?.prompt).toContain('changed after it was frozen');
    expect(bare.runtime.events.filter(({ payload }) => payload.frozen_edited)).toHaveLength(1);
  });
});

/** The three steps of a whole run. */
async function whole(
  script: FakeScript,
  options: {
    readonly place?: Place;
    readonly answers?: Parameters<typeof person>[1];
    readonly canRun?: boolean;
    readonly alwaysSet?: boolean;
  } = {},
) {
  const place = options.place ?? fakePlace();
  const channel = person(place, options.answers);
  const runtime = new FakeRuntime(script, place);
  const { canRun = false } = options;
  const steps = [
    clarifyStep(channel, { briefPath: place.brief, prompt: 'Count words.', locale: 'en' }),
    goalStep(channel, { goalPath: place.goal, canRun, locale: 'en', alwaysSet: options.alwaysSet ?? false }),
    withGoal(new Step('work', worker, 'Work.'), channel, { goalPath: place.goal, canRun, locale: 'en', rounds: 2 }),
  ];
  const flow = new Workflow(steps, { channel, locale: 'en' });
  const ctx = await flow.run(runtime, { onEvent: runtime.onEvent });
  return { place, channel, runtime, ctx, tasks: runtime.events.filter(({ kind }) => kind === 'task') };
}

const all: (parts: { brief?: FakeScript; goal?: FakeScript; work?: FakeScript; judge?: FakeScript }) => FakeScript =
  ({
    brief = () => briefHandIn(),
    goal = () => goalHandIn(CHECKS),
    work = () => 'done',
    judge = () => verdictHandIn(['met', 'met']),
  }) =>
  (call, n) =>
    (call.step.startsWith('clarify')
      ? brief
      : call.step.startsWith('set-goal')
        ? goal
        : call.step.includes('verdict')
          ? judge
          : work)(call, n);

describe('17: setting the goal', () => {
  const MARKED = [
    'it runs',
    'on a Mac [cannot be verified here: no Mac]',
    'it is fast',
    'looks good [cannot be verified here: no eyes]',
  ];
  const marked = all({ goal: () => goalHandIn(MARKED), judge: () => verdictHandIn(['met', 'met', 'met', 'met']) });

  it('D10.3: shows what cannot be verified here before work, and asks; stop is a stop', async () => {
    const run = await whole(marked, { answers: ['stop'] });
    const notice = run.tasks.find(({ payload }) => payload.unverifiable);
    expect(notice?.payload).toEqual({ unverifiable: [MARKED[1], MARKED[3]], total: 4, path: run.place.goal });
    expect(notice?.text.split('\n').slice(1)).toEqual([`  · ${MARKED[1]}`, `  · ${MARKED[3]}`]);
    expect(run.channel.questions).toHaveLength(1);
    expect(run.runtime.steps).toEqual(['clarify', 'set-goal']);
    expect(run.ctx._outcome).toMatchObject({ ended: 'aborted', claimed: false, verified: 'unreachable' });
    expect(run.ctx._aborted).toContain(run.place.goal);
  });

  it('D10.3: takes the list as it stands in the file when the person says go on', async () => {
    const place = fakePlace();
    const shorten = () => {
      const marked = readFileSync(place.goal, 'utf8');
      writeFileSync(place.goal, marked.replace(/- on a Mac[\s\S]*/, ''));
      return 'go on';
    };
    const run = await whole(all({ goal: () => goalHandIn(MARKED), judge: () => verdictHandIn(['met']) }), {
      place,
      answers: [shorten],
    });
    expect(run.runtime.calls.find(({ step }) => step.includes('verdict'))?.options.checks).toEqual(['it runs']);
    expect(run.ctx._outcome?.verified).toBe('achieved');
    expect(unsealed(readFileSync(place.goal, 'utf8'))).toMatchObject({ edited: false, hash: run.ctx._goal_sha256 });
  });

  it('goes on where nobody is, and says so', async () => {
    const run = await whole(marked);
    expect(run.tasks.some(({ text }) => text.includes('nobody is there, going on; these 2 items'))).toBe(true);
    expect(run.runtime.steps).toContain('work');
  });

  it('asks nothing about a list that can be verified, and nothing at all where a goal is', async () => {
    const first = await whole(all({}));
    expect(first.channel.asks).toEqual([]);
    expect(first.tasks.some(({ payload }) => payload.unverifiable)).toBe(false);
    const second = await whole(all({}), { place: first.place });
    expect(second.runtime.steps).toEqual(['work', 'work·verdict#1']);
    expect(second.ctx['set-goal']).toContain(CHECKS[0]);
    expect(second.ctx.clarify).toContain(FULL_BRIEF.goal);
    expect(second.ctx._goal_sha256).toBe(first.ctx._goal_sha256);
  });

  it('sends an incomplete goal back once, with what it lacks, then fails', async () => {
    const run = await whole(all({ goal: () => '# Goal\nIt counts.' }));
    expect(run.runtime.steps).toEqual(['clarify', 'set-goal', 'set-goal#round2']);
    expect(run.runtime.calls[2]?.prompt).toContain('Checklist');
    expect(run.ctx._outcome).toMatchObject({ ended: 'failed', claimed: false, reason: 'Checklist' });
    expect(existsSync(run.place.goal)).toBe(false);
  });

  it('D10.2: sends items about folders of flower itself back', async () => {
    for (const item of [
      '`.flower/` is untouched',
      'nothing in `runs/` changed',
      './runs/manifest.json exists',
      `ls ${fakePlace().workspace} is short`,
    ]) {
      const place = fakePlace();
      const own = item.startsWith('ls') ? `ls ${place.runDir} is empty` : item;
      const run = await whole(
        all({
          goal: (_call, n) => goalHandIn(n === 2 ? [own, 'it runs'] : ['it runs']),
          judge: () => verdictHandIn(['met']),
        }),
        { place },
      );
      expect(run.runtime.steps, item).toContain('set-goal#round2');
      expect(run.runtime.calls[2]?.prompt).toContain(own);
      expect(run.ctx._outcome?.verified).toBe('achieved');
    }
    const fine = [
      'the tool runs fine',
      'src/runs/a.ts exports it',
      'flower.md is there',
      '`node app.js runs` prints ok',
    ];
    const run = await whole(
      all({ goal: () => goalHandIn(fine), judge: () => verdictHandIn(['met', 'met', 'met', 'met']) }),
    );
    expect(run.runtime.steps).not.toContain('set-goal#round2');
  });

  it('D10.1, D10.7: warns of a long list, and recommends a judge who can run things where items ask for that', async () => {
    const eight = Array.from({ length: 8 }, (_, i) => `\`make check${i}\` ends well`);
    const goal = all({ goal: () => goalHandIn(eight), judge: () => verdictHandIn(eight.map(() => 'met')) });
    const run = await whole(goal);
    expect(run.tasks.filter(({ payload }) => payload.long_list).map(({ payload }) => payload.checks)).toEqual([8]);
    expect(run.tasks.some(({ text }) => text.includes('--judge-can-run'))).toBe(true);
    const able = await whole(goal, { canRun: true });
    expect(able.tasks.some(({ text }) => text.includes('--judge-can-run'))).toBe(false);
    const seven = await whole(
      all({ goal: () => goalHandIn(['README.md names the author']), judge: () => verdictHandIn(['met']) }),
    );
    expect(seven.tasks.some(({ payload }) => payload.long_list || payload.advice)).toBe(false);
  });

  it('R2.51: gives the setter the brief and the facts of the platform', async () => {
    const run = await whole(all({}));
    expect(run.runtime.calls[1]?.prompt).toContain(FULL_BRIEF.accept);
    expect(run.runtime.calls[1]?.prompt).toContain(process.arch === 'x64' ? 'x64' : process.arch);
    expect(run.runtime.calls[1]?.options.remark).toBe(true);
  });
});

describe('18: clarifying', () => {
  it('sends a brief back once with the missing titles, then fails and writes nothing', async () => {
    const run = await whole(all({ brief: () => '## Goal\nA counter.' }));
    expect(run.runtime.steps).toEqual(['clarify', 'clarify#round2']);
    expect(run.runtime.calls[1]?.prompt).toContain('Acceptance criteria, Boundaries, Unknowns and assumptions');
    expect(run.ctx._brief_missing).toHaveLength(3);
    expect(run.ctx._outcome?.reason).toBe('Acceptance criteria, Boundaries, Unknowns and assumptions');
    expect(existsSync(run.place.brief)).toBe(false);
    const silent = await whole(all({ brief: () => '' }));
    expect(silent.runtime.calls[1]).toMatchObject({ prompt: 'Count words.' });
  });

  it('lets no pasted program through, and keeps what a person said meanwhile', async () => {
    const program = ['```js', ...Array.from({ length: 40 }, (_, i) => `line${i}();`), '```'].join('\n');
    const text = `## Goal\nA counter.\n${program}\n## Acceptance criteria\nit counts\n## Boundaries\nnone\n## Unknowns and assumptions\nnone`;
    const place = fakePlace();
    const run = await whole(
      all({
        brief: () => ({
          text,
          do: (_call, runtime) => {
            void runtime;
            channelOf(place).send('Words with umlauts count too.');
          },
        }),
      }),
      { place },
    );
    const file = readFileSync(place.brief, 'utf8');
    expect(file).toContain('A counter.');
    expect(file).toContain('Words with umlauts count too.');
    expect(unsealed(file).edited).toBe(false);
    expect(String(run.ctx.clarify)).not.toContain('line7');
    expect(String(run.ctx.clarify)).toContain('umlauts');
    expect(run.ctx._brief_sha256).toBe(Brief.load(place.brief)?.hash);
  });

  function channelOf(place: Place): HumanChannel {
    mkdirSync(dirname(place.brief), { recursive: true });
    return new HumanChannel({ amendPath: place.brief, locale: 'en' });
  }
});

describe('R2.63: what a judge is told', () => {
  it('everything that a reply can leave out', async () => {
    const place = fakePlace();
    mkdirSync(join(place.workspace, 'test'));
    writeFileSync(join(place.workspace, 'test', 'count.test.js'), 'a\nb\n');
    const run = await whole(
      all({
        work: (call) => ({
          text: 'All tests pass.',
          do: () => {
            writeFileSync(join(place.workspace, 'test', 'count.test.js'), 'a\n');
            writeFileSync(join(place.workspace, 'count.js'), '');
            FakeRuntime.bash(call, 'ls');
            FakeRuntime.bash(call, 'npm test', 'Exit code 1\n2 failing');
            FakeRuntime.bash(call, 'node count.js > out.txt');
            call.options.channel?.send('Tabs count\nas blanks.');
          },
        }),
      }),
      { place },
    );
    const prompt = run.runtime.calls.find(({ step }) => step.includes('verdict'))?.prompt ?? '';
    for (const part of [
      ...CHECKS,
      'All tests pass.',
      place.brief,
      'Tabs count\nas blanks.',
      '- test/count.test.js: changed',
      '- count.js: new (+0 -0)',
      '- `npm test`: failed (Exit code 1)',
      '- `node count.js > out.txt`: ended well',
    ]) {
      expect(prompt).toContain(part);
    }
    expect(prompt.indexOf('count.test.js')).toBeLessThan(prompt.indexOf('count.js: new'));
    expect(prompt).not.toContain('`ls`');
    expect(prompt).not.toContain('.flower/notes/goal.md: ');
  });

  it('that nothing changed and nothing was run, where that is so', async () => {
    const run = await whole(all({ work: () => 'I have done it all.' }));
    const prompt = run.runtime.calls.find(({ step }) => step.includes('verdict'))?.prompt ?? '';
    expect(prompt).toContain('(no file has changed)');
    expect(prompt).toMatch(/Commands that were run[^\n]*\n\n\(none\)/);
    expect(prompt).not.toContain('What the person has added');
  });
});
