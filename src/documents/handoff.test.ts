import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { degraded, Handoff, handoffPrompt } from './handoff.js';

describe('Handoff', () => {
  it('reads five sections, with a fenced fake heading between them', () => {
    const handoff = Handoff.parse(
      '## What is being done now\nthe parser\n## Already decided\nmdast is out, too slow\n```\n## Next step\nfake\n```\n## Dead ends\n(none yet)\n## Next step\nrun `npm test`\n## Scene\n`src/a.ts`',
      { step: 'work', locale: 'en' },
    );
    expect(handoff.toJSON()).toEqual({
      doing: 'the parser',
      decided: 'mdast is out, too slow\n```\n## Next step\nfake\n```',
      deadends: '',
      next: 'run `npm test`',
      scene: '`src/a.ts`',
    });
    expect(handoff.complete()).toBe(true);
    expect(handoff.step).toBe('work');
  });

  it('needs what is being done and the next step, and nothing else', () => {
    expect(Handoff.parse('## 现在在做什么\nx', { locale: 'zh' }).missing()).toEqual(['下一步']);
    expect(Handoff.parse('Doing now: x\nNext: y').complete()).toBe(true);
    expect(Handoff.parse(null, { locale: 'en' }).missing()).toEqual(['What is being done now', 'Next step']);
  });

  it('is written with step, notes and placeholders, and loaded without the step', () => {
    const handoff = new Handoff({ doing: 'a', next: 'b', step: 'work#round2\n## x' }, { locale: 'zh' });
    const path = handoff.write(join(mkdtempSync(join(tmpdir(), 'flower-handoff-')), 'deep', '交接.md'));
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(
      /^# 交接书\(work#round2 ## x\)\n\n> .+\n> .+\n\n## 现在在做什么\n\na\n\n## 已经定下的\n\n\(空\)\n/,
    );
    const loaded = Handoff.load(path, { locale: 'en' });
    expect(loaded?.toJSON()).toEqual(handoff.toJSON());
    expect(loaded).toMatchObject({ step: '', path });
    expect(new Handoff({ step: 'work' }, { locale: 'en' }).toMarkdown()).toMatch(/^# Handoff \(work\)\n/);
    expect(new Handoff({}, { locale: 'en' }).toMarkdown()).toMatch(/^# Handoff\n/);
    expect(Handoff.load(`${path}.not`)).toBeNull();
  });

  it('tells the successor what it takes over, with the sections that say something', () => {
    const zh = new Handoff({ doing: 'a', next: 'b' }, { locale: 'zh' }).promptBlock();
    expect(zh).toContain('你在接手一段还没干完的活');
    expect(zh).toContain('## 下一步\nb');
    expect(zh).not.toContain('现场');
    const en = new Handoff({ doing: 'a', next: 'b' }, { locale: 'en' }).promptBlock();
    expect(en).toContain('taking over unfinished work');
    expect(en.indexOf('## Next step\nb')).toBeLessThan(en.indexOf('\n---\n'));
  });
});

describe('degraded', () => {
  it('is complete, says what happened and quotes 1200 characters of the task', () => {
    for (const locale of ['en', 'zh'] as const) {
      const handoff = degraded('work', `  ${'活'.repeat(5000)}  `, { why: 'because', locale });
      expect(handoff.complete()).toBe(true);
      expect(handoff.degraded).toBe(true);
      expect(handoff.doing).toContain('work');
      expect(handoff.doing).toContain('because');
      expect(handoff.scene.match(/活/g)).toHaveLength(1200);
      const read = Handoff.parse(handoff.toMarkdown(), { locale: locale === 'en' ? 'zh' : 'en' });
      expect(read.toJSON()).toEqual(handoff.toJSON());
      expect(read.degraded).toBe(true);
    }
    expect(new Handoff({ doing: 'a', next: 'b' }).degraded).toBe(false);
  });

  it('cuts no character in two, and a task with an open code block takes no other section along', () => {
    expect(degraded('work', '🌼'.repeat(2000)).scene).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    const handoff = degraded('work', 'do this:\n```sh\n## Next step\nnpm test', { locale: 'en' });
    const read = Handoff.parse(handoff.toMarkdown());
    expect(read.next).toBe(handoff.next);
    expect(read.scene).toContain('npm test');
  });
});

describe('handoffPrompt', () => {
  it('names the tool, the numbers and the five titles', () => {
    const en = handoffPrompt('182.4K', '200K', 'en');
    for (const words of [
      '182.4K',
      '200K',
      'mcp__flower__submit_handoff',
      'What is being done now',
      'Already decided',
      'Dead ends',
      'Next step',
      'Scene',
    ]) {
      expect(en).toContain(words);
    }
    const zh = handoffPrompt('182.4K', '200K', 'zh');
    for (const words of ['182.4K', '现在在做什么', '已经定下的', '走不通的路', '下一步', '现场'])
      expect(zh).toContain(words);
  });

  it('asks for titles that are read again', () => {
    for (const locale of ['en', 'zh'] as const) {
      const read = Handoff.parse(handoffPrompt('1K', '2K', locale), { locale });
      expect(Object.values(read.toJSON()).filter(Boolean)).toHaveLength(5);
    }
  });
});
