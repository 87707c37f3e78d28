import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import {
  briefHandIn,
  FakeRuntime,
  type FakeScript,
  FULL_BRIEF,
  fakePlace,
  goalHandIn,
  verdictHandIn,
} from '../../test/support/fakeRuntime.js';
import { Books } from '../books/books.js';
import { Lineage } from '../books/lineage.js';
import { Brief } from '../documents/brief.js';
import { Goal } from '../documents/goal.js';
import { wantsIsolation } from '../guards/isolate.js';
import { platformFacts } from './platformFacts.js';
import { type StarterOptions, starterFlow } from './starterFlow.js';
import { wakeState } from './wakeState.js';

type Place = ReturnType<typeof fakePlace>;
const CHECKS = ['it counts'];

const script: FakeScript = ({ step }) => {
  if (step.startsWith('clarify')) return briefHandIn();
  if (step.startsWith('set-goal')) return goalHandIn(CHECKS);
  if (step.includes('verdict')) return verdictHandIn(['met']);
  return 'done';
};

async function start(ask: string, place: Place, options: StarterOptions & { readonly script?: FakeScript } = {}) {
  const { script: own = script, ...rest } = options;
  const flow = starterFlow(ask, {
    workspace: place.workspace,
    runDir: place.runDir,
    timeoutS: 0,
    locale: 'en',
    ...rest,
  });
  const runtime = new FakeRuntime(own, place);
  const ctx = await flow.run(runtime, { onEvent: runtime.onEvent });
  runtime.books?.close();
  return { flow, runtime, ctx, prompts: Object.fromEntries(runtime.calls.map(({ step, prompt }) => [step, prompt])) };
}

const somewhere = () => {
  const { workspace, runDir } = fakePlace();
  return { workspace, runDir };
};
const brief = (place: Place) => readFileSync(place.brief, 'utf8');

describe('19: what starterFlow makes', () => {
  it('has three steps, two without a goal, one to clarify only, and as many rounds as were asked for', () => {
    const names = (options: StarterOptions) =>
      starterFlow('Count.', { ...somewhere(), ...options }).steps.map(({ name }) => name);
    expect(names({})).toEqual(['clarify', 'set-goal', 'work']);
    expect(names({ goal: false })).toEqual(['clarify', 'work']);
    expect(names({ clarifyOnly: true })).toEqual(['clarify']);
    const five = starterFlow('Count.', { ...somewhere(), rounds: 5 });
    expect(five.steps[2]).toMatchObject({ retries: 4, guarded: true });
    expect(five).toMatchObject({ name: 'starter', continuous: true, bequest: false });
    expect(five.channel).toMatchObject({ maxAsks: null, timeoutS: 1800 });
    expect(starterFlow('Count.', { ...somewhere(), timeoutS: -5 }).channel?.timeoutS).toBe(0);
    expect(starterFlow('Count.', { ...somewhere(), timeoutS: null }).channel?.timeoutS).toBeNull();
    expect(starterFlow('Count.', { ...somewhere(), bequest: true, notify: 'beep' })).toMatchObject({
      bequest: true,
      notify: 'beep',
    });
  });

  it('D1.19: gives the command to the judge who sets the goal as well, and takes it from both', async () => {
    for (const judgeCanRun of [true, false]) {
      const { runtime, prompts } = await start('Count.', fakePlace(), { judgeCanRun });
      const judges = runtime.calls.filter(({ step }) => /set-goal|verdict/.test(step));
      expect(judges.map(({ spec }) => spec.allowedTools.includes('Bash'))).toEqual([judgeCanRun, judgeCanRun]);
      expect(prompts['set-goal']).toContain(platformFacts('en'));
    }
  });

  it('Z143: tells workers to verify after every change, in the words that are documented', () => {
    const zh = starterFlow('数词', { ...somewhere(), locale: 'zh' });
    const coder = Object.values(zh.steps.at(-1)?.spec.agents ?? {})[0];
    expect(coder?.prompt).toContain('你负责实现。每改一处就跑一次验证,别攒到最后。');
    const own = starterFlow('Count.', { ...somewhere(), workerPrompt: 'Use tabs.' });
    expect(Object.values(own.steps.at(-1)?.spec.agents ?? {})[0]?.prompt).toMatch(/^Use tabs\.\n\n/);
  });

  it('D1.21: needs words where there is no brief', () => {
    const place = fakePlace();
    expect(() => starterFlow('  \n', { workspace: place.workspace, runDir: place.runDir })).toThrow(
      expect.objectContaining({ code: 'need_ask' }),
    );
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  it('isolates only inside a repository, and puts the workbench outside of it', () => {
    const place = fakePlace();
    const isolated = { workspace: place.workspace, runDir: place.runDir, isolate: true };
    vi.stubEnv('GIT_DIR', join(process.cwd(), '.git'));
    expect(() => starterFlow('Count.', isolated)).toThrow(expect.objectContaining({ code: 'isolate_needs_git' }));
    vi.unstubAllEnvs();
    expect(readdirSync(place.workspace)).toEqual([]);
    execFileSync('git', ['init', '-q', place.workspace]);
    const flow = starterFlow('Count.', isolated);
    const home = join(dirname(place.workspace), '.flower-work');
    expect(flow.workbench?.root).toBe(home);
    expect(wakeState(place.workspace, isolated)).toMatchObject({ home, brief: join(home, 'notes', 'brief.md') });
    const coder = Object.values(flow.steps.at(-1)?.spec.agents ?? {})[0];
    expect(wantsIsolation(coder)).toBe(true);
  });

  it('`new` moves brief, goal and lineage, and nothing when there are no words for what comes', async () => {
    const place = fakePlace();
    await start('Count words.', place);
    expect(() => starterFlow('', { workspace: place.workspace, runDir: place.runDir, new: true })).toThrow(
      expect.objectContaining({ code: 'need_ask' }),
    );
    expect(existsSync(place.brief)).toBe(true);
    const later = await start('Count lines.', place, { new: true });
    const [folder = ''] = readdirSync(join(place.notes, 'archive'));
    expect(readdirSync(join(place.notes, 'archive', folder)).sort()).toEqual(['brief.md', 'goal.md', 'lineage.json']);
    expect(later.runtime.steps).toEqual(['clarify', 'set-goal', 'work', 'work·verdict#1']);
    expect(later.runtime.calls.every(({ resume }) => resume === null)).toBe(true);
    expect(later.ctx._woke).toBe(1);
  });

  it('27: leaves a directory alone that another process works in, with `new` too', async () => {
    const place = fakePlace();
    await start('Count words.', place);
    const holder = new SQLite(join(place.runDir, 'run.lock'));
    holder.exec('BEGIN EXCLUSIVE');
    const before = brief(place);
    for (const fresh of [true, false]) {
      expect(() => starterFlow('More.', { workspace: place.workspace, runDir: place.runDir, new: fresh })).toThrow(
        expect.objectContaining({ code: 'run_locked' }),
      );
    }
    holder.close();
    expect(brief(place)).toBe(before);
    expect(existsSync(join(place.notes, 'archive'))).toBe(false);
  });

  it('takes other file names, and finds them again', async () => {
    const place = fakePlace();
    const names = { briefName: 'want.md', goalName: 'aim.md', logName: 'asked.md' };
    await start('Count words.', place, names);
    expect(readdirSync(place.notes).sort()).toEqual(['aim.md', 'report.md', 'want.md']);
    const at = { runDir: place.runDir, ...names };
    expect(wakeState(place.workspace, at)).toMatchObject({ waking: true, checks: 1 });
    const again = await start('', place, names);
    expect(again.runtime.steps).toEqual(['work', 'work·verdict#1']);
  });
});

describe('20: waking', () => {
  it('with words: they stand in the brief, the goal is set anew, the work session gets both', async () => {
    const place = fakePlace();
    await start('Count words.', place);
    const goal: FakeScript = (call, n) =>
      call.step === 'set-goal' ? goalHandIn(['it counts lines']) : script(call, n);
    const run = await start('Count lines too.', place, { script: goal });
    expect(run.runtime.steps).toEqual(['set-goal', 'work', 'work·verdict#1']);
    expect(brief(place)).toContain('Count lines too.');
    expect(run.prompts['set-goal']).toContain('Count lines too.');
    expect(run.runtime.calls[1]).toMatchObject({ step: 'work', resume: 's3' });
    expect(run.prompts.work).toMatch(/^Count lines too\.\n\n[\s\S]*it counts lines/);
    expect(run.prompts.work).not.toContain(FULL_BRIEF.accept);
    expect(Brief.load(place.brief)?.edited).toBe(false);
    expect(run.runtime.calls.at(-1)?.prompt).not.toContain('What the person has added');
  });

  it('without words: carries on and says first what it will touch', async () => {
    const place = fakePlace();
    await start('Count words.', place);
    const run = await start('', place);
    expect(run.runtime.steps).toEqual(['work', 'work·verdict#1']);
    expect(run.prompts.work).toMatch(/^Carry on/);
    expect(run.prompts.work).not.toContain('checklist');
  });

  it('adds the same words once, and words that occur inside others all the same', async () => {
    const place = fakePlace();
    await start('Count words.', place);
    const headings = '# Notes\nuse tabs';
    for (const words of [headings, headings, 'counter']) await start(words, place);
    const added = brief(place).match(/^## /gm)?.length;
    expect(brief(place).match(/use tabs/g)).toHaveLength(1);
    expect(brief(place).trimEnd()).toMatch(/\ncounter$/);
    expect(added).toBe(6);
  });

  it('26: tells the work what the last judge missed, unless a person has accepted it since', async () => {
    const place = fakePlace();
    const judge =
      (verdict: ReturnType<typeof verdictHandIn>): FakeScript =>
      (call, n) =>
        call.step.includes('verdict') ? verdict : script(call, n);
    await start('Count words.', place, { script: judge(verdictHandIn(['failed'], 'tabs are not counted')), rounds: 1 });
    const run = await start('', place);
    expect(run.prompts.work).toMatch(/^Carry on[\s\S]*tabs are not counted/);
    const next = await start('', place);
    expect(next.prompts.work).not.toContain('tabs are not counted');

    const unproven = fakePlace();
    const without = judge(verdictHandIn([{ evidence: '' }]));
    await start('Count words.', unproven, { script: without, rounds: 1 });
    expect((await start('', unproven)).prompts.work).toMatch(/no evidence: 1/);

    const accepted = fakePlace();
    await start('Count words.', accepted, {
      script: judge(verdictHandIn(['failed'], 'tabs are not counted')),
      rounds: 1,
    });
    const books = Books.open(accepted.runDir);
    const run2 = String(books.lastRun()?.run);
    books.endRun(run2, { ended: 'finished', claimed: true, verified: 'accepted', reason: '' });
    books.close();
    expect((await start('', accepted)).prompts.work).not.toContain('tabs are not counted');
  });

  it('gives a clarifier that was cut off no request again, and other words than the first ones as mail', async () => {
    const place = fakePlace();
    const dead: FakeScript = () => ({ ok: false, error: 'killed-by-signal' });
    await start('Count words.', place, { script: dead });
    const same = await start('Count words.', place, { script: dead });
    expect(same.runtime.calls[0]).toMatchObject({ resume: 's1' });
    expect(same.prompts.clarify).not.toContain('Count words.');
    expect(same.flow.channel?.pendingMail()).toEqual([]);
    const other = await start('Count lines as well.', place, { script: dead });
    expect(other.flow.channel?.pendingMail().map(({ text }) => text)).toEqual(['Count lines as well.']);
    const third = await start('Count lines as well.', place);
    expect(third.flow.channel?.mail.map(({ text }) => text)).toEqual(['Count lines as well.']);
    expect(brief(place).match(/Count lines as well\./g)).toHaveLength(1);
    expect(brief(place)).toContain(FULL_BRIEF.goal);
  });
});

describe('21: a directory in another language (D8.2)', () => {
  it('keeps its names and texts, and its sessions under names of earlier flower', async () => {
    const place = fakePlace();
    const zh = { locale: 'zh' } as const;
    mkdirSync(place.notes, { recursive: true });
    new Brief({ goal: '数词', accept: '数对', bounds: '无', unknowns: '无' }, zh).write(join(place.notes, '需求.md'));
    new Goal({ statement: '数对', checks: ['数对'] }, zh).write(join(place.notes, '目标.md'));
    mkdirSync(place.runDir);
    const lineage = { workspace: place.workspace, woke: 4, steps: { 确认需求: 'z1', 设定目标: 'z2', 干活: 'z3' } };
    writeFileSync(join(place.runDir, 'lineage.json'), JSON.stringify(lineage));
    expect(wakeState(place.workspace, { runDir: place.runDir, locale: 'en' })).toMatchObject({
      waking: true,
      locale: 'zh',
      brief: join(place.notes, '需求.md'),
      checks: 1,
      woke: 4,
      steps: { clarify: 'z1', 'set-goal': 'z2', work: 'z3' },
      outcome: null,
    });
    const run = await start('', place);
    expect(run.runtime.calls[0]).toMatchObject({ step: 'work', resume: 'z3' });
    expect(run.prompts.work).toMatch(/[一-龥]/);
    expect(run.ctx._woke).toBe(5);
    expect(JSON.parse(readFileSync(join(place.runDir, 'lineage.json'), 'utf8'))).toMatchObject({
      woke: 5,
      steps: { clarify: 'z1', work: 'z3' },
    });
    expect(readdirSync(place.notes).sort()).toEqual(['report.md', '目标.md', '需求.md'].sort());
  });
});

describe('R2.81: wakeState', () => {
  const bytes = (root: string) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [relative(root, path), statSync(path).mtimeMs, readFileSync(path, 'base64')];
      })
      .sort();

  it('says how the last run ended and whether brief and goal are as then, and writes not a byte', async () => {
    const place = fakePlace();
    const at = { runDir: place.runDir, locale: 'en' } as const;
    expect(wakeState(place.workspace, at)).toMatchObject({
      waking: false,
      checks: 0,
      woke: 0,
      steps: {},
      outcome: null,
    });
    expect(readdirSync(place.workspace)).toEqual([]);
    await start('Count words.', place, {
      script: (call, n) => ({
        ...(script(call, n) as object),
        costUsd: 0.25,
        ...(call.step === 'work' && { text: 'done' }),
      }),
    });
    const before = bytes(place.workspace);
    const state = wakeState(place.workspace, at);
    expect(state).toMatchObject({
      waking: true,
      checks: 1,
      woke: 1,
      steps: { work: 's3' },
      outcome: { verified: 'achieved', costUsd: 1, unchanged: true },
    });
    expect(state.outcome?.endedAt).toBeGreaterThan(Date.now() / 1000 - 60);
    expect(bytes(place.workspace)).toEqual(before);
    writeFileSync(place.goal, `${readFileSync(place.goal, 'utf8')}- and lines\n`);
    expect(wakeState(place.workspace, at).outcome?.unchanged).toBe(false);
  });

  it('begins its sum anew with `new`', async () => {
    const place = fakePlace();
    const paid: FakeScript = (call, n) => ({ ...(script(call, n) as object), text: 'done', costUsd: 1 });
    await start('Count words.', place, { script: paid });
    await start('Count lines.', place, { script: paid, new: true, goal: false });
    expect(wakeState(place.workspace, { runDir: place.runDir }).outcome).toMatchObject({
      costUsd: 2,
      verified: 'not_judged',
    });
    expect(Lineage.open(place.runDir, place.workspace).woke).toBe(1);
  });
});
