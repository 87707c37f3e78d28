import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Locale } from '../locale/locale.js';
import { Brief } from './brief.js';
import { Goal } from './goal.js';
import { HANDOFF_FIELDS, Handoff } from './handoff.js';
import { oneItem, oneLine } from './items.js';
import type { Ruling } from './ruling.js';
import { cleanField, fieldPieces } from './sections.js';
import { ruled, Verdict } from './verdict.js';

/** Lines that a careless reader takes for something else. */
const trickyLine = fc.constantFrom(
  ...[
    '## Goal',
    '\\## Goal',
    '\\\\## Goal',
    '  ## Goal',
    '  \\## Goal',
    '# 目标',
    '**Goal**: x',
    '**边界**：y',
    '1. Reason: x',
  ],
  ...[
    'Goal',
    'Goal:',
    '下一步',
    '3. Next step',
    '# Item by item',
    'Verdict: achieved',
    '结论:达成',
    '判定 达成',
    'Scene',
    '====',
  ],
  ...[
    '\\Next: x',
    'Conclusion achieved',
    '未通过',
    '`Files`: a',
    '🎯 Goal',
    '## Checklist',
    '- ## Goal',
    '> ## Goal',
    '> quoted',
  ],
  ...[
    '## Added during the run (12:00:01)',
    '\\## 唤醒时追加(09:08:07)',
    '## 运行中补充（01:02:03）',
    '#Goal',
    '一、目标：x',
  ],
  ...[
    '```',
    '```sh',
    '~~~',
    '````',
    '    ```',
    '   ```js',
    '```inline```',
    '---',
    '***',
    '- - -',
    '',
    ' ',
    '\t',
    '- [ ] a',
    '[x] b',
    '1.5 s',
  ],
  ...[
    '(none)',
    '(空)',
    '(not filled in)',
    'none',
    '无',
    '- none',
    '1. met: x',
    '2. 未通过: y',
    '|1|met|z|',
    'a\u2028## Goal',
    '\uFEFF## Goal',
    '\\',
  ],
  ...[
    '<!-- flower sha256=00 -->',
    '- a',
    '* b',
    '-运行',
    '+ c',
    '• d',
    '12) e',
    '3、f',
    '(code block of 13 lines left out)',
    '--',
    'x\r',
    '\r\n## Goal',
  ],
);
const anyLine = fc.oneof(
  { weight: 3, arbitrary: trickyLine },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
);
const anyText = fc.array(anyLine, { maxLength: 9 }).map((lines) => lines.join('\n'));
const anyLocale = fc.constantFrom<Locale>('en', 'zh');
const runs = { numRuns: 1000 };

describe('property: parse(toMarkdown(d)) equals d, whatever the sections hold', () => {
  it('Brief', () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        anyText,
        anyText,
        anyLocale,
        anyLocale,
        (goal, accept, bounds, unknowns, one, other) => {
          const brief = Brief.fromFields({ goal, accept, bounds, unknowns }, { locale: one });
          expect(Brief.parse(brief.toMarkdown(), { locale: other }).toJSON()).toEqual(brief.toJSON());
        },
      ),
      runs,
    );
  });

  it('Goal, its checks with blocks below them', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.array(anyText, { maxLength: 4 }),
        anyLocale,
        anyLocale,
        (statement, texts, one, other) => {
          const checks = texts.map((text) => oneItem(fieldPieces(text, one).pieces)).filter(Boolean);
          const goal = new Goal({ statement: cleanField(statement, one), checks }, { locale: one });
          expect(Goal.parse(goal.toMarkdown(), { locale: other }).toJSON()).toEqual(goal.toJSON());
        },
      ),
      runs,
    );
  });

  it('Handoff', () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        anyText,
        anyText,
        anyLocale,
        anyLocale,
        (doing, decided, next, scene, one, other) => {
          const texts = { doing, decided, deadends: doing, next, scene };
          const fields = Object.fromEntries(HANDOFF_FIELDS.map((field) => [field, cleanField(texts[field], one)]));
          const handoff = new Handoff({ ...fields, step: doing }, { locale: one });
          expect(Handoff.parse(handoff.toMarkdown(), { locale: other }).toJSON()).toEqual(handoff.toJSON());
        },
      ),
      runs,
    );
  });

  it('Verdict', () => {
    const anyItem = fc.record({
      number: fc.integer({ min: 1, max: 300 }),
      state: fc.constantFrom('met' as const, 'failed' as const, 'unverifiable' as const),
      evidence: anyText,
    });
    const anyItems = fc.uniqueArray(anyItem, { maxLength: 4, selector: (item) => item.number });
    const anyState = fc.constantFrom<Ruling>('', 'achieved', 'not_yet', 'unreachable');
    fc.assert(
      fc.property(
        anyState,
        anyText,
        anyText,
        anyItems,
        anyLocale,
        anyLocale,
        (state, reason, failed, given, one, other) => {
          const items = given.map((item) => ({ ...item, evidence: oneLine(item.evidence, one) }));
          const verdict = new Verdict(
            {
              state: ruled(state, items),
              reason: cleanField(reason, one),
              failed: [oneItem(fieldPieces(failed, one).pieces)].filter(Boolean),
              items,
            },
            { locale: one },
          );
          expect(Verdict.parse(verdict.toMarkdown(), { locale: other }).toJSON()).toEqual(verdict.toJSON());
        },
      ),
      runs,
    );
  });
});

describe('property: what was read once is read the same from the file that was written', () => {
  for (const [name, parse] of Object.entries({
    Brief: (text: string) => Brief.parse(text),
    Goal: (text: string) => Goal.parse(text),
    Handoff: (text: string) => Handoff.parse(text),
    Verdict: (text: string) => Verdict.parse(text),
  })) {
    it(name, () => {
      fc.assert(
        fc.property(anyText, anyText, (one, other) => {
          const first = parse(
            `${one}\n## Goal\n${other}\n# Checklist\n- a\n${one}\n## Next\n${other}\n# Item by item\n${one}`,
          );
          expect(parse(first.toMarkdown()).toJSON()).toEqual(first.toJSON());
        }),
        runs,
      );
    });
  }
});

describe('property: reading never throws', () => {
  it('whatever bytes a reply holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), anyText), (text) => {
        for (const type of [Brief, Goal, Handoff, Verdict]) expect(type.parse(text)).toBeInstanceOf(type);
      }),
      runs,
    );
  });
});
