import { describe, expect, it } from 'vitest';
import { Event, type EventInit, type EventKind } from '../events/event.js';
import { Progress, type ProgressOptions } from './progress.js';
import { columnsOf } from './width.js';
import { Workers } from './workers.js';

function run(options: Partial<ProgressOptions> = {}) {
  const workers = new Workers();
  const progress = new Progress({ workers, locale: 'en', color: false, ...options });
  let now = 0;
  return {
    progress,
    wait: (seconds: number) => {
      now += seconds * 1000;
    },
    event: (kind: EventKind, init: EventInit = {}) => {
      workers.event(new Event(kind, init), now);
      progress.event(new Event(kind, init), now);
    },
    rows: (columns = 80, height = 24) => progress.rows(columns, height, now),
  };
}
const started = (task_id: string, description = 'write it') => ({
  payload: { kind: 'TaskStartedMessage', task_id, agent_type: 'coder', description },
});

describe('progress rows (C37)', () => {
  it('shows nothing before anything happens', () => {
    expect(run().rows()).toEqual([]);
  });

  it('the first row: step, its time, money, how full the context is up to the handoff', () => {
    const { event, wait, rows } = run({ threshold: () => ({ at: 950_000, warnAt: 930_000 }), budgetUsd: () => 5 });
    event('step', { text: 'set-goal', payload: { index: 2, total: 3 } });
    expect(rows()).toEqual(['  - set goal · 0:00 · $0.00/5.00']);
    wait(75);
    event('result', { payload: { spent_usd: 1.234 } });
    event('text', { payload: { subagent: false, context: 380_000 } });
    event('text', { payload: { subagent: true, agent_id: 'a1', context: 900_000 } });
    expect(rows()[0]).toBe('  - set goal · 1:15 · $1.23/5.00 · [####......] 380.0K/950.0K');
    event('handoff', { payload: { phase: 'done' } });
    expect(rows()[0]).toBe('  - set goal · 1:15 · $1.23/5.00');
  });

  it('leaves out parts from the right that do not fit', () => {
    const { event, rows } = run({ threshold: () => ({ at: 100, warnAt: 90 }) });
    event('step', { text: 'work', payload: {} });
    event('text', { payload: { context: 95 } });
    expect(rows(30)[0]).toBe('  - work · 0:00 · $0.00');
    expect(rows(18)[0]).toBe('  - work · 0:00');
    expect(rows(9)[0]).toBe('  - work');
  });

  it('a row for each live worker, at most four, with the time it has been quiet', () => {
    const { event, wait, rows } = run();
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) event('task', started(id, `part ${id}`));
    wait(61);
    event('tool_call', { tool: 'Bash', payload: { subagent: true, agent_id: 'a1', input: { command: 'npm\ntest' } } });
    expect(rows().slice(1)).toEqual([
      '  | coder #1 · part a1 · Bash npm test · 1:01',
      '  | coder #2 · part a2 · 1:01 · quiet for 1:01',
      '  | coder #3 · part a3 · 1:01 · quiet for 1:01',
      '  | coder #4 · part a4 · 1:01 · quiet for 1:01',
      '  | …and 2 more',
    ]);
    expect(rows(80, 7)).toHaveLength(1);
    event('task', { payload: { kind: 'TaskNotificationMessage', task_id: 'a1', status: 'completed' } });
    expect(rows()[1]).toContain('coder #2');
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['a usage limit', { limit: true }, /^ {2}- usage limit, going on in 1:30 \(\d\d:\d\d\)$/],
    ['a dead network', { network: true }, /^ {2}- network away for 0:30, waiting at most 2:00$/],
    ['a retry', {}, /^ {2}- trying again in 1:30$/],
  ])('%s takes the first row, until the main thread goes on', (_name, payload, row) => {
    const { event, wait, rows } = run();
    event('step', { text: 'work' });
    event('retry', { text: 'x', payload: { ...payload, until: 120 } });
    wait(30);
    event('text', { payload: { subagent: true, agent_id: 'a1' } });
    expect(rows()[0]).toMatch(row);
    event('retry', { text: 'back again', payload: {} });
    expect(rows()[0]).toBe('  - work · 0:30 · $0.00');
  });

  it('an interrupt: stopping, then paused, then as before', () => {
    const { event, progress, rows } = run();
    event('step', { text: 'work' });
    progress.interrupt(true);
    expect(rows()).toEqual(['  - stopping…']);
    event('result', { text: 'success', payload: { terminal_reason: 'hook_stopped' } });
    expect(rows()).toEqual(['  - paused, waiting for your words']);
    progress.interrupt(false);
    expect(rows()[0]).toMatch(/^ {2}- work/);
  });

  it('never exceeds the screen', () => {
    const { event, rows } = run({ threshold: () => ({ at: 100, warnAt: 90 }) });
    event('step', { text: '确认需求'.repeat(20) });
    event('task', started('a1', '字'.repeat(200)));
    for (let columns = 0; columns < 90; columns++) {
      for (const row of rows(columns)) expect(columnsOf(row)).toBeLessThan(Math.max(1, columns));
    }
  });
});
