import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Books } from '../../src/books/books.js';
import { Event } from '../../src/events/event.js';
import { Aside } from '../../src/runtime/aside.js';
import { call, fail, type Reply, type Script, type SimRequest, say, stall, turns } from '../../src/sim/index.js';
import { starterFlow } from '../../src/workflow/starterFlow.js';
import { type OneStep, oneStep } from '../support/oneStep.js';
import { smallestRun } from '../support/scripts.js';

let at: OneStep | undefined;
let aside: Aside | undefined;
afterEach(async () => {
  await aside?.end(0);
  await at?.close();
});

const settingsOf = ({ sim }: OneStep) => ({ ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'sk-fake' });
const asked = (words: string) =>
  at?.sim.requests.filter((request) => request.kind === 'message' && request.prompt.startsWith(words)) ?? [];
const rowsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as { step: string; attempts: number }[];
const stepsIn = (path: string) => rowsIn(path).map(({ step }) => step);

/** A Runtime that does nothing itself, and somebody to ask beside it. */
async function beside(script: Script, options: Parameters<typeof oneStep>[1] = {}): Promise<Aside> {
  at = await oneStep(script, options);
  aside = new Aside(at.runtime, { settings: settingsOf(at) });
  return aside;
}

describe('a side question', () => {
  it('leaves transcript and manifest of the run as they are, and its cost is in the total under its own name (A3)', async () => {
    const answers: unknown[] = [];
    const questions: Promise<void>[] = [];
    let ask: (question: string) => void = () => {};
    at = await oneStep(
      smallestRun({
        worker: turns([
          () => {
            ask('What is it doing?');
            ask('What is the goal?');
            return call('Bash', { command: 'printf hello > hello.txt', description: 'Write' });
          },
          say('Conclusion: there.'),
        ]),
        oracle: turns([
          (request) =>
            call('Read', { file_path: `${/The workbench is (\S+)\./.exec(request.prompt)?.[1]}/notes/goal.md` }),
          (request) => say(`${request.prompt.split('\n')[0]} ${request.results[0]?.text.includes('hello.txt')}`),
        ]),
      }),
    );
    const { workspace, runDir } = at;
    const flow = starterFlow('Write hello.', { workspace, runDir, timeoutS: 0, locale: 'en' });
    const runtime = at.again({ workbench: flow.workbench ?? false });
    const beside = new Aside(runtime, { settings: settingsOf(at) });
    aside = beside;
    ask = (question) => questions.push(beside.ask(question).then((answer) => void answers.push(answer)));
    const ctx = await flow.run(runtime, { onEvent: beside.hear });
    await Promise.all(questions);
    expect(await beside.end()).toBe(0);

    expect(at.sim.faults).toEqual([]);
    expect(ctx._outcome).toMatchObject({ verified: 'achieved' });
    expect(answers).toEqual(
      expect.arrayContaining([
        { state: 'answered', text: 'What is it doing? true', costUsd: expect.any(Number) },
        { state: 'answered', text: 'What is the goal? true', costUsd: expect.any(Number) },
      ]),
    );
    const [first] = asked('What is it doing?');
    expect(first?.tools.toSorted()).toEqual(['Glob', 'Grep', 'Read']);
    expect(first?.prompt).toMatch(/\[tool_call\/Agent·main\]/);
    expect(first?.prompt).toContain('brief.md');

    const main = at.sim.requests.filter((request) => !request.prompt.startsWith('What is'));
    expect(JSON.stringify(main.map((request) => request.messages))).not.toContain('What is it doing?');
    expect(stepsIn(join(runDir, 'manifest.json'))).toEqual(['clarify', 'set-goal', 'work', 'work·verdict#1']);
    expect(stepsIn(join(runDir, 'aside', 'manifest.json'))).toEqual(['aside', 'aside']);
    expect(beside.costUsd).toBeGreaterThan(0);
    expect(runtime.totalCost() + beside.costUsd).toBeCloseTo(at.sim.meter.total().costUsd, 3);
    const books = Books.peek(runDir);
    expect(books?.spentUsd()).toBeCloseTo(at.sim.meter.total().costUsd, 6);
    books?.close();
  });

  it('is told the latest 60 events, a line each, without what the model thinks and is told', async () => {
    const oracle = await beside(() => say('Fine.'));
    for (let n = 1; n <= 70; n += 1) oracle.hear(new Event('text', { text: `line ${n}\nand more ${'x'.repeat(300)}` }));
    oracle.hear(new Event('thinking', { text: 'hidden thought' }));
    oracle.hear(new Event('prompt', { text: 'hidden prompt' }));
    oracle.hear(new Event('tool_call', { tool: 'Bash', text: 'npm test', payload: { subagent: true } }));
    expect(await oracle.ask('How far?')).toMatchObject({ state: 'answered', text: 'Fine.' });
    const [request] = asked('How far?');
    const lines = request?.prompt.split('\n').filter((line) => line.startsWith('[')) ?? [];
    expect(lines).toHaveLength(60);
    expect(lines[0]).toMatch(/^\[text·main\] line 12 and more x+$/);
    expect(lines[0]?.length).toBeLessThan(220);
    expect(lines.at(-1)).toBe('[tool_call/Bash·subagent] npm test');
    expect(request?.prompt).not.toContain('hidden');
    expect(request?.prompt).toContain('this run has no workbench');
  });

  it('that fails says how, is not tried again, and ends after 12 turns', async () => {
    const oracle = await beside((request) =>
      request.prompt.startsWith('Ever') ? call('Glob', { pattern: `*.${request.turn}` }) : fail(400, 'No such thing.'),
    );
    expect(await oracle.ask('Why?')).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('No such thing'),
    });
    expect(await oracle.ask('Ever?')).toMatchObject({ state: 'failed', kind: 'error_max_turns' });
    expect(asked('Ever?')).toHaveLength(12);
    const rows = rowsIn(join(String(at?.runDir), 'aside', 'manifest.json'));
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  it('draws on the budget of the run, and is off when that is used up', async () => {
    const dear = (): Reply => say('A dear answer.').usage({ output_tokens: 6_000 });
    const oracle = await beside(dear, { runtime: { maxBudgetUsd: 0.2 } });
    expect(await oracle.ask('One?')).toMatchObject({ state: 'answered' });
    expect(await oracle.ask('Two?')).toMatchObject({ state: 'failed', message: 'budget_exhausted' });
    const spent = oracle.costUsd;
    expect(spent).toBeGreaterThan(0.2);
    expect(await oracle.ask('Three?')).toEqual({ state: 'off' });
    expect(oracle.costUsd).toBe(spent);
    const result = await at?.runtime.run(at.spec, 'Work.');
    expect(result).toMatchObject({ ok: false, error: 'budget_exhausted', costUsd: 0 });
  });

  it('D3.12: is waited for at the end of the run; what takes too long is cancelled, and what it spent is booked', async () => {
    const quick = await beside((request: SimRequest) => {
      if (request.prompt.startsWith('Quick')) return say('Here.');
      return request.turn === 0 ? call('Glob', { pattern: '*' }) : stall();
    });
    const answer = quick.ask('Quick?');
    expect(quick.open).toBe(1);
    expect(await quick.end(60)).toBe(0);
    expect(await answer).toMatchObject({ state: 'answered', text: 'Here.' });
    expect(await quick.ask('More?')).toEqual({ state: 'off' });

    if (!at) throw new Error('no step');
    const slow = new Aside(at.runtime, { settings: settingsOf(at) });
    const long = slow.ask('Long?');
    await vi.waitFor(() => expect(asked('Long?')).toHaveLength(2), { timeout: 30_000 });
    expect(await slow.end(0.1)).toBe(1);
    expect(await long).toEqual({ state: 'cancelled', costUsd: expect.any(Number) });
    expect(slow.costUsd).toBeGreaterThan(0.001);
    expect(at.runtime.books.spentUsd()).toBeCloseTo(quick.costUsd + slow.costUsd, 3);
  });

  it('is off without credentials, and leaves nothing behind', async () => {
    at = await oneStep(() => say('Never.'));
    aside = new Aside(at.runtime);
    expect(await aside.ask('Anybody?')).toEqual({ state: 'off' });
    expect(existsSync(join(at.runDir, 'aside'))).toBe(false);
  });
});
