import { expect, it } from 'vitest';
import { reportLines } from './reportLines.js';

const screen = { columns: 40, color: false, path: '/w/.flower/notes/report.md' } as const;

it('C25.5: shows each item with its state on one cut line, and of the rest how much there is', () => {
  const report = {
    items: [
      { number: 1, item: 'prints three lines, count and word, the most frequent first', state: 'met' },
      { number: 2, item: 'runs on macOS', state: 'unverifiable' },
      { number: 3, item: 'tests pass', state: 'failed' },
      { number: 4, item: 'fast', state: 'unchecked' },
    ],
    unverified: ['2. runs on macOS'],
    assumed: 'Digits count as words.\n\nOrder is alphabetical.',
    left: [],
  } as const;
  expect(reportLines(report, { ...screen, locale: 'en' })).toEqual([
    '  + 1. met: prints three lines, count...',
    '  ! 2. unverifiable: runs on macOS',
    '  x 3. failed: tests pass',
    '  - 4. not checked yet: fast',
    '  - Could not be verified: 1',
    '  - Assumed: 2',
    '  - report written to',
    '    /w/.flower/notes/report.md',
  ]);
});

it('says nothing of what is not there', () => {
  const report = { items: [], unverified: [], assumed: '', left: [] };
  expect(reportLines(report, { ...screen, path: null, locale: 'zh' })).toEqual([]);
});
