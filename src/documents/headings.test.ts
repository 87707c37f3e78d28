import { describe, expect, it } from 'vitest';
import { aliasTable } from '../locale/aliases.js';
import { aliases } from '../locale/locale.js';
import { HeadingGrammar } from './headings.js';
import { conclusions, itemStates } from './ruling.js';

const brief = new HeadingGrammar({
  goal: 'brief.goal',
  accept: 'brief.accept',
  bounds: 'brief.bounds',
  unknowns: 'brief.unknowns',
});
const handoff = new HeadingGrammar({
  doing: 'handoff.doing',
  decided: 'handoff.decided',
  deadends: 'handoff.deadends',
  next: 'handoff.next',
  scene: 'handoff.scene',
});

describe('HeadingGrammar', () => {
  it.each([
    ['## Goal', 'goal', ''],
    ['###Goal', 'goal', ''],
    ['  ## Goal:  ship it ', 'goal', 'ship it'],
    ['**Goal**', 'goal', ''],
    ['**Goal**: ship it', 'goal', 'ship it'],
    ['**Goal:** ship it', 'goal', 'ship it'],
    ['**Goal** ship it', 'goal', 'ship it'],
    ['__Goal__：ship it', 'goal', 'ship it'],
    ['*Goal*: ship it', 'goal', 'ship it'],
    ['`Goal`: ship it', 'goal', 'ship it'],
    ['Goal', 'goal', ''],
    ['GOAL:', 'goal', ''],
    ['Goal : ship it', 'goal', 'ship it'],
    ['1. Goal', 'goal', ''],
    ['2) Acceptance criteria: a', 'accept', 'a'],
    ['## 3. Boundaries', 'bounds', ''],
    ['### **4. Unknowns & assumptions**:', 'unknowns', ''],
    ['## 4. **Unknowns** :', 'unknowns', ''],
    ['## 🎯 Goal', 'goal', ''],
    ['## Goal 🎯', 'goal', ''],
    ['**🎯 Goal**: ship it', 'goal', 'ship it'],
    ['1️⃣ Goal: ship it', 'goal', 'ship it'],
    ['## Goal (one sentence)', 'goal', '(one sentence)'],
    ['**Goal of this run**', 'goal', 'of this run'],
    ['目标：做一个导入器', 'goal', '做一个导入器'],
    ['## 一、目标', 'goal', ''],
    ['（二）验收标准：能跑', 'accept', '能跑'],
    ['3、不做什么', 'bounds', ''],
    ['**未知与假设**', 'unknowns', ''],
    ['## 未知 与用户有关', 'unknowns', '与用户有关'],
  ])('takes %j for a heading', (line, section, rest) => {
    expect(brief.match(line)).toMatchObject({ section, rest });
  });

  it.each([
    'Goal is to make it faster',
    'Goals and limits are clear',
    '目标是让它更快',
    '## 目标用户',
    '边界可以放宽',
    '**边界**可以放宽',
    '- Goal: ship it',
    '> ## Goal',
    '| Goal | ship it |',
    '\\## Goal',
    '2. Acceptance tests pass on Node 20',
    '**Limits are tested** by hand',
    '## Goal-driven design',
    "Goal's end",
    '####### Goal',
    'The goal: ship it',
    '',
  ])('takes %j for text', (line) => {
    expect(brief.match(line)).toBeNull();
  });

  it('takes a number for a heading only where title or colon ends it, so that list items stay items', () => {
    for (const line of [
      '1. Next, run the tests',
      '2. Files are in src/',
      '3. Progress bar shows 40 %',
      '## Next.js setup',
    ]) {
      expect(handoff.match(line)).toBeNull();
    }
    expect(handoff.match('4. Next step: run the tests')).toMatchObject({ section: 'next', rest: 'run the tests' });
  });

  it('tries longer titles first (R5.4)', () => {
    expect(brief.match('## 未知与假设')).toMatchObject({ section: 'unknowns', rest: '' });
    expect(brief.match('## Known unknowns')).toMatchObject({ section: 'unknowns', rest: '' });
    expect(handoff.match('Next steps: x')).toMatchObject({ section: 'next', rest: 'x' });
  });

  it('recognises every title of both locales in three styles, and none as the beginning of a sentence', () => {
    const groups = (Object.keys(aliasTable) as (keyof typeof aliasTable)[]).filter((g) =>
      /^(brief|goal|verdict|handoff)\./.test(g),
    );
    expect(groups).toHaveLength(15);
    for (const group of groups) {
      const grammar = new HeadingGrammar({ it: group });
      for (const alias of aliases(group)) {
        for (const line of [`## ${alias}`, `**${alias}**:`, `1. ${alias}：x`])
          expect([line, grammar.match(line)?.section]).toEqual([line, 'it']);
        for (const line of [`${alias} x y`, `${alias}里的话`])
          expect([line, grammar.match(line)]).toEqual([line, null]);
      }
    }
  });

  it('has no title that is a state word', () => {
    const groups = ['verdict.state', 'verdict.reason', 'verdict.failed', 'verdict.items'] as const;
    for (const alias of groups.flatMap((group) => aliases(group)))
      expect([alias, conclusions.bare(alias)]).toEqual([alias, '']);
    // Read as a state only behind the number of an item, where nothing is a heading.
    expect(itemStates.bare('未通过')).toBe('not_yet');
  });

  it('escapes what would read as a heading, behind any number of backslashes, and takes it off again', () => {
    for (const line of ['## Goal', '\\## Goal', '\\\\目标：x', '  Goal:', 'plain', '\\plain', '1.5 s']) {
      expect(brief.unescape(brief.escape(line))).toBe(line);
      expect(brief.match(brief.escape(line))).toBeNull();
    }
    expect(brief.escape('plain')).toBe('plain');
  });

  it('looks at the beginning of a line only, however long it is', () => {
    expect(brief.match(`##${' '.repeat(1_000_000)}Goal`)).toBeNull();
    expect(brief.match(`${' '.repeat(1_000_000)}## Goal`)).toMatchObject({ section: 'goal' });
  });
});
