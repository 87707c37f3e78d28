import { describe, expect, it } from 'vitest';
import { type Closing, closingLines, exitCodeOf, type RunOutcome } from './closing.js';

const outcome = (
  ended: RunOutcome['ended'],
  claimed: boolean,
  verified: RunOutcome['verified'],
  reason: string | null = null,
) => ({
  ended,
  claimed,
  verified,
  reason,
});
const close = (closing: Partial<Closing> & Pick<Closing, 'outcome'>, locale: 'en' | 'zh' = 'en') =>
  closingLines(
    { spentUsd: 0.5, manifest: '/w/runs/manifest.json', ...closing },
    { columns: 100, color: false, locale },
  );

describe('exit codes (C25.3, Z134)', () => {
  it.each([
    ['interrupted', true, 'achieved', 130],
    ['budget_exhausted', true, 'not_yet', 5],
    ['aborted', false, 'unreachable', 4],
    ['finished', true, 'unreachable', 4],
    ['failed', true, 'not_yet', 3],
    ['aborted', true, 'not_yet', 3],
    ['finished', true, 'achieved', 0],
    ['finished', true, 'accepted', 0],
    ['finished', true, 'not_judged', 0],
    ['finished', false, 'not_judged', 0],
    ['failed', false, 'not_judged', 6],
    ['failed', false, 'not_yet', 6],
    ['aborted', false, 'not_judged', 6],
    ['failed', true, 'not_judged', 6],
  ] as const)('%s, claimed %s, %s: %i', (ended, claimed, verified, code) => {
    expect(exitCodeOf(outcome(ended, claimed, verified))).toBe(code);
  });
});

describe('closing lines (C25, D3.11, D5.10)', () => {
  const items = [{ state: 'met' }, { state: 'failed' }, { state: 'unverifiable' }];

  it.each<[string, Partial<Closing> & Pick<Closing, 'outcome'>, string[], string[]]>([
    [
      'achieved',
      { outcome: outcome('finished', true, 'achieved'), items: items.slice(0, 1) },
      ['+ Achieved: the item is checked, with evidence'],
      ['+ 达成:1 条都核对过,条条有证据'],
    ],
    [
      'accepted',
      { outcome: outcome('finished', true, 'accepted'), items },
      ['+ Accepted by you: 2 items failed or could not be verified'],
      ['+ 你接受了这个结果:2 条没过或没能验证'],
    ],
    [
      'not judged',
      { outcome: outcome('finished', true, 'not_judged') },
      ['+ Finished; nobody checked the result'],
      ['+ 跑完了 —— 没有人核对过结果'],
    ],
    [
      'clarified',
      { outcome: outcome('finished', false, 'not_judged'), clarified: '/w/b.md' },
      ['+ Brief confirmed: /w/b.md'],
      ['+ 需求已确认:/w/b.md'],
    ],
    ['once', { outcome: outcome('finished', true, 'not_judged'), once: true }, [], []],
    [
      'once, failed',
      { outcome: outcome('failed', false, 'not_judged', 'no such model'), once: true, step: 'ad-hoc' },
      ['x failed: no such model'],
      ['x 没跑成:no such model'],
    ],
    [
      'once, its budget used up',
      { outcome: outcome('budget_exhausted', false, 'not_judged', 'budget'), once: true, budgetUsd: 0.3 },
      ['x failed: the budget of $0.30 is used up ($0.50 spent); stopped, everything is saved'],
      ['x 没跑成:预算 $0.30 用完(已用 $0.50),已停下,进度都已存盘'],
    ],
    [
      'not achieved',
      { outcome: outcome('failed', true, 'not_yet', '2: no tests'), items },
      ['! Not achieved: 1 item failed', '  reason: 2: no tests'],
      ['! 没有达成:1 条没过', '  原因:2: no tests'],
    ],
    [
      'not achieved, as nobody could read a verdict',
      { outcome: outcome('failed', true, 'not_yet', 'no verdict') },
      ['! Not achieved: no verdict on the items could be read', '  reason: no verdict'],
      ['! 没有达成:没有读得出来的逐条判定', '  原因:no verdict'],
    ],
    [
      'needs a person',
      { outcome: outcome('aborted', true, 'unreachable', 'no GPU') },
      ['! Stopped: a person has to decide', '  reason: no GPU'],
      ['! 停下了,要人来定', '  原因:no GPU'],
    ],
    [
      'budget used up',
      { outcome: outcome('budget_exhausted', false, 'not_judged'), budgetUsd: 1, budgetSpentUsd: 1.01 },
      [
        '! the budget of $1.00 is used up ($1.01 spent); stopped, everything is saved',
        '  to go on, run the same command with a higher --budget',
      ],
      [
        expect.stringMatching(/^! .*1\.00.*1\.01|^! .*1\.01.*1\.00/) as string,
        '  要接着来,就带上更大的 --budget 再跑一次同样的命令',
      ],
    ],
    [
      'interrupted',
      { outcome: outcome('interrupted', false, 'not_judged', 'by a person') },
      ['! Interrupted, progress is saved; run the same command again to go on'],
      ['! 已打断,进度已存盘;再跑一次同样的命令就接着来'],
    ],
    [
      'a step failed',
      { outcome: outcome('failed', false, 'not_judged', 'boom'), step: 'set-goal' },
      ["x stopped at step 'set goal'", '  reason: boom'],
      ["x 在步骤 '设定目标' 中止", '  原因:boom'],
    ],
    [
      'the brief is not complete',
      { outcome: outcome('failed', false, 'not_judged'), step: 'clarify', briefMissing: ['Goal', 'Boundaries'] },
      ["x stopped at step 'clarify'", '  the brief still lacks: Goal · Boundaries'],
      ["x 在步骤 '确认需求' 中止", '  需求还缺:Goal · Boundaries'],
    ],
  ])('%s', (_name, closing, en, zh) => {
    expect(close(closing, 'en').outcome).toEqual(en);
    expect(close(closing, 'zh').outcome).toEqual(zh);
  });

  it('says what was spent, and what of it is special', () => {
    const { money } = close({
      outcome: outcome('finished', true, 'achieved'),
      spentUsd: 1.23456,
      asideUsd: 0.01,
      totalUsd: 9,
      estimated: true,
    });
    expect(money).toEqual([
      'spent $1.2346 · manifest /w/runs/manifest.json',
      'side questions $0.0100 of it',
      '$9.0000 in this directory so far',
      'part of it is estimated (a killed attempt, from its usage, or a model without a list price)',
    ]);
  });

  it('names no manifest if nothing was run', () => {
    expect(close({ outcome: outcome('interrupted', false, 'not_judged'), manifest: null }).money).toEqual([
      'no step was run this time',
    ]);
  });
});
