import { describe, expect, it } from 'vitest';
import type { EventRow, ManifestRow, RunRecord } from '../books/types.js';
import { type RunFacts, runState } from './runState.js';
import { stateLines } from './stateLines.js';

const START = 1_800_000_000;
const run: RunRecord = { run: 'r1', epoch: 0, startedAt: START, endedAt: null, outcome: null, limitUntil: null };
const holder = { pid: 4711, startedAt: START };
const row = (cost_usd: number) => ({ step: 'work', run: 'r1', cost_usd }) as ManifestRow;

let seq = 0;
function event(kind: string, more: Partial<EventRow> = {}): EventRow {
  seq += 1;
  return { seq, at: START + seq, step: 'work', kind, text: '', tool: '', payload: {}, ...more };
}

const started = event('system', {
  step: '',
  text: 'run_started',
  payload: { run: 'r1', flow: 'starter', workspace: '/w', run_dir: '/w/runs' },
});
const worker = { subagent: true, agent_id: 'a1', agent_type: 'coder' };
const WORKING = [
  started,
  event('step', { text: 'work', payload: { index: 3, total: 3 } }),
  event('text', { text: 'One worker.', payload: { subagent: false, context: 36_800 } }),
  event('task', {
    payload: { kind: 'TaskStartedMessage', task_id: 'a1', agent_type: 'coder', description: 'write it' },
  }),
  event('tool_call', { tool: 'Bash', payload: { ...worker, input: { command: 'npm test' } } }),
  event('task', {
    text: 'Verdict 1',
    payload: {
      verdict: 'not_yet',
      reason: 'no tests',
      items: [
        { number: 2, state: 'failed' },
        { number: 1, state: 'met' },
      ],
    },
  }),
  event('text', { step: 'work#round2', payload: { subagent: false, context: 40_000 } }),
];

const facts = (more: Partial<RunFacts> = {}): RunFacts => ({
  runDir: '/w/runs',
  run,
  holder,
  events: WORKING,
  rows: [row(1.5), row(0.25)],
  totalUsd: 4.75,
  budgetUsd: 10,
  mail: 2,
  request: 'A tool that counts words',
  limits: { rounds: 3, window: 200_000, at: 150_000 },
  now: START + 100,
  ...more,
});
const lines = (given: RunFacts, locale: 'en' | 'zh' = 'en', command: string | null = 'flower') =>
  stateLines(runState(given), { columns: 100, color: false, locale, command, now: given.now });

const asked = event('ask', {
  text: 'Which port?',
  payload: {
    id: 'q1',
    state: 'asked',
    options: ['80', '81'],
    asked_at: START + 70,
    timeout_s: 60,
    default: '80',
    remaining: 2,
    from: { role: 'clarify' },
  },
});
const outcome = { ended: 'failed', claimed: true, verified: 'not_yet', reason: 'no tests' } as const;
const ended = { ...run, endedAt: START + 90, outcome };

describe('the state of a run directory (C34.2)', () => {
  it.each<[string, Partial<RunFacts>]>([
    ['none', { run: null, holder: null, events: [] }],
    ['running', {}],
    ['running', { run: null, events: [] }],
    ['waiting', { events: [...WORKING, asked] }],
    ['waiting', { events: [...WORKING, event('retry', { payload: { until: START + 500, network: true } })] }],
    ['waiting', { events: [...WORKING, event('retry', { payload: { until: START + 500, limit: true } })] }],
    ['running', { events: [...WORKING, event('retry', { payload: { step: 'work', attempt: 1 } })] }],
    [
      'running',
      { events: [...WORKING, asked, event('ask', { payload: { id: 'q1', state: 'answered', answer: '81' } })] },
    ],
    ['left', { holder: null }],
    ['ended', { holder: null, run: ended }],
    ['ended', { holder: null, run: { ...ended, outcome: null } }],
  ])('%s (%#)', (state, more) => {
    expect(runState(facts(more)).state).toBe(state);
  });

  it('C34.4: has every key, and what is known of a run that works', () => {
    const { workspace: _w, ...rest } = runState(facts({ events: [...WORKING, asked] }));
    expect(rest).toEqual({
      schema: 1,
      state: 'waiting',
      run_dir: '/w/runs',
      run: 'r1',
      pid: 4711,
      since: START,
      request: 'A tool that counts words',
      step: 'work',
      round: 1,
      rounds: 3,
      elapsed_s: 100,
      spent_usd: 1.75,
      total_usd: 4.75,
      budget_usd: 10,
      context: 40_000,
      window: 200_000,
      at: 150_000,
      workers: [
        {
          agent_id: 'a1',
          role: 'coder',
          description: 'write it',
          tool: 'Bash',
          text: 'npm test',
          since: expect.any(Number),
        },
      ],
      asks: [
        {
          id: 'q1',
          question: 'Which port?',
          options: ['80', '81'],
          state: 'asked',
          from: { role: 'clarify' },
          asked_at: START + 70,
          timeout_at: START + 130,
          default: '80',
          remaining: 2,
        },
      ],
      mail: 2,
      waiting: null,
      verdict: { state: 'not_yet', reason: 'no tests', items: expect.any(Array) },
      last_event: { seq: asked.seq, at: asked.at, kind: 'ask' },
      outcome: null,
    });
    expect(runState(facts()).round).toBe(2);
  });

  it('a run that is over has no open question and no worker', () => {
    const state = runState(facts({ holder: null, run: ended, events: [...WORKING, asked] }));
    expect([state.asks, state.workers, state.waiting, state.pid]).toEqual([[], [], null, null]);
    expect(state.outcome).toEqual({ ...outcome, exit: 3, at: START + 90 });
    expect(state.elapsed_s).toBe(90);
  });

  it('without a goal there are no rounds', () => {
    expect(runState(facts({ limits: { rounds: null, window: null, at: null } }))).toMatchObject({
      round: null,
      rounds: null,
    });
  });
});

describe('as a person reads it (C34.3)', () => {
  it('while it works', () => {
    const shown = lines(facts({ events: [...WORKING, asked] })).map((line) =>
      line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'DATE'),
    );
    expect(shown).toEqual([
      'waiting (PID 4711, since DATE)',
      '  - goal: A tool that counts words',
      '  - work · round 1 of 3 · 1:40',
      '  - $1.75 · $4.75/10.00',
      '  - [##........] 40.0K/150.0K',
      expect.stringMatching(/^ {2}\| coder · write it · Bash npm test · 1:\d\d$/),
      '  ? waits for your answer (0:30): Which port?',
      '  - 2 messages not taken yet; they will be delivered',
      '  - latest verdict: not met; failed: 2',
      expect.stringMatching(/^ {2}- last event: ask, 1:\d\d ago$/),
    ]);
  });

  it('what was left says how to go on, what is done does not', () => {
    expect(lines(facts({ holder: null })).at(-1)).toBe('  - to go on: flower');
    expect(lines(facts({ holder: null, run: ended })).at(-1)).toBe('  - to go on: flower');
    const done = { ...ended, outcome: { ...outcome, ended: 'finished', verified: 'achieved' } as const };
    expect(lines(facts({ holder: null, run: done })).join('\n')).not.toContain('to go on');
  });

  it('in Chinese', () => {
    expect(lines(facts({ run: null, holder: null, events: [] }), 'zh')).toEqual(['这里还没跑过什么(/w/runs)']);
    expect(lines(facts({ holder: null }), 'zh')[0]).toBe('! 上一次没有正常结束(进程已经不在)');
  });

  it('words of a model cannot draw on the screen', () => {
    const evil = event('ask', { text: 'a\u001b[2Jb', payload: { id: 'q2', state: 'asked', options: [] } });
    expect(lines(facts({ events: [...WORKING, evil] })).join('\n')).not.toContain('\u001b');
  });
});

it('names the ceiling and what was spent here, once the budget is used up', () => {
  const ended: RunRecord = {
    ...run,
    endedAt: START + 50,
    outcome: { ended: 'budget_exhausted', claimed: false, verified: 'not_judged', reason: '' },
  };
  const shown = lines(facts({ run: ended, holder: null, totalUsd: 10.25 })).join('\n');
  expect(shown).toContain('the budget of $10.00 is used up ($10.25 spent)');
});
