import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPaint, markDim, paintLines, wantsColor } from './paint.js';
import { keepColours, sanitise } from './sanitise.js';
import { columnsOf, cutToWidth, graphemesOf, usableWidth } from './width.js';
import { wrap } from './wrap.js';

const ESC = '\u001b';
const BEL = '\u0007';
/** Any text, with the characters that terminals act on far more often than chance would have them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ESC,
        `${ESC}[`,
        `${ESC}]52;c;`,
        `${ESC}P`,
        `${ESC}\\`,
        BEL,
        '\u009b',
        '\u009d',
        '\u009c',
        '\r',
        '\b',
        '31m',
      ),
      fc.constantFrom('中文字', '。', '」', '👨‍👩‍👧', 'e\u0301', '\u202e', '\u200b', ' ', '\n', '\t', '\ud800', 'Ж'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''));

describe('sanitise (C21.3, D5.1)', () => {
  it.each([
    ['clipboard', `a${ESC}]52;c;cm0gLXIgLw==${BEL}b`, 'ab'],
    ['title, ended by ST', `a${ESC}]0;owned${ESC}\\b`, 'ab'],
    ['hyperlink', `${ESC}]8;;http://192.0.2.1/${ESC}\\click${ESC}]8;;${ESC}\\`, 'click'],
    ['clear and move', `a${ESC}[2J${ESC}[H${ESC}[10A${ESC}[1Kb`, 'ab'],
    ['questions to the terminal', `a${ESC}[6n${ESC}[c${ESC}[21t${ESC}]11;?${BEL}b`, 'ab'],
    ['DCS, APC, PM, SOS', `a${ESC}P+q544e${ESC}\\${ESC}_Gx${ESC}\\${ESC}^x${ESC}\\${ESC}Xy${ESC}\\b`, 'ab'],
    ['a string that never ends', `a${ESC}]52;c;never ends\nnext line`, 'a\nnext line'],
    ['a string cut off by another sequence', `a${ESC}]0;x${ESC}[31mb`, 'ab'],
    ['reset, alignment, character set', `a${ESC}c${ESC}#8${ESC}(0b`, 'ab'],
    ['one-character CSI', 'a\u009b31mb', 'ab'],
    ['one-character OSC', 'a\u009d52;c;QQ==\u009cb', 'ab'],
    ['foreign colour', `a${ESC}[1;31mb${ESC}[0m`, 'ab'],
    ['lone escape', `a${ESC}`, 'a'],
    ['escape before a wide character', `a${ESC}中`, 'a中'],
    ['half a sequence', `a${ESC}[31`, 'a'],
    ['its other half', ']52;c;QQ==\u0007b', ']52;c;QQ==b'],
    ['tab', 'a\tb', 'a b'],
    ['C0 and DEL', 'a\rb\b\bc\u0000d\u000be\u000cf\u007f', 'abcdef'],
    ['C1', 'a\u0080\u0085\u0084b', 'ab'],
    ['direction', 'a\u202ecilam\u202c\u2066b\u200fc', 'acilambc'],
    ['invisible', 'a\u200b\ufeff\u{e0041}b', 'ab'],
    ['half a surrogate pair', 'a\ud83db', 'a\ufffdb'],
    ['emoji with a joiner', '👨‍👩‍👧', '👨‍👩‍👧'],
    ['line breaks', 'a\r\nb\u2028c', 'a\nb\nc'],
  ])('%s', (_name, text, clean) => {
    expect(sanitise(text)).toBe(clean);
  });

  it('leaves nothing that a terminal acts on, in any text, and is done after one pass', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = sanitise(text);
        expect(clean).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(sanitise(clean)).toBe(clean);
      }),
    );
  });

  it('C21.2: the last guard lets colours pass and nothing else', () => {
    expect(keepColours(`${ESC}[1;31mred${ESC}[0m${ESC}[2J${ESC}]0;t${BEL}\u009b1Aend`)).toBe(
      `${ESC}[1;31mred${ESC}[0mend`,
    );
  });
});

describe('columns (C21.5)', () => {
  it.each([
    ['abc', 3],
    ['确认', 4],
    ['ＡＢ', 4],
    ['—…“', 6],
    ['e\u0301', 1],
    ['👨‍👩‍👧', 2],
    [`${ESC}[31mab${ESC}[39m`, 2],
  ])('%j takes %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  it.each([
    [undefined, 80],
    [0, 80],
    [7, 20],
    [60, 60],
    [300, 110],
  ])('C21.4, D5.4: a terminal of %s columns is used up to %i', (columns, width) => {
    expect(usableWidth(columns)).toBe(width);
  });

  it('C21.7, D5.2: a cut line is one line that fits and says that it was cut', () => {
    expect(cutToWidth('short', 10)).toBe('short');
    expect(cutToWidth('a\n  b', 10)).toBe('a b');
    expect(cutToWidth('0123456789x', 10)).toBe('0123456...');
    expect(cutToWidth('确认需求确认需求', 10)).toBe('确认需...');
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 40 }), (text, width) => {
        const cut = cutToWidth(sanitise(text), width);
        expect(cut).not.toContain('\n');
        expect(columnsOf(cut)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

it('graphemesOf gives every text back, in characters that are whole at the edge of a piece too', () => {
  const family = '👨‍👩‍👧';
  expect([...graphemesOf('a'.repeat(998) + family.repeat(3))].slice(998)).toEqual([family, family, family]);
  fc.assert(
    fc.property(hostile, (text) => {
      expect([...graphemesOf(text)].join('')).toBe(text);
    }),
  );
});

describe('wrap (C21.6, D5.3, D5.5)', () => {
  it.each<[string, number, string, string[]]>([
    ['one two three', 10, '  ~ ', ['  ~ one', '    two', '    three']],
    ['one\n\n  \ntwo', 20, '- ', ['- one', '  two']],
    ['  indented code that is long', 16, '', ['  indented code', '  that is long']],
    ['确认需求确认需求', 10, '', ['确认需求确', '认需求']],
    ['确认需求确。认需求', 10, '', ['确认需求', '确。认需求']],
    ['确认需求确」。认', 10, '', ['确认需求', '确」。认']],
    ['see https://example.org/a/long/path now', 12, '', ['see', 'https://exam', 'ple.org/a/lo', 'ng/path now']],
    ['Привет мир', 20, '', ['Привет мир']],
    ['Привет мир', 12, '', ['Привет', 'мир']],
    ['', 10, '  ~ ', []],
  ])('%j at %i', (text, width, first, lines) => {
    expect(wrap(text, width, first)).toEqual(lines);
  });

  it('loses no character and never exceeds the width, whatever the text', () => {
    const bare = (text: string) => text.replace(/\s/g, '');
    fc.assert(
      fc.property(hostile, fc.integer({ min: 20, max: 110 }), (text, width) => {
        const clean = sanitise(text);
        const lines = wrap(clean, width, '  | ');
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
        expect(bare(lines.map((line) => line.slice(4)).join(''))).toBe(bare(clean));
      }),
    );
  });

  it('begins a line with a closing mark only if the whole line before is made of them', () => {
    const words = fc.array(fc.constantFrom('字', '。', '」', 'a', ' ', '.', ')'), { maxLength: 80 });
    fc.assert(
      fc.property(words, fc.integer({ min: 10, max: 30 }), (parts, width) => {
        const lines = wrap(parts.join(''), width);
        for (const [index, line] of lines.entries()) {
          if (index > 0 && /^[。」.)]/.test(line)) expect(lines[index - 1]).toMatch(/^[。」.)字a ]?[。」.) ]*$/);
        }
      }),
    );
  });

  it('takes a line of a hundred thousand characters', () => {
    expect(wrap('字'.repeat(100_000), 80)).toHaveLength(2_500);
    expect(wrap('a'.repeat(100_000), 80)).toHaveLength(1_250);
  });
});

describe('paint (C21.10, D5.7)', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('terminal %s with %j: colour %s', (isTTY, env, expected) => {
    expect(wantsColor({ isTTY }, env)).toBe(expected);
  });

  it('draws ‹…› dim, over line breaks too, and shows the marks nowhere', () => {
    const paint = createPaint(true);
    const lines = paintLines(['a\u0001b', 'c\u0002d'], paint.green, paint);
    expect(lines).toEqual([paint.green('a') + paint.dim('b'), paint.dim('c') + paint.green('d')]);
    const plain = createPaint(false);
    expect(paintLines([markDim('‹x› y')], plain.green, plain)).toEqual(['x y']);
  });
});
