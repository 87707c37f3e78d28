import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Event, type EventInit, type EventKind } from '../events/event.js';
import type { Locale } from '../locale/locale.js';
import { Renderer, type RendererOptions, stepLabel } from './renderer.js';
import { columnsOf } from './width.js';

const sub = { subagent: true, agent_id: 'a1', agent_type: 'coder' };
const main = { subagent: false };

function screen(options: Partial<RendererOptions> & { width?: number } = {}) {
  const writes: string[] = [];
  let time = 0;
  const { width = 80, ...rest } = options;
  const renderer = new Renderer({
    write: (text) => writes.push(text),
    columns: () => width,
    color: false,
    verbose: false,
    locale: 'en',
    now: () => time,
    ...rest,
  });
  return {
    writes,
    wait: (seconds: number) => {
      time += seconds * 1000;
    },
    draw: (kind: EventKind, init: EventInit = {}) => {
      const before = writes.length;
      renderer.event(new Event(kind, init));
      return writes.slice(before).join('');
    },
  };
}

const question = { id: 'q1', options: ['keep', 'drop'], remaining: -1, default: null, from: null };
const handoff = {
  phase: 'done',
  context: 951_234,
  window: 1_000_000,
  degraded: false,
  path: '/w/.flower/notes/handoff-work.md',
  sections: { doing: 'the parser', decided: '', deadends: 'regular\nexpressions', next: 'tests' },
};

/** One event of every kind and state that is drawn, and what stands on a screen of 80 columns without `-v`. */
const table: [name: string, kind: EventKind, init: EventInit, en: string, zh: string][] = [
  [
    'step',
    'step',
    { text: 'clarify', payload: { index: 1, total: 3, resumed: false } },
    `\n== clarify ${'='.repeat(64)} 1/3\n\n`,
    `\n== 确认需求 ${'='.repeat(63)} 1/3\n\n`,
  ],
  [
    'step, resumed',
    'step',
    { text: 'work', payload: { index: 3, total: 3, resumed: true, woke: 2 } },
    `\n== work ${'='.repeat(44)} 3/3 <- continued · wake 2\n\n`,
    `\n== 干活 ${'='.repeat(42)} 3/3 <- 接上次 · 第 2 次唤醒\n\n`,
  ],
  [
    'text',
    'text',
    { text: 'Hello\n\nthere', payload: { ...main, context: 36_800 } },
    '  Hello\n  there\n  - context 36.8K · total $0.00 · 0:00\n',
    '  Hello\n  there\n  - 上下文 36.8K · 累计 $0.00 · 0:00\n',
  ],
  ['text of a worker', 'text', { text: 'hi', payload: sub }, '', ''],
  ['thinking', 'thinking', { text: 'hm', payload: main }, '  ~ hm\n', '  ~ hm\n'],
  ['thinking of a worker', 'thinking', { text: 'hm', payload: sub }, '', ''],
  ['prompt', 'prompt', { text: 'do it', payload: main }, '', ''],
  [
    'tool call',
    'tool_call',
    { tool: 'Bash', text: 'npm test', payload: { ...main, input: { command: 'npm\n  test' } } },
    '  * Bash npm test\n',
    '  * Bash npm test\n',
  ],
  [
    'tool call of a worker',
    'tool_call',
    { tool: 'WebFetch', payload: { ...sub, input: { url: 'https://example.org' } } },
    '  | * WebFetch https://example.org\n',
    '  | * WebFetch https://example.org\n',
  ],
  [
    'dispatch',
    'tool_call',
    {
      tool: 'Agent',
      payload: { ...main, input: { subagent_type: 'coder', description: 'write the tool', prompt: 'x' } },
    },
    '  > dispatch coder write the tool\n',
    '  > 派人 coder write the tool\n',
  ],
  ['tool result', 'tool_result', { text: 'fine', payload: { ...main, is_error: false } }, '', ''],
  [
    'failed tool result',
    'tool_result',
    { text: 'no\nsuch file', payload: { ...main, is_error: true } },
    '  x no\n    such file\n',
    '  x no\n    such file\n',
  ],
  [
    'question',
    'ask',
    { text: 'Keep **it**?', payload: { ...question, state: 'asked', remaining: 1, default: 'keep' } },
    '\n  ? Keep it?\n     1) keep\n     2) drop\n    (1 question left)\n    (if nobody answers: keep)\n',
    '\n  ? Keep it?\n     1) keep\n     2) drop\n    (还能问 1 次)\n    (没人答就按:keep)\n',
  ],
  [
    'question of a worker',
    'ask',
    { text: 'Why?', payload: { ...question, options: [], state: 'asked', from: { role: 'coder', agent_id: 'a1' } } },
    '\n  ? (coder) Why?\n',
    '\n  ? (coder) Why?\n',
  ],
  ['answered', 'ask', { payload: { ...question, state: 'answered', answer: 'keep' } }, '  + keep\n', '  + keep\n'],
  [
    'timed out without having been asked',
    'ask',
    { text: 'Why?', payload: { ...question, options: [], state: 'timeout' } },
    '\n  ? Why?\n  ! Not asked (automatic): it decides by itself and records the assumption under\n    "Unknowns and assumptions"\n',
    '\n  ? Why?\n  ! 全自动,没有等人 —— 它自己判断,把假设记进「未知与假设」\n',
  ],
  [
    'over budget',
    'ask',
    { payload: { ...question, state: 'over_budget' } },
    '  ! No questions left\n',
    '  ! 提问额度用完\n',
  ],
  ['declined', 'ask', { payload: { ...question, state: 'declined' } }, '  . Skipped\n', '  . 已跳过\n'],
  [
    'invalid',
    'ask',
    { payload: { ...question, state: 'invalid' } },
    '  ! It asked an empty question; sent back\n',
    '  ! 它问了一个空问题,已退回\n',
  ],
  [
    'mail',
    'ask',
    { text: 'use tabs', payload: { kind: 'mail', state: 'queued', kept: 'appended', workers: false } },
    '  + Received (delivered at the next checkpoint; added to the brief)\n',
    '  + 收到 (下个检查点送达;已追加进确认书)\n',
  ],
  [
    'urgent mail that is kept nowhere',
    'ask',
    { text: 'stop', payload: { kind: 'mail', state: 'queued', kept: 'no_brief', workers: true } },
    '  + Received (running workers see it with their next step; there is no brief to\n    keep it in, so it may not outlive this step)\n',
    '  + 收到 (正在干活的人下一步就会看到;没有确认书可落盘 —— 它可能活不过下一个步\n    骤)\n',
  ],
  [
    'mail before there is a brief',
    'ask',
    { text: 'use tabs', payload: { kind: 'mail', state: 'queued', kept: 'until_frozen', workers: false } },
    '  + Received (delivered at the next checkpoint; the brief is not frozen yet; it\n    will be added then)\n',
    '  + 收到 (下个检查点送达;需求还没冻结,冻结时会加进去)\n',
  ],
  [
    'mail that no file takes',
    'ask',
    { text: 'use tabs', payload: { kind: 'mail', state: 'queued', kept: 'failed', why: 'ENOSPC', workers: false } },
    '  + Received (delivered at the next checkpoint; could not be written to the\n    brief: ENOSPC)\n',
    '  + 收到 (下个检查点送达;写进确认书失败:ENOSPC)\n',
  ],
  [
    'mail delivered',
    'ask',
    { text: 'use\ntabs', payload: { kind: 'mail', state: 'delivered' } },
    '  + Delivered use tabs\n',
    '  + 已送达 use tabs\n',
  ],
  ['task of a worker', 'task', { payload: { kind: 'TaskProgressMessage', task_id: 'a1' } }, '', ''],
  [
    'task',
    'task',
    { text: 'two items:\n  · one', payload: {} },
    '  # two items:\n      · one\n',
    '  # two items:\n      · one\n',
  ],
  ['budget', 'task', { text: 'nearly spent', payload: { budget: 'near' } }, '  ! nearly spent\n', '  ! nearly spent\n'],
  ['error', 'error', { text: 'API down', payload: main }, '  ! API down\n', '  ! API down\n'],
  ['retry', 'retry', { text: 'again', payload: {} }, '  ~ again\n', '  ~ again\n'],
  ['compaction', 'reset', { text: '5 → 2 tokens' }, '  ~ 5 -> 2 tokens\n', '  ~ 5 -> 2 tokens\n'],
  ['reset', 'reset', { text: 'conversation reset' }, '  ~ conversation reset\n', '  ~ 对话被重置\n'],
  ['handoff near', 'handoff', { text: 'soon', payload: { phase: 'near' } }, '# soon\n', '# soon\n'],
  [
    'handoff done',
    'handoff',
    { text: 'x', payload: handoff },
    `
# context 951.2K/1000K: handoff to a new session
  - doing      the parser
  - dead ends  regular expressions
  - next       tests
<- handoff written to /w/.flower/notes/handoff-work.md (the scene is in there
   too)
<- a new session takes over; the old one ended at 951.2K

`,
    `
# 上下文 951.2K/1000K —— 写交接准备换代
  - 现在在做  the parser
  - 走不通的  regular expressions
  - 下一步    tests
<- 交接写在 /w/.flower/notes/handoff-work.md(现场那段也在里面)
<- 新会话接手;旧会话停在 951.2K

`,
  ],
  [
    'result',
    'result',
    { text: 'success', payload: { cost_usd: 0.1234, spent_usd: 1.5, num_turns: 3, is_error: false } },
    '  + done 3 turns · $0.1234 · this step 0:00 · elapsed 0:00\n',
    '  + 完成 3 轮 · $0.1234 · 这一步 0:00 · 用时 0:00\n',
  ],
  [
    'result without figures',
    'result',
    { text: 'error_max_turns', payload: { is_error: true } },
    '  x failed 0 turns · $0.0000 · this step 0:00 · elapsed 0:00\n    error_max_turns\n',
    '  x 失败 0 轮 · $0.0000 · 这一步 0:00 · 用时 0:00\n    error_max_turns\n',
  ],
  [
    'result of a turn that flower stopped',
    'result',
    { text: 'success', payload: { is_error: false, terminal_reason: 'hook_stopped', num_turns: 1 } },
    '  ~ stopped here 1 turn · $0.0000 · this step 0:00 · elapsed 0:00\n',
    '  ~ 停在这里 1 轮 · $0.0000 · 这一步 0:00 · 用时 0:00\n',
  ],
  ['system', 'system', { text: 'init' }, '', ''],
  [
    'recovered',
    'system',
    { text: 'recovered', payload: { processes: 1, entries: 12 } },
    '  ! ended 1 process that a dead flower had left\n  + recovered 12 transcript entries that had not been stored\n',
    '  ! 上一个 flower 死后还留着 1 个进程,已结束\n  + 补回了 12 条没来得及入库的会话记录\n',
  ],
  ['unknown', 'unknown', { text: 'stream_event' }, '', ''],
  ['a kind of the future', 'dream' as EventKind, { text: 'x' }, '', ''],
];

describe('every kind of event (C15, C16, C23, C24; D3.6, D3.8, D3.9, D5.8, D5.9, D5.11, D5.15)', () => {
  it.each(table)('%s', (_name, kind, init, en, zh) => {
    expect(screen({ locale: 'en' }).draw(kind, init)).toBe(en);
    expect(screen({ locale: 'zh' }).draw(kind, init)).toBe(zh);
  });

  it.each<[EventKind, EventInit, string]>([
    ['text', { text: 'hi', payload: sub }, '  | hi\n'],
    ['tool_result', { text: 'fine', payload: main }, '    fine\n'],
    ['prompt', { text: 'do it', payload: main }, '  > do it\n'],
    ['system', { text: 'init' }, '  - init\n'],
    ['unknown', {}, '  - unknown\n'],
    ['thinking', { text: 'hm', payload: sub }, ''],
  ])('-v shows %s %j', (kind, init, shown) => {
    expect(screen({ verbose: true }).draw(kind, init)).toBe(shown);
  });

  it('C23.6, D5.16: a result that is a list of blocks shows their text, or their kinds', () => {
    const raw = (content: unknown) => ({ message: { content: [{ type: 'tool_result', tool_use_id: 't1', content }] } });
    const payload = { ...main, tool_use_id: 't1', is_error: true };
    const { draw } = screen();
    expect(draw('tool_result', { payload, raw: raw([{ type: 'text', text: 'why' }, { type: 'image' }]) })).toBe(
      '  x why\n',
    );
    expect(draw('tool_result', { payload, raw: raw([{ type: 'image' }]) })).toBe('  x [image]\n');
    expect(draw('tool_result', { payload })).toBe('  x ?\n');
  });
});

describe('what is kept from one event to the next', () => {
  it('C23, D5.6: status of the main thread alone, money as it is told and never added up', () => {
    const { draw, wait } = screen();
    draw('step', { text: 'work', payload: { index: 1, total: 1 } });
    wait(61);
    draw('text', { text: 'x', payload: { ...sub, context: 900_000 } });
    draw('result', { text: 'success', payload: { cost_usd: 0.5, spent_usd: 0.5 } });
    expect(draw('result', { text: 'success', payload: { cost_usd: 0.25, spent_usd: 0.75 } })).toContain(
      '$0.2500 · this step 1:01',
    );
    draw('step', { text: 'again', payload: { index: 2, total: 2 } });
    wait(3600);
    expect(draw('text', { text: 'x', payload: { ...main, context: 999 } })).toContain(
      'context 999 · total $0.75 · 1:01:01',
    );
    expect(draw('result', { text: 'success', payload: {} })).toContain('this step 1:00:00 · elapsed 1:01:01');
  });

  it('D5.12: a judge, and the round of work behind it, are timed by themselves', () => {
    const { draw, wait } = screen();
    const time = () => /this step \S+/.exec(draw('result', { text: 'success', payload: {} }))?.[0];
    draw('step', { text: 'work', payload: { index: 1, total: 1 } });
    wait(60);
    expect(time()).toBe('this step 1:00');
    draw('task', { text: 'A judge looks', payload: { judging: 1 } });
    wait(5);
    expect(time()).toBe('this step 0:05');
    draw('task', { text: 'Verdict 1', payload: { verdict: 'not_yet', n: 1, items: [] } });
    wait(7);
    expect(time()).toBe('this step 0:07');
  });

  it.each([
    ['mcp__flower__submit_brief', '* hand in the brief'],
    ['mcp__github__search_code', '* github search_code'],
    ['Bash', '* Bash'],
  ])('%s is called by what it does', (tool, words) => {
    expect(
      screen()
        .draw('tool_call', { tool, payload: { input: {} } })
        .trim(),
    ).toBe(words);
  });

  it('C24.4: after a handoff the old size is forgotten', () => {
    const { draw } = screen();
    draw('text', { text: 'x', payload: { ...main, context: 950_000 } });
    draw('handoff', { payload: handoff });
    expect(draw('text', { text: 'x', payload: main })).toBe('  x\n  - total $0.00 · 0:00\n');
  });

  it('C24.2: a degraded handoff says so', () => {
    expect(screen().draw('handoff', { payload: { ...handoff, degraded: true } })).toContain(
      '  ! The handoff could not be written',
    );
  });

  it('C15.1: a question that was asked is not shown again when it times out', () => {
    const { draw } = screen();
    draw('ask', { text: 'Why?', payload: { ...question, state: 'asked' } });
    const late = draw('ask', { text: 'Why?', payload: { ...question, state: 'timeout', default: 'keep' } });
    expect(late).toBe('  ! No answer: the default holds: keep\n');
  });

  it('C22.4: with several workers a line names who speaks', () => {
    const { draw } = screen();
    const started = (task_id: string) =>
      draw('task', { payload: { kind: 'TaskStartedMessage', task_id, agent_type: 'coder', description: 'x' } });
    const call = (agent_id: string) =>
      draw('tool_call', { tool: 'Read', payload: { ...sub, agent_id, input: { file_path: 'f' } } });
    started('a1');
    expect(call('a1')).toBe('  | * Read f\n');
    started('a2');
    expect(call('a2')).toBe('  | coder #2\n  | * Read f\n');
    expect(call('a2')).toBe('  | * Read f\n');
    expect(call('a1')).toBe('  | coder #1\n  | * Read f\n');
    draw('task', { payload: { kind: 'TaskNotificationMessage', task_id: 'a2' } });
    draw('text', { text: 'main', payload: main });
    expect(call('a1')).toBe('  | * Read f\n');
  });

  it('C32.4, D8.5: a model name that differs by its suffix alone is a remark, and none once the window is known', () => {
    const init = {
      text: 'mismatch',
      payload: { model_mismatch: true, want: 'claude-opus-5[1m]', served: 'Claude-Opus-5' },
    };
    const at = (known: boolean) => screen({ window: () => ({ tokens: 1_000_000, known }) });
    expect(at(false).draw('error', init)).toMatch(/^ {2}- the gateway answers as Claude-Opus-5/);
    expect(at(true).draw('error', init)).toBe('');
    const other = { ...init, payload: { ...init.payload, served: 'small-model' } };
    expect(at(true).draw('error', other)).toMatch(
      /^ {2}! configured claude-opus-5\[1m\], but the gateway answers as small-model/,
    );
  });
});

it.each<[string, Locale, string]>([
  ['set-goal', 'zh', '设定目标'],
  ['work', 'en', 'work'],
  ['work#round2', 'zh', '干活#round2'],
  ['work·verdict#1', 'en', 'work · verdict#1'],
  ['deploy', 'en', 'deploy'],
  ['deploy·verdict#2', 'en', 'deploy·verdict#2'],
  ['deploy·verdict', 'zh', 'deploy·判定'],
])('the step %s is called in %s %s', (id, locale, label) => {
  expect(stepLabel(id, locale)).toBe(label);
});

describe('C31: whatever is drawn fits the screen and is harmless', () => {
  const everything = (text: string): [EventKind, EventInit][] => {
    const payload = {
      input: { command: text, subagent_type: text, prompt: text },
      options: [text],
      answer: text,
      default: text,
    };
    const events = table.map(([, kind, init]): [EventKind, EventInit] => [
      kind,
      { ...init, text, tool: init.tool ?? text, payload: { ...payload, ...init.payload, ...sectionsOf(init, text) } },
    ]);
    return [...events, ['tool_call', { tool: 'Agent', payload: { ...main, input: payload.input } }]];
  };
  const sectionsOf = (init: EventInit, text: string) =>
    init.payload?.phase === 'done' ? { sections: { doing: text, next: text }, path: text } : {};

  it.each([
    ['120 CJK characters', '确认需求'.repeat(30)],
    ['a question of 225 columns', `${'字'.repeat(112)}?`],
    ['a result of 392 columns', 'word '.repeat(78)],
    ['an error of 593 columns', `Error: ${'x'.repeat(586)}`],
    ['a URL of 300 characters', `https://example.org/${'a'.repeat(280)}`],
  ])('%s, at every width, in both locales', (_name, text) => {
    for (const locale of ['en', 'zh'] as const) {
      for (const width of [20, 33, 79, 80, 110, 200]) {
        const { draw, writes } = screen({ width, locale, verbose: true });
        for (const [kind, init] of everything(text)) draw(kind, init);
        for (const line of writes.join('').split('\n'))
          expect(columnsOf(line)).toBeLessThanOrEqual(Math.min(width, 110));
      }
    }
  });

  it('no text is lost', () => {
    const bare = (text: string) => text.replace(/\s/g, '');
    for (const text of ['确认需求'.repeat(30), `https://example.org/${'a'.repeat(280)}`, 'word '.repeat(78)]) {
      for (const kind of ['text', 'thinking', 'error', 'retry', 'task'] as const) {
        expect(bare(screen({ width: 40 }).draw(kind, { text, payload: main }))).toContain(bare(text));
      }
      expect(
        bare(screen({ width: 40 }).draw('ask', { text, payload: { ...question, options: [text], state: 'asked' } })),
      ).toContain(`${bare(text)}1)${bare(text)}`);
    }
  });

  it('C22.1: every mark is ASCII', () => {
    const ours = screen({ verbose: true });
    for (const [, kind, init] of table) ours.draw(kind, init);
    // Letters and the punctuation of texts are free; emoji, arrows, boxes and geometric shapes are not.
    expect(ours.writes.join('')).not.toMatch(
      /[\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u2b00-\u2bff]|\p{Extended_Pictographic}/u,
    );
    for (const line of ours.writes.join('').split('\n')) expect(line.slice(0, 6)).toMatch(/^[\x20-\x7e]*/);
  });

  it('A5: hostile text changes nothing but its own place, in any kind of event', () => {
    const parts = fc.constantFrom(
      '\u001b[2J',
      '\u001b]52;c;QQ==\u0007',
      '\u001b]0;',
      '\u009b31m',
      '\r',
      '\b',
      '\u202e',
      '== work',
      '  + done',
      'a',
      '\n',
      '字',
      '‹',
      '\ud800',
      '\u0001',
    );
    const hostile = fc
      .array(fc.oneof(parts, fc.string({ unit: 'binary' })), { maxLength: 30 })
      .map((it) => it.join(''));
    fc.assert(
      fc.property(hostile, fc.boolean(), fc.integer({ min: 1, max: 130 }), (text, color, width) => {
        const { draw, writes } = screen({ width, color, verbose: true });
        for (const [kind, init] of everything(text)) draw(kind, init);
        const shown = writes.join('');
        expect(shown.replace(/\u001b\[\d+(;\d+)*m/g, '')).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
        );
        for (const line of shown.split('\n'))
          expect(columnsOf(line)).toBeLessThanOrEqual(Math.max(20, Math.min(width, 110)));
        if (color) for (const line of shown.split('\n')) expect(opened(line)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('never throws, whatever an event holds', () => {
    const kinds = fc.constantFrom(...new Set(table.map(([, kind]) => kind)));
    const payload = fc.dictionary(
      fc.constantFrom(...new Set(table.flatMap(([, , init]) => Object.keys(init.payload ?? {})))),
      fc.anything(),
    );
    fc.assert(
      fc.property(kinds, fc.string(), payload, (kind, text, anything) => {
        screen({ verbose: true }).draw(kind, { text, payload: anything });
      }),
    );
    const broken = new Renderer({
      write: () => {
        throw new Error('the terminal is gone');
      },
      columns: () => 80,
      color: false,
      verbose: false,
      locale: 'en',
    });
    expect(() => broken.event(new Event('error', { text: 'x' }))).not.toThrow();
  });
});

/** How many colours a line leaves on: each of the nine that are used ends with a code of its own. */
function opened(line: string): number {
  const codes = [...line.matchAll(/\u001b\[(\d+)m/g)].map(([, code]) => Number(code));
  const on = codes.filter((code) => (code >= 30 && code <= 37) || code === 1 || code === 2).length;
  return on - codes.filter((code) => code === 39 || code === 22).length;
}
