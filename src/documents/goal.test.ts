import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Goal } from './goal.js';

const folder = () => mkdtempSync(join(tmpdir(), 'flower-goal-'));

describe('Goal.parse', () => {
  it('reads statement and checks, whatever their bullets', () => {
    const goal = Goal.parse(
      '# Goal\nThe importer ships.\n\n# Checklist\n- [ ] a\n* [x] b\n+ c\n4. d\n5) e\n6、f\n• g\n-运行\n\n- \n- (none)\n1.5 s is enough\n*h* holds\n**i**',
      { locale: 'en' },
    );
    expect(goal.statement).toBe('The importer ships.');
    expect(goal.checks).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', '运行', '1.5 s is enough', '*h* holds', '**i**']);
    expect(goal.complete()).toBe(true);
  });

  it.each(['# 目标\n导入器能用\n# 判定清单\n- a\n- b', '**Done when**: 导入器能用\n**Checks**:\n1. a\n2. b'])(
    'reads %j',
    (text) => {
      expect(Goal.parse(text).toJSON()).toEqual({ statement: '导入器能用', checks: ['a', 'b'] });
    },
  );

  it('names what is missing; a list that holds a placeholder is empty', () => {
    expect(Goal.parse('# Goal\nA', { locale: 'en' }).missing()).toEqual(['Checklist']);
    for (const word of ['(空)', '(empty)', '（无）', '- none', '无']) {
      expect(Goal.parse(`# Goal\nA\n# Checklist\n${word}`, { locale: 'zh' }).missing()).toEqual(['判定清单']);
    }
    expect(Goal.parse('', { locale: 'en' }).missing()).toEqual(['Goal', 'Checklist']);
  });

  it('gives a block to the item above it, a note onto its line, and drops a block without an item', () => {
    const long = Array.from({ length: 13 }, (_, i) => `  echo ${i}`).join('\n');
    const goal = Goal.parse(
      `# Goal\nA\n# Checklist\n\`\`\`\nlost\n\`\`\`\n- prints 3:\n  \`\`\`sh\n  # Goal: 3\n\n    node a.js\n  \`\`\`\n- none\n  \`\`\`\n  lost\n  \`\`\`\n- runs:\n  \`\`\`\n${long}\n  \`\`\``,
      { locale: 'en' },
    );
    expect(goal.checks).toEqual([
      'prints 3:\n```sh\n# Goal: 3\n\n  node a.js\n```',
      'runs: (code block of 13 lines left out)',
    ]);
    expect(goal.toMarkdown()).toBe(
      '# Goal\nA\n\n# Checklist\n- prints 3:\n  ```sh\n  # Goal: 3\n\n    node a.js\n  ```\n- runs: (code block of 13 lines left out)\n',
    );
    expect(Goal.parse(goal.toMarkdown()).checks).toEqual(goal.checks);
  });
});

describe('C19 in a checklist', () => {
  it('C19 finds two criteria, and nothing in their blocks is one', () => {
    const goal = Goal.parse(
      '## Goal\nShip the importer.\n\n## Checklist\n- [ ] running this prints 10000:\n  ```sh\n  # Boundaries\n  node import.js big.csv   # Goal: 10000\n  ```\n- [ ] the README has this block:\n````markdown\n## Unknowns\n```js\nconst n = 1\n```\n- [ ] Goal\n````\n',
    );
    expect(goal.checks.map((check) => check.split('\n')[0])).toEqual([
      'running this prints 10000:',
      'the README has this block:',
    ]);
    expect(goal.statement).toBe('Ship the importer.');
  });
});

describe('Goal', () => {
  it.each([
    ['runs on a phone [此环境无法验证:没有真机]', true],
    ['runs on a phone [ 无法验证 : no phone]', true],
    ['runs on a phone ［此环境无法验证：没有真机］', true],
    ['[在这个环境里验不了:x]', true],
    ['[验不了]', true],
    ['a [cannot be verified here: no phone]', true],
    ['a [Cannot verify: x]', true],
    ["a [can't verify here]", true],
    ['a [can’t verify here: x]', true],
    ['a [ unverifiable: x ]', true],
    ['无法验证 stands without a bracket', false],
    ['a [link](b)', false],
  ])('knows whether %j is marked as not verifiable', (check, marked) => {
    expect(new Goal({ checks: [check, 'b'] }).unverifiable).toEqual(marked ? [check] : []);
  });

  it('appends an amendment on one line, so that it cannot form a heading', () => {
    const goal = new Goal({ statement: 'A', checks: ['a'] }, { locale: 'zh' });
    expect(goal.amend(' 再快一点\n# 判定清单\r\n- x ')).toBe(goal);
    expect(goal.statement).toBe('A\n\n(已修改)再快一点 # 判定清单 - x');
    expect(Goal.parse(goal.toMarkdown()).toJSON()).toEqual(goal.toJSON());
    expect(goal.amend('  \n').statement).toContain('再快一点');
    expect(new Goal({ statement: 'A' }).amend('').statement).toBe('A');
  });

  it('gives a prompt its list only if there is one', () => {
    expect(new Goal({ statement: 'A', checks: ['a', 'b'] }, { locale: 'en' }).promptBlock()).toBe(
      '## Goal\nA\n\n## Checklist\n- a\n- b',
    );
    expect(new Goal({ statement: 'A' }, { locale: 'zh' }).promptBlock()).toBe('## 目标\nA');
  });

  it('is written with its hash, amended without being edited, and an edit is told', () => {
    const goal = new Goal({ statement: 'A', checks: ['a'] }, { locale: 'zh' });
    const path = goal.write(join(folder(), 'notes', '目标.md'));
    expect(Goal.load(path, { locale: 'en' })).toMatchObject({
      statement: 'A',
      checks: ['a'],
      edited: false,
      path,
      hash: goal.hash,
    });
    goal.amend('faster').write(path);
    expect(Goal.load(path)?.edited).toBe(false);
    writeFileSync(path, readFileSync(path, 'utf8').replace('- a', '- b'));
    expect(Goal.load(path)).toMatchObject({ edited: true, checks: ['b'] });
    expect(Goal.load(`${path}.not`)).toBeNull();
  });

  it('an empty goal is written with placeholders and loads as incomplete', () => {
    const path = new Goal({}, { locale: 'zh' }).write(join(folder(), 'goal.md'));
    expect(readFileSync(path, 'utf8')).toContain('# 判定清单\n(空)\n');
    expect(Goal.load(path)?.complete()).toBe(false);
  });
});
