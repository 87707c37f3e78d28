import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aliasTable } from './aliases.js';
import { en } from './en/pack.js';
import { activeLocale, aliases, type LocaleKey, localeOf, setLocale, text } from './locale.js';
import { zh } from './zh/pack.js';

const packs = { en, zh } as Record<'en' | 'zh', Record<LocaleKey, string>>;
const keys = Object.keys(en) as LocaleKey[];

const optionKeys = [
  'unreachable.accept',
  'unreachable.change',
  'unreachable.misjudged',
  'unverifiable.go',
  'unverifiable.stop',
  'breaker.again',
  'breaker.stop',
  'unreadable.met',
  'unreadable.notMet',
] as const satisfies readonly LocaleKey[];

const verdictWords = [
  ...['无法验证', '没法验证', '验证不了', '无法判定', '无法达成', '不可达成', '做不到', 'unverifiable', 'unreachable'],
  ...['impossible', 'cannot be verified', "can't be verified"],
  ...[
    '未达成',
    '没达成',
    '没有达成',
    '尚未达成',
    '还没达成',
    '未能达成',
    '不达成',
    'not_yet',
    'not yet',
    'not achieved',
  ],
  ...['not met', 'unmet', 'unachieved', 'incomplete', 'no'],
  ...['已达成', '达成', 'achieved', 'met', 'done', 'yes'],
];

const coordinatorWords = ['Agent', 'mcp__human__inbox', 'mcp__human__ask', '# desc:', 'git status'];

function judgeWords(locale: 'zh' | 'en', marker: string): string[] {
  const states = ['verdict.state.achieved', 'verdict.state.notYet', 'verdict.state.unreachable'] as const;
  return [
    ...states.map((key) => text(key, {}, locale)),
    text('placeholder.none', {}, locale),
    marker,
    'mcp__flower__submit_goal',
    'mcp__flower__submit_verdict',
  ];
}

function isOption(group: string): boolean {
  return (optionKeys as readonly string[]).includes(group);
}

beforeEach(() => {
  for (const name of ['FLOWER_LANG', 'LC_ALL', 'LC_MESSAGES', 'LANG']) vi.stubEnv(name, '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  setLocale(null);
});

describe('the two packs', () => {
  it('have the same keys and no empty text', () => {
    expect(Object.keys(zh).sort()).toEqual([...keys].sort());
    expect(keys.filter((key) => !packs.en[key].trim() || !packs.zh[key].trim())).toEqual([]);
  });

  it('take the same parameters under each key', () => {
    expect(keys.filter((key) => names(packs.en[key]).join() !== names(packs.zh[key]).join())).toEqual([]);
  });

  it('have a singular only where a value can choose it', () => {
    const plurals = Object.values(packs).flatMap((pack) => Object.values(pack).filter((one) => one.includes(' || ')));
    expect(plurals.length).toBeGreaterThan(10);
    for (const plural of plurals) expect(plural).toMatch(/^[^|]*\{\w+\}[^|]* \|\| [^|]+$/);
  });

  it('leave nothing of the tables behind: no marks, no escaped breaks', () => {
    const odd = keys.filter((key) => /[‡⏎]|\\n|undefined/.test(packs.en[key] + packs.zh[key]));
    expect(odd).toEqual([]);
  });
});

describe('every text', () => {
  it('is named by some file outside the packs', () => {
    const whole = sources();
    const named = new Set([...whole.matchAll(/'([\w.]+)'/g)].map(([, key]) => key));
    // A key that is put together, as in `certificate.${fault}`, uses all that begin like it.
    const beginnings = [...whole.matchAll(/`([\w.]+\.)\$\{[\w.]+\}`/g)].map(([, beginning = '']) => beginning);
    const unused = keys.filter((key) => !named.has(key) && !beginnings.some((one) => key.startsWith(one)));
    // The page is not built yet.
    const ofThePage = /^(page|web)\.|^help\.(web|web_flag|port|host|expose|allow_host)$/;
    expect(unused.filter((key) => !ofThePage.test(key))).toEqual([]);
  });
});

it('D5.17: no text refers to a number of a list that its reader has not got', () => {
  const referring = /#\d|\b(issue|ticket|bug) \d|\b[A-Z]\d+\.\d|\b[CDKLRTXZ]\d+\b/i;
  expect(keys.filter((key) => referring.test(packs.en[key]) || referring.test(packs.zh[key]))).toEqual([]);
});

describe('activeLocale', () => {
  it.each([
    [{ FLOWER_LANG: 'zh_CN' }, 'zh'],
    [{ FLOWER_LANG: 'ZH' }, 'zh'],
    [{ FLOWER_LANG: 'en', LANG: 'zh_CN.UTF-8' }, 'en'],
    [{ FLOWER_LANG: 'fr', LANG: 'zh_CN.UTF-8' }, 'zh'],
    [{ LANG: 'zh_TW.UTF-8' }, 'zh'],
    [{ LC_MESSAGES: 'zh_CN', LANG: 'en_US' }, 'zh'],
    [{ LC_ALL: 'C', LANG: 'zh_CN' }, 'en'],
    [{ LANG: 'de_DE' }, 'en'],
    [{}, 'en'],
  ])('%j gives %s', (environment, expected) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    expect(activeLocale()).toBe(expected);
  });

  it('is what setLocale says, until null', () => {
    vi.stubEnv('FLOWER_LANG', 'zh');
    setLocale('en');
    expect(activeLocale()).toBe('en');
    setLocale(null);
    expect(activeLocale()).toBe('zh');
    // @ts-expect-error no such locale
    expect(() => setLocale('fr')).toThrow("setLocale: locale must be 'zh', 'en' or null, got \"fr\"");
  });
});

describe('localeOf', () => {
  let notes: string;
  beforeEach(() => {
    notes = mkdtempSync(join(tmpdir(), 'flower-notes-'));
  });
  afterEach(() => rmSync(notes, { recursive: true }));

  it('is that of the brief, whatever is active', () => {
    writeFileSync(join(notes, '需求.md'), '');
    writeFileSync(join(notes, 'goal.md'), '');
    setLocale('en');
    expect(localeOf(notes)).toBe('zh');
  });

  it('is that of the goal where there is no brief', () => {
    writeFileSync(join(notes, '目标.md'), '');
    expect(localeOf(notes)).toBe('zh');
  });

  it('is the active one if both are there', () => {
    for (const name of ['需求.md', 'brief.md']) writeFileSync(join(notes, name), '');
    for (const locale of ['zh', 'en'] as const) {
      setLocale(locale);
      expect(localeOf(notes)).toBe(locale);
    }
  });

  it('is null without either, or without the folder', () => {
    mkdirSync(join(notes, 'archive'));
    expect(localeOf(notes)).toBeNull();
    expect(localeOf(join(notes, 'nowhere'))).toBeNull();
  });
});

describe('text', () => {
  it('inserts values as they are and never reads them', () => {
    expect(text('ephemeral.text', { cmd: '`echo {age} $& {cmd}`', age: 7 }, 'en')).toContain('`echo {age} $& {cmd}`');
    expect(text('reply.declineReason', { reason: '$1 {reason} || 1' }, 'zh')).toBe('(对方说:$1 {reason} || 1)');
  });

  it('takes the singular for 1, by the first value that the text names', () => {
    expect(text('net.seconds', { n: 1 }, 'en')).toBe('1 second');
    expect(text('net.seconds', { n: 11 }, 'en')).toBe('11 seconds');
    expect(text('net.seconds', { n: 1 }, 'zh')).toBe('1 秒');
    expect(text('unverifiable.abort', { bad: 1, path: '2' }, 'en')).toContain('1 goal item cannot');
    expect(text('unverifiable.abort', { bad: 2, path: '1' }, 'en')).toContain('2 goal items cannot');
  });

  it('speaks the active locale unless told otherwise', () => {
    setLocale('zh');
    expect(text('step.work')).toBe('干活');
    expect(text('step.work', {}, 'en')).toBe('work');
  });

  it('lets no wrong key and no wrong parameter through the compiler', () => {
    // @ts-expect-error no such key
    expect(() => text('brief.colour')).toThrow();
    // @ts-expect-error the parameter is {n}
    expect(text('net.seconds', { seconds: 3 }, 'en')).toBe('{n} seconds');
    // @ts-expect-error the parameter is missing
    expect(text('net.seconds')).toBe('{n} seconds');
  });
});

describe('aliases', () => {
  it('are those of both locales, longest first, unless one is named', () => {
    const both = aliases('brief.unknowns');
    expect(both.indexOf('未知与假设')).toBeLessThan(both.indexOf('未知'));
    expect(both.indexOf('Unknowns and assumptions')).toBeLessThan(both.indexOf('Unknowns'));
    expect([...both].sort()).toEqual([...aliases('brief.unknowns', 'zh'), ...aliases('brief.unknowns', 'en')].sort());
  });

  it('hold the written title of every section', () => {
    const sections = Object.keys(aliasTable).filter((group) => group in en && !isOption(group)) as LocaleKey[];
    expect(sections.length).toBeGreaterThan(15);
    for (const section of sections) {
      for (const locale of ['zh', 'en'] as const) expect(aliases(section, locale)).toContain(packs[locale][section]);
    }
  });

  it('of a key without a list are its texts', () => {
    expect(aliases('file.brief')).toEqual(['brief.md', '需求.md']);
    expect(aliases('step.work', 'zh')).toEqual(['干活']);
  });

  it('of a section equal no word of a verdict, no placeholder and no option', () => {
    const taken = new Set(
      [
        ...verdictWords,
        ...aliases('none'),
        ...(['unfilled', 'empty', 'none', 'noneYet'] as const).flatMap((name) => aliases(`placeholder.${name}`)),
        ...optionKeys.flatMap((key) => [...aliases(key), packs.zh[key], packs.en[key]]),
      ].map((word) => word.toLowerCase()),
    );
    const clashes = (Object.keys(aliasTable) as (keyof typeof aliasTable)[])
      .filter((group) => group !== 'none' && !isOption(group))
      .flatMap((group) => aliases(group))
      .filter((alias) => taken.has(alias.toLowerCase()));
    // Behind an item's number 未通过 is a state, anywhere else it is a heading; the number tells them apart.
    expect(clashes).toEqual([]);
  });

  it('choose at most one option of a question', () => {
    const questions = new Map<string, string[]>();
    for (const key of optionKeys) {
      const question = key.startsWith('breaker') ? ['breaker.again', 'breaker.stop', 'unreachable.accept'] : null;
      const group = question ?? optionKeys.filter((other) => other.split('.')[0] === key.split('.')[0]);
      questions.set(
        key,
        group.filter((other) => other !== key),
      );
    }
    for (const [key, others] of questions) {
      const words = aliases(key as LocaleKey).map((word) => word.toLowerCase());
      const theirs = others.flatMap((other) => aliases(other as LocaleKey)).map((word) => word.toLowerCase());
      expect(words.filter((word) => theirs.includes(word))).toEqual([]);
    }
  });
});

describe('texts that must say certain things', () => {
  const required: readonly (readonly [LocaleKey, readonly string[], readonly string[]])[] = [
    ['handoff.prompt', ['mcp__flower__submit_handoff', '现场'], ['mcp__flower__submit_handoff', 'Scene']],
    ['handoff.takeover', ['你在接手一段还没干完的活'], ['taking over unfinished work']],
    ['verdict.feedback', ['接着做'], ['carry on']],
    [
      'interrupt.note',
      ['副作用', '不是环境故障', '重试', '防御'],
      ['side effect', 'not an environment fault', 'try again', 'defensive'],
    ],
    ['remark.head', ['只是一句意见', '{words}'], ['a remark', '{words}']],
    ['interrupt.head.words', ['{words}'], ['{words}']],
    ['diag.generations', ['启动地板', '{window}', '{at}'], ['startup floor', '{window}', '{at}']],
    ['diag.degradedTwice', ['降级', '烧钱', '窗口', '余量'], ['degraded', 'burn', 'indow', 'headroom']],
    ['ev.model_mismatch', ['{want}', '{served}', 'FLOWER_WINDOW'], ['{want}', '{served}', 'FLOWER_WINDOW']],
    ['cred.missing.1', ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'], ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']],
    ['err.env_file', ['FLOWER_ENV', '{path}'], ['FLOWER_ENV', '{path}']],
    ['guard.whitelist', ['有意的', '{role}', '{tool}'], ['intended', '{role}', '{tool}']],
    ['guard.delegate', ['Agent', '{artifacts}'], ['Agent', '{artifacts}']],
    ['bench.worker', ['{artifacts}', '{scripts}', '# desc:'], ['{artifacts}', '{scripts}', '# desc:']],
    ['clarify.resume', ['不是重新开始', '别再问一遍'], ['not a fresh start', 'do not ask again']],
    ['goal.verifyPrompt', ['mcp__flower__submit_verdict'], ['mcp__flower__submit_verdict']],
    ['goal.verifyLacking', ['{numbers}'], ['{numbers}']],
    ['clarify.incomplete', ['{titles}'], ['{titles}']],
    ['goal.incomplete', ['{titles}'], ['{titles}']],
    ['breaker.abort', ['{items}', '{path}', '{manifest}'], ['{items}', '{path}', '{manifest}']],
    ['unverifiable.abort', ['{bad}', '{path}'], ['{bad}', '{path}']],
    [
      'goal.abort',
      ['无人应答', '{reason}', '{path}', '{manifest}'],
      ['nobody answered', '{reason}', '{path}', '{manifest}'],
    ],
    ['goal.noRuntime', ['Runtime'], ['Runtime']],
    ['goal.judgeFailed', ['{error}'], ['{error}']],
    ['starter.isolateNeedsGit', ['{path}', 'git init', 'isolate'], ['{path}', 'git init', 'isolate']],
    ['rules.coordinator', coordinatorWords, coordinatorWords],
    ['rules.worker', ['# desc:', 'timeout', '30 行', '5 条'], ['# desc:', 'timeout', '30 lines', '5 items']],
    [
      'rules.clarifier',
      ['Glob', 'Read', 'Grep', 'mcp__flower__submit_brief'],
      ['Glob', 'Read', 'Grep', 'mcp__flower__submit_brief'],
    ],
    ['rules.judge', judgeWords('zh', '[此环境无法验证:'), judgeWords('en', '[cannot be verified here: ')],
  ];

  it.each(required)('%s', (key, chinese, english) => {
    for (const word of chinese) expect(packs.zh[key]).toContain(word);
    for (const word of english) expect(packs.en[key]).toContain(word);
  });

  it('D10.5: a coordinator asks when a boundary is what blocks it, and hears that one was loosened', () => {
    expect(packs.en['rules.coordinator']).toMatch(/boundary .* is all that stands in the way/);
    expect(packs.en['rules.coordinator']).toMatch(/changes the requirement or its limits: follow it/);
    expect(packs.zh['rules.coordinator']).toMatch(/只剩一条边界挡着/);
    expect(packs.zh['rules.coordinator']).toMatch(/改了需求或边界:照做/);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['a list that lacks nothing is not a long one', ['磨尖', '几种失败的方式'], ['sharpen them', 'how many ways']],
    [
      'what cannot be verified is marked only if it is needed',
      ['标成验不了', '非要不可'],
      ['not verifiable', 'needed at'],
    ],
    [
      'the thing is run, or looked at where it cannot be',
      ['能跑就跑', '查成品本身'],
      ['if you can', 'inspect the product'],
    ],
    [
      'unverifiable is no pass, unfinished is not unverifiable',
      ['绝不**算通过', '只是没做完'],
      ['**never** a pass', 'Merely'],
    ],
  ])('D10.8: of the judge each rule has its counter-rule: %s', (_name, chinese, english) => {
    for (const words of chinese) expect(packs.zh['rules.judge']).toContain(words);
    for (const words of english) expect(packs.en['rules.judge']).toContain(words);
  });

  it('every refusal names flower', () => {
    const refusals = [
      'guard.whitelist',
      'guard.delegate',
      'guard.delegateBare',
      'guard.failed',
      'handin.refused',
    ] as const;
    for (const key of refusals)
      expect([packs.zh[key], packs.en[key]].every((one) => one.includes('flower'))).toBe(true);
  });

  it('the defaults that are part of a signature keep their documented words', () => {
    expect(packs.zh['worker.prompt']).toBe('你负责实现。每改一处就跑一次验证,别攒到最后。');
    expect(packs.zh['resilience.resumePrompt']).toBe(
      '上一轮在中途被打断,没有跑完。检查一下工作台里已经落盘的东西,从中断处接着做,不要重头来过。',
    );
    expect(packs.zh['goal.noRuntime']).toBe('拿不到 Runtime,无法判定目标');
  });

  it('what a resume says holds no word of an error', () => {
    for (const pack of Object.values(packs))
      expect(pack['resilience.resumePrompt']).not.toMatch(/error|DNS|network|网络|错误|\{/i);
  });

  it('rule texts stay within what every request of a role can carry', () => {
    for (const pack of Object.values(packs)) {
      expect(pack['rules.coordinator'].length).toBeLessThan(5000);
      for (const role of ['worker', 'clarifier', 'judge', 'oracle'] as const) {
        expect(pack[`rules.${role}`].length).toBeLessThan(4000);
      }
    }
  });
});

function sources(): string {
  const source = fileURLToPath(new URL('..', import.meta.url));
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/^locale\/(en|zh)\//.test(file))
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n');
}

function names(one: string): string[] {
  return [...new Set([...one.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''))].sort();
}
