import { expect, it } from 'vitest';
import type { RunReport } from './report.js';
import { reportMarkdown } from './reportMarkdown.js';

it('holds no escape sequence, control character or turned text of a model', () => {
  const hostile = 'a\u001b[2Jb\u001b]0;owned\u0007c\u0000d\re\u202ef\u009b31mg';
  const report: RunReport = {
    outcome: { ended: 'finished', claimed: true, verified: 'achieved', reason: hostile },
    asked: hostile,
    said: [hostile],
    work: hostile,
    items: [{ number: 1, item: hostile, state: 'met', evidence: hostile }],
  } as never;
  const defaults = {
    unverified: [hostile],
    assumed: hostile,
    look: [hostile],
    left: [],
    cost: [],
    changes: [],
    totalUsd: 0,
    itemsAreOld: false,
  };
  const markdown = reportMarkdown({ ...defaults, ...report }, 'en');
  expect(markdown).toContain('abcdefg');
  expect(markdown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
});
