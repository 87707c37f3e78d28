import { describe, expect, it } from 'vitest';
import { describeWorktree } from './describeWorktree.js';
import type { WorktreeFindings, WorktreeReport, WorktreeState } from './inspectWorktree.js';

const findings: WorktreeFindings = {
  files: [],
  ignored: [],
  commits: 0,
  operations: [],
  processes: [],
  submodules: [],
  hasSubmodules: false,
};
const report = (
  state: WorktreeState,
  found: Partial<WorktreeFindings> = {},
  lock: string | null = null,
): WorktreeReport => ({
  path: '/p',
  branch: 'b',
  head: 'h',
  lock,
  state,
  findings: { ...findings, ...found },
});

describe('describeWorktree', () => {
  it.each([
    [report('unmerged', { commits: 2 }), '2'],
    [report('unsaved', { files: ['a.txt'], ignored: ['.env'], submodules: ['lib'] }), 'a.txt, lib, .env'],
    [report('unsaved', { files: Array.from({ length: 20 }, (_, i) => `f${i}`) }), 'f5, …'],
    [report('busy', { operations: ['MERGE_HEAD'], processes: [42] }, 'mine'), 'mine'],
    [report('busy', { processes: [42] }), '42'],
  ])('names what it holds', (given, part) => {
    for (const locale of ['en', 'zh'] as const) expect(describeWorktree(given, { locale })).toContain(part);
  });

  it('has words for every state', () => {
    const states: WorktreeState[] = ['clean', 'missing', 'unmerged', 'unsaved', 'busy', 'unknown'];
    expect(new Set(states.map((state) => describeWorktree(report(state)))).size).toBe(states.length);
  });
});
