import { describe, expect, it } from 'vitest';
import { Verdict } from './verdict.js';
import { readVerdictItems } from './verdictItems.js';

describe('Verdict.parse', () => {
  it('reads the four sections, and nothing into the list that says none', () => {
    const verdict = Verdict.parse(
      'Conclusion: not met\nReason: the export is missing\n```sh\nls out\n```\nNot passed:\n- export\n- (none)\n- n/a.\n无\nItem by item:\n1. met: `npm test` prints 12 passed\n2) **failed** - no file in out/',
    );
    expect(verdict.toJSON()).toEqual({
      state: 'not_yet',
      reason: 'the export is missing\n```sh\nls out\n```',
      failed: ['export'],
      items: [
        { number: 1, state: 'met', evidence: '`npm test` prints 12 passed' },
        { number: 2, state: 'failed', evidence: 'no file in out/' },
      ],
    });
    expect(Verdict.parse('结论:达成\n未通过:(无)').failed).toEqual([]);
  });

  it('takes a numbered line among the items for an item, never for a heading', () => {
    const verdict = Verdict.parse('# 逐条核对\n1. 达成: 跑过\n2. 未通过: x\n# 理由\ny');
    expect(verdict.items).toEqual([
      { number: 1, state: 'met', evidence: '跑过' },
      { number: 2, state: 'failed', evidence: 'x' },
    ]);
    expect(verdict.failed).toEqual([]);
    expect(verdict.reason).toBe('y');
  });

  it('keeps the text of a reply that cannot be read out of every field', () => {
    expect(Verdict.parse('no sections here').toJSON()).toEqual({ state: 'not_yet', reason: '', failed: [], items: [] });
    expect(Verdict.parse(null)).toMatchObject({ ok: false, achieved: false, unreachable: false });
  });
});

describe('readVerdictItems', () => {
  it.each([
    ['1. met: ran it', 1, 'met', 'ran it'],
    ['- 2) **met**: ran it', 2, 'met', 'ran it'],
    ['**3. Met:** ran it', 3, 'met', 'ran it'],
    ['- [x] 4. `passed` – ran it', 4, 'met', 'ran it'],
    ['| 5 | met | ran it |', 5, 'met', 'ran it'],
    ['#6: pass', 6, 'met', ''],
    ['Item 7: yes, ran it', 7, 'met', 'ran it'],
    ['第 8 条:达成:跑过', 8, 'met', '跑过'],
    ['9、通过 跑过', 9, 'met', '跑过'],
    ['10. met (ran it)', 10, 'met', '(ran it)'],
    ['11. met: (none)', 11, 'met', ''],
    ['12. met: 3 of 5 files were new', 12, 'met', '3 of 5 files were new'],
    ['13. met no errors in the log', 13, 'met', 'no errors in the log'],
    ['14. not met: x', 14, 'failed', 'x'],
    ['15. not fully met: x', 15, 'failed', 'x'],
    ['16. met only partially', 16, 'failed', 'only partially'],
    ['17. 没有通过:x', 17, 'failed', 'x'],
    ['18. 不通过', 18, 'failed', ''],
    ['19. met / failed: x', 19, 'failed', '/ failed: x'],
    ['20. cannot be verified here: no device', 20, 'unverifiable', 'here: no device'],
    ['21. 无法验证(没有设备)', 21, 'unverifiable', '(没有设备)'],
  ])('%j', (line, number, state, evidence) => {
    expect(readVerdictItems([line])).toEqual([{ number, state, evidence }]);
  });

  it.each([
    'met: ran it',
    '1. ran it',
    '1. the criterion can be met: later',
    '1. Run with no network: met',
    '> 1. met: ran it',
    '1. met / failed / unverifiable',
    '2026-01-02: met',
    '',
  ])('drops %j', (line) => {
    expect(readVerdictItems([line])).toEqual([]);
  });

  it('takes the worse of two with one number', () => {
    const lines = [
      '1. met: a',
      '1. unverifiable: b',
      '1. met: c',
      '2. failed: d',
      '2. unverifiable: e',
      '3. met: f',
      '3. met: g',
    ];
    expect(readVerdictItems(lines).map((item) => item.evidence)).toEqual(['b', 'd', 'f']);
  });
});

describe('Verdict', () => {
  const items = [
    { number: 1, state: 'met', evidence: 'ran it' },
    { number: 2, state: 'met', evidence: 'saw it' },
    { number: 3, state: 'met', evidence: '' },
  ] as const;

  it('lacks what nobody has checked', () => {
    expect(new Verdict({ state: 'achieved', items }).lacking(3)).toEqual([3]);
    expect(new Verdict({ state: 'achieved', items }).lacking(5)).toEqual([3, 4, 5]);
    expect(new Verdict({ items: [{ number: 1, state: 'failed', evidence: 'x' }] }).lacking(1)).toEqual([1]);
    expect(new Verdict().lacking(0)).toEqual([]);
  });

  it('tells the worker what is missing', () => {
    const english = new Verdict(
      { reason: 'no export', failed: ['out/a.csv', 'out/b.csv'] },
      { locale: 'en' },
    ).feedback();
    for (const words of ['no export', '- out/a.csv\n- out/b.csv', 'carry on']) expect(english).toContain(words);
    expect(new Verdict({ reason: '没有导出' }, { locale: 'zh' }).feedback()).toContain('接着做');
    const bare = new Verdict({}, { locale: 'en' }).feedback();
    expect(bare).toContain('(no reason given)');
    expect(bare).not.toContain('- ');
  });

  it('is written in either language and read back under the other', () => {
    const verdict = new Verdict(
      {
        state: 'not_yet',
        reason: 'Reason: x\n1. Reason: y',
        failed: ['a: b'],
        items: [{ number: 2, state: 'failed', evidence: 'b' }],
      },
      { locale: 'zh' },
    );
    expect(verdict.toMarkdown()).toBe(
      '# 结论\n未达成\n\n# 理由\n\\Reason: x\n\\1. Reason: y\n\n# 未通过\n- a: b\n\n# 逐条核对\n2. 未达成: b\n',
    );
    expect(Verdict.parse(verdict.toMarkdown(), { locale: 'en' }).toJSON()).toEqual(verdict.toJSON());
  });
});
