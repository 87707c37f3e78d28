import { describe, expect, it } from 'vitest';
import { Verdict } from './verdict.js';

type State = Verdict['state'];

/** Replies of judges as they come, with the only ruling that may be read from each. */
const replies: readonly (readonly [state: State, reply: string])[] = [
  // A conclusion in its section, in the styles of models.
  ['achieved', '结论:达成'],
  ['achieved', '结论：已达成。'],
  ['achieved', '# 结论\n达成\n\n# 理由\n四条都跑过了'],
  ['achieved', '**结论**：达成'],
  ['achieved', '结论 达成'],
  ['achieved', '判定:达成,全部检查都通过'],
  ['achieved', '## 1. 结论\n\n**达成**'],
  ['achieved', 'Conclusion: met'],
  ['achieved', 'Conclusion: achieved, it works now'],
  ['achieved', '## Conclusion\n\nmet\n\n## Reason\nall four items were run; nothing is open, not even the docs'],
  ['achieved', 'Verdict achieved'],
  ['achieved', '**Verdict:** Achieved.'],
  ['achieved', '### ✅ Verdict: achieved'],
  ['achieved', '1. Verdict: done'],
  ['achieved', 'Judgement\n=========\nmet'],
  ['achieved', '```markdown\n# Conclusion\nmet\n```'],
  ['not_yet', '结论:未达成'],
  ['not_yet', '结论: 没有达成'],
  ['not_yet', '结论:尚未达成,还差两条'],
  ['not_yet', '结论:部分达成'],
  ['not_yet', '结论:目标没有全部达成'],
  ['not_yet', '结论:离达成还差一步,没有完全达成'],
  ['not_yet', '结论:基本达成'],
  ['not_yet', '结论:达成了一半'],
  ['not_yet', '结论:修好之后才能达成'],
  ['not_yet', '结论:并非已达成'],
  ['not_yet', '# 结论\n未达成'],
  ['not_yet', 'Conclusion: not met'],
  ['not_yet', 'Conclusion: not achieved'],
  ['not_yet', 'Conclusion: not_yet'],
  ['not_yet', 'Conclusion: not-yet'],
  ['not_yet', 'Verdict: partially achieved'],
  ['not_yet', "Verdict: the goal isn't fully met"],
  ['not_yet', 'Verdict: it isn’t achieved'],
  ['not_yet', 'Verdict: almost done'],
  ['not_yet', 'Verdict: not done'],
  ['not_yet', 'Verdict: mostly met'],
  ['not_yet', 'Verdict: met, but no test was run'],
  ['not_yet', 'Verdict: 3 of 5 met'],
  ['not_yet', 'Verdict: achieved: 80 %'],
  ['not_yet', 'Verdict: achieved?'],
  ['not_yet', 'Verdict: would be achieved if the token were renewed'],
  ['not_yet', 'Verdict: achieved except item 3'],
  ['not_yet', 'Verdict: cannot be said to be achieved'],
  ['not_yet', 'Conclusion: no'],
  ['not_yet', 'Conclusion: incomplete'],
  ['not_yet', 'Conclusion: not yet, the rest cannot be verified here'],
  ['unreachable', 'Conclusion: the rest cannot be verified here, so not yet'],
  ['unreachable', '# 结论\n无法达成'],
  ['unreachable', '结论:无法验证'],
  ['unreachable', '结论:这几条在这里验证不了'],
  ['unreachable', 'Conclusion: unreachable'],
  ['unreachable', 'Conclusion: cannot be verified here'],
  ['unreachable', 'Conclusion: can’t be verified here'],
  ['unreachable', 'Conclusion: impossible on this machine'],
  ['unreachable', 'Verdict: partially achieved; the device test is unverifiable'],
  // Digits and single words.
  ['achieved', '1'],
  ['achieved', ' true\n'],
  ['achieved', 'Conclusion: 1'],
  ['not_yet', '0'],
  ['not_yet', 'False'],
  ['not_yet', 'Conclusion: **0**'],
  ['achieved', '**Achieved.**\n\nEverything was run.'],
  ['achieved', 'Everything was run.\n\n达成'],
  // Nothing that can be relied on.
  ['', ''],
  ['', '看起来应该可以吧'],
  ['', '应该达成了,我觉得'],
  ['', 'check 1 fails'],
  ['', 'I think it is done, yes and more'],
  ['', 'Now I know what was meant.'],
  ['', 'Conclusion: achieved / not yet / unverifiable'],
  ['', '结论:达成 / 未达成 / 无法达成'],
  ['', 'Conclusion:'],
  ['', '# Conclusion\n(empty)\n\n# Reason\nnot met, I would say'],
  ['', '> Conclusion: achieved'],
  ['', '```\nConclusion: achieved\n```\nis what a good one looks like.'],
  ['', '# Conclusion\n```\nachieved\n```'],
  ['', '# Conclusion\n> achieved'],
  ['', '- Verdict: achieved'],
  ['', 'Verdict: ```'],
  // Two conclusions: the last one that says something.
  ['not_yet', 'Conclusion: achieved\n\nConclusion: not met'],
  ['achieved', 'Conclusion: not met\n\nI looked again.\n\nConclusion: met'],
  ['achieved', 'Conclusion: met\n\n## Conclusion\n(none)'],
  // Items beat the conclusion.
  ['not_yet', 'Conclusion: met\n# Item by item\n1. met: ran it\n2. failed: no output'],
  ['not_yet', '# 结论\n达成\n# 逐条核对\n1. 达成: 跑过\n2. 未通过: 没有输出'],
  ['not_yet', '# Item by item\n1. met: ran it\n2. failed: no output'],
  ['not_yet', 'Conclusion: unreachable\n# Item by item\n1. failed: x\n2. unverifiable: no device'],
  ['unreachable', 'Conclusion: met\n# Item by item\n1. met: ran it\n2. unverifiable: no device'],
  ['unreachable', '结论:达成\n逐条核对:\n1. 达成: 跑过\n2. 无法验证: 没有设备'],
  ['achieved', 'Conclusion: met\n# Item by item\n1. met: ran it\n2. passed: saw it'],
  ['', '# Item by item\n1. met: ran it'],
];

describe('what is read from a reply of a judge', () => {
  it('holds at least 60 replies', () => {
    expect(replies.length).toBeGreaterThanOrEqual(60);
  });

  it.each(replies)('%j: %j', (state, reply) => {
    expect(Verdict.parse(reply).state).toBe(state);
  });

  it('is never "achieved" by mistake', () => {
    const wrong = replies.filter(([state, reply]) => state !== 'achieved' && Verdict.parse(reply).achieved);
    expect(wrong).toEqual([]);
  });

  it.each(replies)('%j in the same words with other line ends, marks and case: %j', (state, reply) => {
    expect(Verdict.parse(reply.replaceAll('\n', '\r\n')).state).toBe(state);
    expect(Verdict.parse(`\uFEFF${reply}\n\n`).state).toBe(state);
    expect(Verdict.parse(reply.toUpperCase()).state).toBe(state);
  });
});

describe('C21 the word is in the reply, the verdict is another', () => {
  it.each<[number, State, string]>([
    [1, 'not_yet', 'At first sight this looks achieved, but the export was never run.\n\nVerdict: not yet'],
    [2, 'not_yet', 'Verdict: **Not achieved.** Two tests fail.'],
    [3, 'achieved', 'The earlier verdict "not yet" no longer holds: all tests pass now.\n\n**Verdict**: achieved'],
    [4, 'achieved', 'verdict：achieved (with the reservations above)'],
    [5, 'achieved', '## Verdict\n\n`achieved`'],
    [6, 'unreachable', 'I can\'t say "achieved" without network access, so: unverifiable'],
    [7, '', '{"verdict":"false","reason":"wrong file"}'],
    [8, '', '## Analysis\n- criterion 1: ✓\n- criterion 2: ✓'],
    [9, 'not_yet', 'Verdict: achieved\n...\nVerdict: not yet'],
    [10, 'not_yet', '> Verdict: achieved\n\n(quoted from the last round)\nVerdict: not yet'],
    [11, '', 'To finish, the worker must write "Verdict: achieved" on the last line.'],
    [12, 'not_yet', '```\nVerdict: achieved\n```\nis what a good report looks like. Mine: not yet.'],
    [13, '', 'Verdict: achieved / not yet / unverifiable'],
    [14, '', 'Verdict: achived'],
  ])('C21.%i', (_, state, reply) => {
    const verdict = Verdict.parse(reply);
    expect(verdict.state).toBe(state);
    expect(verdict.ok).toBe(state !== '');
  });
});
