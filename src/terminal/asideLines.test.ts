import { expect, it } from 'vitest';
import { asideLines } from './asideLines.js';

const screen = { columns: 80, color: false, locale: 'en' } as const;

it.each([
  [
    { text: 'Half of it.\u001b[2J\n\nThe rest is open.', costUsd: 0.0213 },
    ['', '# side question', '  Half of it.', '  The rest is open.', '  ($0.0213; the run was not disturbed)'],
  ],
  [{ text: ' ', costUsd: 0 }, ['', '# side question', '  (no answer)', '  ($0.0000; the run was not disturbed)']],
  [{ failed: { kind: 'Error', message: 'no\nnetwork' } }, ['# side question failed: Error: no', '  network']],
])('C17.4: %j', (answer, lines) => {
  expect(asideLines(answer, screen)).toEqual(lines);
});
