import { expect, it } from 'vitest';
import { Verdict } from '../documents/verdict.js';
import { verdictEvent } from './verdictEvent.js';

it('a judge that quotes a whole log does not flood the screen; all of it is in the payload', () => {
  const log = 'line of a log\n'.repeat(500);
  const verdict = new Verdict({
    state: 'not_yet',
    reason: log,
    items: [{ number: 1, state: 'failed', evidence: log }],
  });
  const event = verdictEvent(verdict, 2, 'en');
  const [head = '', item = '', ...more] = event.text.split('\n');
  expect(more).toEqual([]);
  expect(head).toMatch(/^Verdict 2: not met\. line of a log .*\.\.\.$/);
  expect(head.length).toBeLessThan(1_300);
  expect(item).toMatch(/^ {2}1\. failed: line of a log .*\.\.\.$/);
  expect(item.length).toBeLessThan(350);
  expect(event.payload).toMatchObject({ reason: log, items: [{ evidence: log }] });
});
