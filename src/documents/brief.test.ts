import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Locale } from '../locale/locale.js';
import { Brief } from './brief.js';
import { sealed, unsealed } from './seal.js';

const folder = () => mkdtempSync(join(tmpdir(), 'flower-brief-'));
const full = { goal: 'Ship the importer.', accept: '- prints 10000', bounds: 'none', unknowns: '- encoding' };
const block = (lines: number) =>
  ['```sh', ...Array.from({ length: lines }, (_, i) => `# Boundaries ${i}`), '```'].join('\n');

describe('Brief.parse', () => {
  it('drops what stands before the first section, keeps a block of 12 lines and notes a longer one', () => {
    const brief = Brief.parse(
      ['Sure, here it is!', block(2), '## Goal', 'Ship it.', block(12), block(13), '## Boundaries', 'none'].join('\n'),
      { locale: 'en' },
    );
    expect(brief.goal).toBe(`Ship it.\n${block(12)}\n(code block of 13 lines left out)`);
    expect(brief.bounds).toBe('none');
    expect(brief.missing()).toEqual(['Acceptance criteria', 'Unknowns and assumptions']);
    expect(brief.complete()).toBe(false);
  });

  it.each([
    '**目标**：A\n1. 验收条件: B\n### 不做什么\nC\n未知与假设:\nD',
    '**Goal**: A\n1. Acceptance: B\n### Out of scope\nC\nUnknowns & assumptions:\nD',
    '\uFEFFGoal\r\n====\r\nA\r\n\r\nCriteria\r\n--------\r\nB\r\nLimits:\r\nC\r\n## 假设\r\nD',
    '## Unknowns\nD\n## Scope boundaries\nC\n## Acceptance criterion\nB\n## Objective\nA\n## Goal\nA second one, too late',
  ])('reads mixed styles, either language, any order: %j', (text) => {
    expect(Brief.parse(text).toJSON()).toEqual({ goal: 'A', accept: 'B', bounds: 'C', unknowns: 'D' });
  });

  it('takes null, undefined and the empty text for a brief without sections', () => {
    for (const nothing of [null, undefined, '', ' \n ']) expect(Brief.parse(nothing).missing()).toHaveLength(4);
  });

  it('keeps a sentence that begins with a title, and an unknown heading, as text', () => {
    const brief = Brief.parse('## 目标\n做导入器\n目标是让它更快\n## 目标用户\n开发者\n## 边界\n边界可以放宽');
    expect(brief.goal).toBe('做导入器\n目标是让它更快\n## 目标用户\n开发者');
    expect(brief.bounds).toBe('边界可以放宽');
    expect(Brief.parse('## 目标用户\n开发者').goal).toBe('');
  });

  it('cleans a section: rule lines, blank lines, blanks at line ends', () => {
    expect(Brief.parse('## Goal\n\n\n  a  \n---\n\n\n\nb\t\n***\n\n## Limits\nx').goal).toBe('a\n\nb');
  });

  it('takes the first section that says something (R5.7)', () => {
    expect(Brief.parse('## Goal\n(not filled in)\n## Goal\n\n## Goal\nA\n## Goal\nB').goal).toBe('A');
  });

  it('is incomplete when a fence is never closed before the last section', () => {
    const text = '## Goal\nA\n## Acceptance\nB\n```sh\nrun\n## Boundaries\nC\n## Unknowns\nD';
    expect(Brief.parse(text).missing()).toEqual(['Boundaries', 'Unknowns and assumptions']);
  });

  it('loses nothing to three backticks inside a sentence, or opened and closed on a line', () => {
    const brief = Brief.parse('## Goal\nuse ``` for code\n```npm test``` runs\n~~~x~~~\n## Limits\nB');
    expect(brief.goal).toBe('use ``` for code\n```npm test``` runs\n~~~x~~~');
    expect(brief.bounds).toBe('B');
  });

  it('closes a fence only with the same mark, at least as long', () => {
    const brief = Brief.parse('## Goal\n````\n```\n## Limits\n~~~\n````\n~~~\n```\n## Limits\n~~~~\n## Limits\nB');
    expect(brief.goal.split('\n')).toHaveLength(9);
    expect(brief.bounds).toBe('B');
  });

  it('unwraps a reply that stands as a whole in one fence, an inner block with a language included', () => {
    const inner = '## Goal\nA\n```sh\nnpm test\n```\n## Limits\nB';
    for (const fence of ['```markdown', '```md', '```', '~~~', '````']) {
      const close = /^[`~]+/.exec(fence)?.[0];
      const brief = Brief.parse(`\n${fence}\n${inner}\n${close}\n`);
      expect([brief.goal, brief.bounds]).toEqual(['A\n```sh\nnpm test\n```', 'B']);
    }
  });

  it('does not unwrap two blocks with text between them, nor a block in another language', () => {
    expect(Brief.parse('```\n## Goal\nA\n```\nand\n```\n## Limits\nB\n```').missing()).toHaveLength(4);
    expect(Brief.parse('```json\n## Goal\nA\n```').missing()).toHaveLength(4);
  });

  it('takes a placeholder of either language for a gap, but "none" in boundaries and unknowns for an answer', () => {
    for (const word of ['(none)', '(无)', '（暂无）', '(none yet)']) {
      const brief = Brief.parse(`## Goal\n${word}\n## Acceptance\n${word}\n## Limits\n${word}\n## Unknowns\n${word}`);
      expect(brief.toJSON()).toEqual({ goal: '', accept: '', bounds: word, unknowns: word });
    }
    for (const word of ['(not filled in)', '(未填)', '(empty)', '（空）', '*(empty)*']) {
      const brief = Brief.parse(`## Goal\n${word}\n## Acceptance\n${word}\n## Limits\n${word}\n## Unknowns\n${word}`);
      expect(brief.missing()).toHaveLength(4);
    }
  });

  it('never throws, whatever it is given', () => {
    for (const text of [
      '```',
      '~~~\n```',
      '#',
      '\\',
      '## ',
      '\u0000',
      '<!-- flower sha256=',
      '## Added during the run (1:2:3)',
    ]) {
      expect(() => Brief.parse(text)).not.toThrow();
    }
  });
});

describe('C19 code fences in documents', () => {
  const reply = [
    '## Goal',
    'Ship the importer.',
    '',
    '## Acceptance criteria',
    '- [ ] running this prints 10000:',
    '  ```sh',
    '  # Boundaries',
    '  node import.js big.csv   # Goal: 10000',
    '  ```',
    '- [ ] the README has this block:',
    '````markdown',
    '## Unknowns',
    '```js',
    'const n = 1',
    '```',
    '## Goal',
    '````',
    '',
    '## Boundaries',
    '~~~',
    '## Unknowns',
    '~~~',
    "- don't touch `legacy/`",
    '',
    '## Unknowns',
    '- none',
  ];

  it('C19 finds exactly four sections, and nothing in a block is a heading', () => {
    const brief = Brief.parse(reply.join('\n'));
    expect(brief.goal).toBe('Ship the importer.');
    expect(brief.accept).toBe(reply.slice(4, 17).join('\n'));
    expect(brief.bounds).toBe(reply.slice(19, 23).join('\n'));
    expect(brief.unknowns).toBe('- none');
    expect(Brief.parse(brief.toMarkdown()).toJSON()).toEqual(brief.toJSON());
  });

  it('C19 b: the wrapper of the whole reply is taken off, the inner block survives', () => {
    const inner = [...reply.slice(0, 9), ...reply.slice(17)];
    const brief = Brief.parse(['```markdown', ...inner, '```'].join('\n'));
    expect(brief.accept).toBe(reply.slice(4, 9).join('\n'));
    expect(brief.unknowns).toBe('- none');
  });

  it('C19 c, e: an open block leaves the brief incomplete, and nothing of it leaks into the next document', () => {
    const open = reply.filter((_, i) => i !== 8);
    expect(Brief.parse(open.slice(0, 9).join('\n')).missing()).toEqual(['Boundaries', 'Unknowns and assumptions']);
    expect(Brief.parse(reply.join('\n')).complete()).toBe(true);
  });

  it('C19 c: a fence that another one closes later never makes a brief complete without its Boundaries', () => {
    const open = reply.filter((_, i) => i !== 8);
    const brief = Brief.parse(open.join('\n'));
    expect(brief.complete()).toBe(false);
  });

  it('C19 d: a block is not closed by the other mark', () => {
    expect(Brief.parse('## Goal\nA\n~~~\n```\n## Limits\nB').bounds).toBe('');
    expect(Brief.parse('## Goal\nA\n~~~\n```\n## Limits\nB\n~~~\n## Limits\nC').bounds).toBe('C');
  });
});

describe('amendments (R5.20)', () => {
  const file = (words: string) =>
    `${new Brief(full, { locale: 'zh' }).toMarkdown()}\n## 运行中补充(09:15:00)\n${words}\n`;

  it.each(['边界可以放宽: 那两行可以改', '```sh\nan open fence', '目标：另一个目标', 'a\n\n\n\nb  \n---'])(
    'keeps the words %j to the letter and leaves the four sections alone',
    (words) => {
      const brief = Brief.parse(file(words));
      expect(brief.promptBlock()).toContain(words);
      expect({ ...brief.toJSON(), unknowns: '' }).toEqual({ ...full, unknowns: '' });
      expect(brief.unknowns.startsWith('- encoding\n\n## 运行中补充(09:15:00)\n')).toBe(true);
      expect(Brief.parse(brief.toMarkdown()).toJSON()).toEqual(brief.toJSON());
    },
  );

  it.each([
    '## 运行中补充(09:15:00)',
    '## 唤醒时追加（09:15:00）',
    '## Added during the run (09:15:00)',
    '## Added on waking(9:15:00)',
  ])('recognises %j', (heading) => {
    const brief = Brief.parse(`## Goal\nA\n## Unknowns\nB\n\n${heading}\nGoal: C`);
    expect(brief.goal).toBe('A');
    expect(brief.unknowns).toBe(`B\n\n${heading}\nGoal: C`);
  });

  it('reads an unfilled brief to which words were added as unfilled in its other sections', () => {
    const brief = Brief.parse('# Additions made during the run\n\n## Added during the run (09:15:00)\nhurry');
    expect(brief.missing()).toEqual(['Goal', 'Acceptance criteria', 'Boundaries']);
  });

  it('keeps an amendment heading inside the other sections as text', () => {
    const goal = 'A\n## Added on waking (09:15:00)\n```\n\\## Added on waking (09:15:00)\n```';
    const brief = new Brief({ ...full, goal });
    expect(Brief.parse(brief.toMarkdown()).goal).toBe(goal);
    expect(brief.promptBlock()).toContain(goal);
  });
});

describe('Brief on disk', () => {
  it('writes titles, notes and placeholders of its locale, and loads them under the other one without loss', () => {
    for (const [one, other] of [
      ['zh', 'en'],
      ['en', 'zh'],
    ] as const) {
      const brief = new Brief({ goal: 'A', accept: '', bounds: '(none)', unknowns: '(none)' }, { locale: one });
      const path = brief.write(join(folder(), 'notes', 'brief.md'));
      const loaded = Brief.load(path, { locale: other });
      expect(loaded?.equals(brief)).toBe(true);
      expect(loaded?.path).toBe(path);
      expect(loaded?.missing()).toEqual([other === 'zh' ? '验收标准' : 'Acceptance criteria']);
    }
  });

  it('has the documented form', () => {
    const markdown = new Brief({ goal: 'A', accept: 'B', bounds: '', unknowns: 'D' }, { locale: 'zh' }).toMarkdown();
    const [title, blank, note, secondNote, ...rest] = markdown.split('\n');
    expect([title, blank, note?.slice(0, 2), secondNote?.slice(0, 2)]).toEqual(['# 需求确认书', '', '> ', '> ']);
    expect(rest.join('\n')).toBe('\n## 目标\n\nA\n\n## 验收标准\n\nB\n\n## 边界\n\n(未填)\n\n## 未知与假设\n\nD\n');
  });

  it('gives a prompt only the sections that say something', () => {
    expect(new Brief({ goal: 'A', bounds: 'C' }, { locale: 'en' }).promptBlock()).toBe(
      '## Goal\nA\n\n## Boundaries\nC',
    );
  });

  it('is null if the file is absent or no file', () => {
    expect(Brief.load(join(folder(), 'nothing.md'))).toBeNull();
    expect(Brief.load(folder())).toBeNull();
  });

  it('neither reads nor replaces what is no document', () => {
    const path = join(folder(), 'brief.md');
    const large = '# not a brief\n'.repeat(400_000);
    writeFileSync(path, large);
    expect(Brief.load(path)).toBeNull();
    expect(() => new Brief(full).write(path)).toThrow(/it holds 5 MB, and no more than 4 are read/);
    expect(readFileSync(path, 'utf8')).toBe(large);
  });

  it('leaves no half file behind when it cannot be written', () => {
    const dir = folder();
    writeFileSync(join(dir, 'file'), '');
    expect(() => new Brief(full).write(join(dir, 'file', 'brief.md'))).toThrow();
    const path = new Brief(full).write(join(dir, 'brief.md'));
    expect(readdirSync(dir).sort()).toEqual(['brief.md', 'file']);
    expect(existsSync(path)).toBe(true);
  });

  it('fixes its locale at construction (R12.4)', () => {
    const brief = Brief.parse('## 目标\nA', { locale: 'zh' as Locale });
    expect(brief.missing()).toEqual(['验收标准', '边界', '未知与假设']);
  });
});

describe('the hash of a frozen brief (R5.12, Z31, Z86)', () => {
  it('stands in the first line and covers what follows it', () => {
    const brief = new Brief(full);
    const path = brief.write(join(folder(), 'brief.md'));
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^<!-- flower sha256=[0-9a-f]{64} -->\n# /);
    const loaded = Brief.load(path);
    expect(loaded?.edited).toBe(false);
    expect(loaded?.hash).toBe(brief.hash);
    expect(text).toContain(brief.hash ?? 'no hash');
    expect(text.slice(text.indexOf('\n') + 1)).toBe(brief.toMarkdown());
  });

  it('tells an edit, but not other line ends, a byte-order mark or a file without the line', () => {
    const path = new Brief(full).write(join(folder(), 'brief.md'));
    const text = readFileSync(path, 'utf8');
    const reload = (changed: string) => {
      writeFileSync(path, changed);
      return Brief.load(path);
    };
    expect(reload(text.replace('importer', 'exporter'))).toMatchObject({ edited: true, goal: 'Ship the exporter.' });
    expect(reload(text.replaceAll('\n', '\r\n'))?.edited).toBe(false);
    expect(reload(`\uFEFF${text}`)?.edited).toBe(false);
    expect(reload(text.slice(text.indexOf('\n') + 1))?.edited).toBe(false);
    expect(reload(text)?.edited).toBe(false);
  });

  it('is renewed by what is added on purpose', () => {
    const path = new Brief(full).write(join(folder(), 'brief.md'));
    const { body } = unsealed(readFileSync(path, 'utf8'));
    writeFileSync(path, sealed(`${body}\n## Added during the run (10:00:00)\nfaster\n`));
    const loaded = Brief.load(path);
    expect(loaded?.edited).toBe(false);
    expect(loaded?.unknowns).toContain('faster');
  });

  it('is null before a file is written or loaded', () => {
    expect(new Brief(full).hash).toBeNull();
    expect(Brief.parse('## Goal\nA').hash).toBeNull();
  });
});
