import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  briefHandIn,
  type FakeAnswer,
  FakeRuntime,
  type FakeScript,
  fakePlace,
  goalHandIn,
  verdictHandIn,
} from '../../test/support/fakeRuntime.js';
import { AgentSpec } from '../agent/agentSpec.js';
import { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import type { Locale } from '../locale/locale.js';
import { Runtime } from '../runtime/runtime.js';
import { Bequest } from './bequestDocument.js';
import { blockIn, withBlock } from './managedBlock.js';
import { type StarterOptions, starterFlow } from './starterFlow.js';
import { Step } from './step.js';
import { Workflow } from './workflow.js';

const CHECKS = ['it counts words', 'it runs on a Mac'];

/** A run in which one test is shortened, one item fails, and a question finds nobody. */
async function run(
  options: StarterOptions & {
    readonly place?: ReturnType<typeof fakePlace>;
    readonly judge?: FakeScript;
    readonly goes?: FakeScript;
    readonly act?: (runtime: FakeRuntime) => unknown;
    readonly work?: FakeAnswer;
    readonly locale?: Locale;
  } = {},
) {
  const {
    place = fakePlace(),
    judge = () => verdictHandIn(['met', 'failed'], 'no Mac'),
    act,
    goes,
    work,
    ...rest
  } = options;
  const flow = starterFlow('Count words.', {
    workspace: place.workspace,
    runDir: place.runDir,
    timeoutS: 0,
    locale: 'en',
    rounds: 1,
    ...rest,
  });
  const runtime = new FakeRuntime((call, n) => {
    const { step } = call;
    const paid = { costUsd: 0.25 };
    if (step === 'clarify') return { ...briefHandIn({ unknowns: 'the reader knows the shell' as 'none' }), ...paid };
    if (step === 'set-goal') return { ...goalHandIn(CHECKS), ...paid };
    if (step.includes('verdict')) return { ...(judge(call, n) as object), ...paid };
    if (step === 'bequest') return goes?.(call, n) ?? '';
    return { text: '# Done\nAll of it.', ...paid, do: (_call, self) => act?.(self), ...work };
  }, place);
  const ctx = await flow.run(runtime, { onEvent: runtime.onEvent });
  const read = (name: string) => readFileSync(join(place.workspace, name), 'utf8');
  return { place, flow, runtime, ctx, read, report: readFileSync(join(place.notes, 'report.md'), 'utf8') };
}

/** The lines below one heading of a report. */
const section = (report: string, title: string) =>
  report
    .split(/^## /m)
    .find((part) => part.startsWith(`${title}\n`))
    ?.split('\n')
    .slice(2)
    .join('\n')
    .trim();

describe('R2.34: the report', () => {
  it('says what was asked, claimed and verified, each for itself, with evidence, cost and what to look at', async () => {
    const place = fakePlace();
    mkdirSync(join(place.workspace, 'test'));
    writeFileSync(join(place.workspace, 'test', 'a.test.js'), 'a\nb\n');
    const { report, ctx, runtime } = await run({
      place,
      act: async (self) => {
        writeFileSync(join(place.workspace, 'test', 'a.test.js'), 'a\n');
        await channelIn(self)?.ask('Is a Mac at hand?');
      },
    });
    expect(report).toMatch(/^# Run report: not achieved\n/);
    expect(section(report, 'Result')).toBe(
      '- How it ended: a step did not pass\n- What the workers say: done\n- What was verified: not achieved\n- Reason: no Mac',
    );
    expect(section(report, 'What was asked')).toMatch(/^> A word counter for the reader\.\n>\n> it prints 3/);
    expect(section(report, 'What was done')).toBe(
      '> # Done\n> All of it.\n\nFiles changed since the goal was set:\n\n- test/a.test.js: changed',
    );
    expect(section(report, 'Item by item')).toBe(
      '1. met: it counts words\n   - Evidence: looked at 1\n2. failed: it runs on a Mac\n   - Evidence: looked at 2',
    );
    expect(section(report, 'Could not be verified')).toBe('(nothing)');
    expect(section(report, 'Assumed')).toBe('> the reader knows the shell');
    expect(section(report, 'For a person to look at')).toBe(
      '- Tests, or what configures them, were changed: test/a.test.js\n- Nobody answered: Is a Mac at hand?',
    );
    expect(section(report, 'Cost by step and role')?.split('\n')).toEqual([
      '- clarify · main thread: $0.2500',
      '- set-goal · main thread: $0.2500',
      '- work · main thread: $0.2500',
      '- work·verdict#1 · main thread: $0.2500',
      '- In all: $1.0000',
    ]);
    expect(section(report, 'Left over in git')).toBe('(nothing)');
    expect(ctx._report).toMatchObject({ totalUsd: 1, itemsAreOld: false, outcome: { verified: 'not_yet' } });
    expect(ctx._report_path).toBe(join(place.notes, 'report.md'));
    expect(runtime.books?.events(runtime.runId ?? '').events.at(-1)?.payload).toMatchObject({
      exit: 3,
      spent_usd: 1,
      total_usd: 1,
      manifest: runtime.manifestPath,
    });
  });

  it('calls nothing verified that a person has accepted or nobody has judged', async () => {
    const accepted = await run({
      judge: () => verdictHandIn(['met', 'unverifiable'], 'no Mac'),
      timeoutS: null,
      act: (self) =>
        void channelIn(self)?.listen(({ kind, payload }) => {
          if (kind === 'ask' && payload.state === 'asked')
            setImmediate(() => channelIn(self)?.answer(String(payload.id), 'accept'));
        }),
    });
    expect(accepted.report).toMatch(/^# Run report: accepted by a person, not verified as achieved/);
    expect(section(accepted.report, 'Could not be verified')).toBe('- 2. it runs on a Mac');
    expect(section(accepted.report, 'For a person to look at')).toContain('these items are not verified: 2');
    const unjudged = await run({ goal: false });
    expect(unjudged.report).toMatch(/^# Run report: nobody checked the result/);
    expect(section(unjudged.report, 'For a person to look at')).toBe(
      '- Nobody but the worker has said that it is done.',
    );
  });

  it('lists worktrees whose work is nowhere else, removes none, and has one name in both languages', async () => {
    const place = fakePlace();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', place.workspace, '-c', 'user.name=a', '-c', 'user.email=a@example.test', ...args], {
        stdio: 'pipe',
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const left = join(place.workspace, '.claude', 'worktrees', 'agent-1');
    for (const n of [1, 2]) git('worktree', 'add', '-q', '-b', `worktree-agent-${n}`, left.replace('1', String(n)));
    writeFileSync(join(left, 'new.txt'), 'work');
    const { report, ctx } = await run({ place, locale: 'zh' });
    expect(report).toMatch(/^# 运行报告/);
    expect(section(report, '留在 git 里的')).toMatch(/agent-1.分支 worktree-agent-1.[^\n]*new\.txt/);
    expect(section(report, '留在 git 里的')).not.toContain('agent-2');
    expect(ctx._report?.left).toHaveLength(1);
    expect(readFileSync(join(left, 'new.txt'), 'utf8')).toBe('work');
  });

  it('is not written where no step ran, and its failure is not the run’s', async () => {
    const place = fakePlace();
    const spec = new AgentSpec({ name: 'a', instructions: '' });
    const skipped = await new Workflow([new Step('A', spec, '', { when: () => false })], { locale: 'en' }).run(
      new FakeRuntime(() => '', place),
    );
    expect(skipped._report).toBeUndefined();
    mkdirSync(join(place.notes, 'report.md'), { recursive: true });
    const ctx = await new Workflow([new Step('A', spec, '')], { locale: 'en' }).run(new FakeRuntime(() => 'x', place));
    expect(ctx._outcome?.ended).toBe('finished');
  });
});

const SECTIONS = {
  what: '## What this is\nA word counter.',
  acceptance: '## Acceptance: met and not met\nIt counts.',
  generated: '## Generated files and their sources\ntable.js <- make.js',
  workbench: '## Where the workbench is and how to read it\n.flower/notes first',
};
const reply = Object.values(SECTIONS).join('\n\n');

describe('X1: the bequest', () => {
  it('is written only if asked for, by a session that may only read, on the bill of the run', async () => {
    const none = await run();
    expect(none.runtime.steps).not.toContain('bequest');
    expect(() => none.read('CLAUDE.md')).toThrow();
    const { read, runtime, ctx } = await run({
      bequest: true,
      goes: () => ({ text: `Here it is.\n\n${reply}`, costUsd: 0.1 }),
    });
    const call = runtime.calls.at(-1);
    expect(call?.spec).toMatchObject({ allowedTools: ['Read', 'Glob', 'Grep'], maxTurns: 12, maxBudgetUsd: 0.5 });
    expect(ctx._report?.totalUsd).toBeCloseTo(1.1);
    expect(read('CLAUDE.md')).toBe(read('AGENTS.md'));
    const text = read('CLAUDE.md');
    expect(text.startsWith('<!-- flower:begin')).toBe(true);
    expect(text.endsWith('<!-- flower:end -->\n')).toBe(true);
    expect(text.match(/^##.*$/gm)).toEqual([
      '## Handoff left by a flower run',
      '### What this is',
      '### Acceptance: met and not met',
      '### Generated files and their sources',
      '### Where the workbench is and how to read it',
    ]);
    expect(text).not.toContain('Here it is.');
    const told = runtime.events.find(({ payload }) => payload.bequest);
    expect(told?.text).toContain('CLAUDE.md');
    expect(runtime.events.at(-1)?.text).toBe('run_ended');
  });

  it('is not written when only clarifying was asked for and nothing ran, nor after an interrupt', async () => {
    const { place, runtime } = await run({ bequest: true, goes: () => reply });
    const again = starterFlow('', {
      workspace: place.workspace,
      runDir: place.runDir,
      clarifyOnly: true,
      bequest: true,
      locale: 'en',
    });
    runtime.books?.close();
    const second = new FakeRuntime(() => reply, place);
    await again.run(second);
    expect(second.calls).toEqual([]);
    const cut = await run({ bequest: true, goes: () => reply, work: { ok: false, error: Runtime.INTERRUPTED } });
    expect(cut.ctx._outcome?.ended).toBe('interrupted');
    expect(cut.runtime.steps).not.toContain('bequest');
    const spent = await run({ bequest: true, goes: () => reply, work: { ok: false, error: Runtime.BUDGET_EXHAUSTED } });
    expect(spent.runtime.steps).not.toContain('bequest');
    expect(spent.read('CLAUDE.md')).toContain('(budget_exhausted)');
  });

  it('is made without a model where none answers, never in place of a good one', async () => {
    const place = fakePlace();
    const bad = await run({ place, bequest: true, goes: () => 'I would rather not.' });
    expect(bad.read('AGENTS.md')).toContain(
      '[reduced: the closing handoff could not be written] (incomplete)\nIt counts words.',
    );
    expect(bad.read('AGENTS.md')).toContain(join(place.notes));
    bad.runtime.books?.close();
    const good = await run({ place, bequest: true, goes: () => reply });
    expect(good.read('AGENTS.md')).not.toContain('reduced');
    good.runtime.books?.close();
    const after = good.read('AGENTS.md');
    for (let i = 0; i < 2; i += 1) {
      const failed = await run({ place, bequest: true, goes: () => ({ ok: false, error: 'no network' }) });
      expect(failed.read('AGENTS.md')).toBe(
        after.replace(
          '\n<!-- flower:end',
          '\n\n- [reduced: the closing handoff could not be written] (no network)\n<!-- flower:end',
        ),
      );
      failed.runtime.books?.close();
    }
  });

  it('goes once into two names of one file, and into none outside the workspace', async () => {
    const place = fakePlace();
    writeFileSync(join(place.workspace, 'AGENTS.md'), '# Mine\n');
    symlinkSync('AGENTS.md', join(place.workspace, 'CLAUDE.md'));
    const { read } = await run({ place, bequest: true, goes: () => reply });
    expect(read('AGENTS.md').match(/flower:begin/g)).toHaveLength(1);
    expect(read('CLAUDE.md')).toMatch(/^# Mine\n\n<!-- flower:begin/);
    const other = fakePlace();
    const shared = join(fakePlace().workspace, 'shared.md');
    writeFileSync(shared, 'shared');
    symlinkSync(shared, join(other.workspace, 'CLAUDE.md'));
    symlinkSync('nowhere', join(other.workspace, 'AGENTS.md'));
    await run({ place: other, bequest: true, goes: () => reply });
    expect(readFileSync(shared, 'utf8')).toBe('shared');
  });
});

describe('X1.8: a block in a file of somebody else', () => {
  const block = { begin: '<!-- flower:begin x -->', body: 'one\ntwo' };
  const whole = '<!-- flower:begin x -->\none\ntwo\n<!-- flower:end -->';
  const put = (old: string) => withBlock(Buffer.from(old, 'latin1'), block).toString('latin1');

  it('is replaced where there is exactly one, byte for byte around it, and by itself with nothing', () => {
    const old = `top \xff\n<!-- flower:begin 旧 -->\nold\n<!-- flower:end -->\nbottom`;
    expect(put(old)).toBe(`top \xff\n${whole}\nbottom`);
    expect(put(put(old))).toBe(put(old));
    expect(blockIn(Buffer.from(put(old), 'latin1'))).toBe('one\ntwo');
  });

  it('is added where marks are missing, doubled or in the wrong order', () => {
    const [b, e] = ['<!-- flower:begin -->', '<!-- flower:end -->'];
    for (const old of ['text', `${b}\nx\n`, `x\n${e}\n`, `${b}\n${b}\n${e}\n`, `${e}\n${b}\n`]) {
      expect(put(old).startsWith(old)).toBe(true);
      expect(put(old).endsWith(`\n${whole}\n`)).toBe(true);
    }
    expect(withBlock(null, block).toString()).toBe(`${whole}\n`);
    expect(put('')).toBe(`${whole}\n`);
  });

  it('has the line ends of the file, and no mark inside', () => {
    expect(put('a\r\nb\r\n')).toBe(`a\r\nb\r\n\r\n${whole.replaceAll('\n', '\r\n')}\r\n`);
    const tricky = withBlock(null, { ...block, body: 'x\n<!-- flower:end -->\ny' }).toString();
    expect(blockIn(Buffer.from(tricky))).toContain('y');
  });
});

it('X1.5, X1.9: reads short titles of both languages, keeps to 80 lines, and leaves whole sections out', () => {
  const short = Bequest.parse(
    '**任务**: 数词\n\nAcceptance that is long is no title\n\n生成物:\na <- b\n\n# Workbench\n.flower',
    'en',
  );
  expect(short.sections).toMatchObject({
    what: expect.stringContaining('数词'),
    generated: 'a <- b',
    workbench: '.flower',
    deadends: '',
  });
  const long = new Bequest(
    { what: 'w', workbench: 'b', generated: 'g\n'.repeat(60).trim(), deadends: 'd\n'.repeat(60).trim() },
    'en',
  );
  const lines = long.toMarkdown('/notes').split('\n');
  expect(lines.length).toBeLessThanOrEqual(78);
  expect(lines.filter((line) => line === 'g')).toHaveLength(60);
  expect(lines).not.toContain('d');
  expect(lines.join('\n')).toContain('see /notes');
});

describe('R2.37: who is away is told', () => {
  it('of a question, the budget, a usage limit and the end, with the step', async () => {
    const notes: unknown[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        notes.push(JSON.parse(body));
        response.end();
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const emit = (event: Event) => (runtime: FakeRuntime) => runtime.calls.at(-1)?.options.onEvent?.(event);
    const { runtime } = await run({
      notify: `http://127.0.0.1:${port}/x`,
      act: async (self) => {
        await channelIn(self)?.ask('Which port?', ['80', '81'], { timeoutS: 0.01 });
        emit(new Event('task', { text: 'nearly spent', payload: { budget: 'near' } }))(self);
        emit(new Event('retry', { text: 'until 5', payload: { limit: true } }))(self);
        emit(new Event('retry', { text: 'again', payload: {} }))(self);
      },
    });
    await expect.poll(() => notes.length).toBe(4);
    server.close();
    const run_ = runtime.runId;
    expect(notes).toEqual(
      expect.arrayContaining([
        { event: 'question', run: run_, step: 'work', text: 'Which port?\n1. 80\n2. 81' },
        { event: 'budget', run: run_, step: 'work', text: 'nearly spent' },
        { event: 'limit', run: run_, step: 'work', text: 'until 5' },
        {
          event: 'ended',
          run: run_,
          step: null,
          text: 'How it ended: a step did not pass\nWhat was verified: not achieved\nReason: no Mac',
        },
      ]),
    );
  });

  it('and a failure of that is told once, also when it is known after the end', async () => {
    const { runtime } = await run({ notify: 'false' });
    await expect.poll(() => runtime.events.filter(({ payload }) => payload.notify_failed).length).toBe(1);
    const log = runtime.books?.events(runtime.runId ?? '').events ?? [];
    expect(log.at(-1)?.text).toBe('run_ended');
  });
});

/** The channel of the workflow that runs on this runtime. */
function channelIn(runtime: FakeRuntime): HumanChannel | null | undefined {
  return runtime.calls.at(-1)?.options.channel;
}
