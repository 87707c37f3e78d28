import { emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyLine, type InputLine, type Key, press, viewOf } from './inputLine.js';
import { columnsOf } from './width.js';

/** What a line becomes when these bytes come in, in these pieces. */
function type(...pieces: (string | Buffer)[]): InputLine {
  const stream = new PassThrough();
  emitKeypressEvents(stream);
  let line = emptyLine;
  stream.on('keypress', (_character: string | undefined, key: Key) => {
    line = press(line, key);
  });
  for (const piece of pieces) stream.emit('data', typeof piece === 'string' ? Buffer.from(piece) : piece);
  return line;
}
const lines = (line: InputLine) => line.events.map((event) => (event.type === 'line' ? event.text : `<${event.type}>`));

describe('the input line (C13.4)', () => {
  it.each<[string, string, string, number]>([
    ['printable', 'aä中👍', 'aä中👍', 5],
    ['Backspace', 'ab\x7f', 'a', 1],
    ['Ctrl-H', 'ab\x08', 'a', 1],
    ['Backspace over a syllable', '한한\x7f', '한', 1],
    ['Backspace over a composed letter', 'xe\u0301\x7f', 'x', 1],
    ['Backspace over a family', 'x👨‍👩‍👧\x7f', 'x', 1],
    ['Backspace over a flag', 'x🇩🇪\x7f', 'x', 1],
    ['Backspace at the start', 'a\x1b[D\x7f', 'a', 0],
    ['left', 'ab\x1b[Dc', 'acb', 2],
    ['left, application mode', 'ab\x1bODc', 'acb', 2],
    ['right', 'ab\x1b[D\x1b[D\x1b[Cc', 'acb', 2],
    ['right, application mode', 'ab\x1b[D\x1b[D\x1bOCc', 'acb', 2],
    ['left over a wide one', '中文\x1b[Dx', '中x文', 2],
    ['Home', 'ab\x1b[Hc', 'cab', 1],
    ['Home, other forms', 'ab\x1b[1~c\x1bOHd', 'dcab', 1],
    ['End', 'ab\x1b[H\x1b[Fc', 'abc', 3],
    ['End, other forms', 'ab\x1b[H\x1b[4~c\x1b[H\x1bOFd', 'abcd', 4],
    ['Delete', 'abc\x1b[H\x1b[3~', 'bc', 0],
    ['Delete at the end', 'abc\x1b[3~', 'abc', 3],
    ['Ctrl-A, Ctrl-E', 'ab\x01c\x05d', 'cabd', 4],
    ['Ctrl-U', 'ab\x15', '', 0],
    ['Ctrl-D in a line with text', 'ab\x04', 'ab', 2],
    ['up and down', 'ab\x1b[A\x1b[B', 'ab', 2],
    ['Alt + key', 'ab\x1bx\x1bB', 'ab', 2],
    ['other control bytes', 'a\x00\x02\x0b\x1f\tb', 'ab', 2],
    ['function keys, modifiers', 'a\x1b[15~\x1bOP\x1b[1;5Cb', 'ab', 2],
    ['broken bytes', Buffer.from([0x61, 0xff, 0xc3, 0x62]).toString('latin1'), 'aÿÃb', 4],
  ])('%s', (_name, bytes, text, cursor) => {
    expect(type(bytes)).toMatchObject({ text, cursor, events: [] });
  });

  it('drops broken bytes', () => {
    expect(type(Buffer.from([0x61, 0xff, 0xc3, 0x62])).text).toBe('ab');
  });

  it.each([
    ['Enter as CR', 'a\r', ['a']],
    ['Enter as LF', 'a\n', ['a']],
    ['Enter as CR LF', 'a\r\nb\r\n', ['a', 'b']],
    ['D3.3: several lines in one read', 'one\rtwo\rthr', ['one', 'two']],
    ['Enter alone', '\r', ['']],
    ['Ctrl-D alone', '\x04', ['<end>']],
    ['Ctrl-C', 'a\x03b\r', ['<interrupt>', 'ab']],
    ['Ctrl-Z, Ctrl-\\', '\x1a\x1c', ['<suspend>', '<quit>']],
  ])('%s', (_name, bytes, events) => {
    expect(lines(type(bytes))).toEqual(events);
  });
});

describe('escape sequences are swallowed whole (C13.5)', () => {
  it.each([
    ['a mouse report', 'a\x1b[<0;1Mb', 'ab'],
    ['a colour report', 'a\x1b]11;x\x07b', 'ab'],
    ['a report ended by ST', 'a\x1b]1;x\x1b\\b', 'ab'],
    ['a device report', 'a\x1bP1+r\x1b\\b', 'ab'],
    ['Alt-P, then typing', 'a\x1bPbc', 'abc'],
    ['Alt-], then typing', 'a\x1b]bc', 'abc'],
    ['a sequence that was cut off by Enter', 'a\x1b[<0\r', ''],
  ])('%s', (_name, bytes, text) => {
    expect(type(bytes).text).toBe(text);
  });

  it('gives up one that does not end', () => {
    expect(type('a\x1b]0123456789end').text).toMatch(/^a\d{0,9}end$/);
  });
});

describe('bracketed paste (C13.9)', () => {
  it.each([
    ['CR', '\x1b[200~first\rsecond\r\rfourth\x1b[201~'],
    ['LF', '\x1b[200~first\nsecond\n\nfourth\x1b[201~'],
    ['CR LF', '\x1b[200~first\r\nsecond\r\n\r\nfourth\x1b[201~'],
  ])('several lines with %s are one entry, sent by Enter', (_name, bytes) => {
    const pasted = type(bytes);
    expect(pasted).toMatchObject({ text: 'first\nsecond\n\nfourth', events: [] });
    expect(lines(type(bytes, '\r'))).toEqual(['first\nsecond\n\nfourth']);
  });

  it('goes in at the cursor; colours and control characters in it are dropped', () => {
    expect(type('ab\x1b[D\x1b[200~x\x1b[31my\x00\x07\tz\x03\x04\x1b[201~c').text).toBe('axy zcb');
  });

  it('takes nothing behind the end mark for pasted', () => {
    const line = type('\x1b[200~harmless\x1b[201~/stop\r\x1b[201~');
    expect(lines(line)).toEqual(['harmless/stop']);
    expect(line.text).toBe('');
  });

  it('keeps a backslash at the end', () => {
    expect(lines(type('\x1b[200~ends \\\x1b[201~\r'))).toEqual(['ends \\']);
  });

  it('takes two megabytes', () => {
    const paste = '0123456789abcde\r'.repeat(131_072);
    expect(type(`\x1b[200~${paste}\x1b[201~`).text.length).toBe(paste.length);
  });
});

describe('properties', () => {
  const bytes = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '\x1b',
          '\x1b[',
          '\x1b[D',
          '\x1b[200~',
          '\x1b[201~',
          '\x1b]',
          '\r',
          '\n',
          '\x7f',
          '\x03',
          '\x04',
          '中',
          '👨‍👩‍👧',
          'a',
          ';5',
        ),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
      { maxLength: 40 },
    )
    .map((parts) => Buffer.from(parts.join('')));

  it('C13.8: any chunking of a byte stream gives the same result', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(200)), (input, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (input.length + 1)), input.length].sort((a, b) => a - b);
        const pieces = places.slice(1).map((end, index) => input.subarray(places[index], end));
        expect(type(...pieces)).toEqual(type(input));
      }),
    );
  });

  it('never throws, and the cursor stays in the text, whatever the keys', () => {
    const anyKey = fc.record(
      {
        name: fc.oneof(
          fc.string(),
          fc.constantFrom('return', 'left', 'right', 'home', 'end', 'delete', 'backspace', 'paste-start'),
        ),
        sequence: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('中', '\x1b[', 'a')),
        ctrl: fc.boolean(),
        meta: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 60 }), (keys) => {
        const line = keys.reduce(press, emptyLine);
        expect(line.cursor).toBeGreaterThanOrEqual(0);
        expect(line.cursor).toBeLessThanOrEqual(line.text.length);
      }),
    );
  });

  it('C12.5: the line never wraps and the cursor is on screen, at any width', () => {
    const text = fc
      .array(fc.constantFrom('a', '中', '👨‍👩‍👧', 'e\u0301', '\n', ' ', '—'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 0, max: 60 }), (words, at, width) => {
        const start = type(...(words === '' ? [] : [`\x1b[200~${words}\x1b[201~`]));
        const line = { text: start.text, cursor: at % (start.text.length + 1) };
        const { prompt, before, after } = viewOf(line, 'Your answer > ', width);
        expect(columnsOf(prompt + before + after)).toBeLessThanOrEqual(Math.max(0, width - 1));
        expect(prompt + before + after).not.toContain('\n');
      }),
    );
  });
});

describe('viewOf (C12.5)', () => {
  it.each([
    ['fits', 'hello', 5, 30, ['Your answer > ', 'hello', '']],
    ['cursor in the middle', 'hello', 2, 30, ['Your answer > ', 'he', 'llo']],
    ['does not fit', 'hello there', 11, 21, ['> ', 'hello there', '']],
    ['scrolls', '0123456789abcdefghij', 20, 12, ['> ', 'bcdefghij', '']],
    ['scrolls with text behind the cursor', '0123456789abcdefghij', 10, 12, ['> ', '3456789', 'ab']],
    ['pasted line breaks', 'a\nb', 3, 30, ['Your answer > ', 'a\\nb', '']],
    ['no room at all', '中', 1, 1, ['', '', '']],
  ])('%s', (_name, text, cursor, width, [prompt, before, after]) => {
    expect(viewOf({ text, cursor }, 'Your answer > ', width)).toEqual({ prompt, before, after });
  });
});
