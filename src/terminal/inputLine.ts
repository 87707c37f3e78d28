import { sanitise } from './sanitise.js';
import { columnsOf, graphemesOf } from './width.js';

/** A key as Node's keypress decoder names it. */
export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

/** What the person did: entered a line, which may be empty or hold line breaks that were pasted, or gave a signal. */
export type LineEvent =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'end' | 'interrupt' | 'suspend' | 'quit' };

/** The input line between two keys. */
export interface InputLine {
  readonly text: string;
  /** Index in `text`, always between two characters as a reader counts them. */
  readonly cursor: number;
  /** What happened and was not taken yet, in order. */
  readonly events: readonly LineEvent[];
  /** What was pasted so far, while a paste goes on. */
  readonly pasted: string | null;
  /** An escape sequence that the decoder took for shorter than it is. */
  readonly swallowing: { readonly kind: 'control' | 'string'; readonly length: number } | null;
  /** The last key was CR: an LF behind it belongs to it. */
  readonly afterReturn: boolean;
}

export const emptyLine: InputLine = {
  text: '',
  cursor: 0,
  events: [],
  pasted: null,
  swallowing: null,
  afterReturn: false,
};

/**
 * What a key makes of the line. Never throws, whatever the key.
 *
 * @example
 * let line = emptyLine;
 * process.stdin.on('keypress', (_character, key) => { line = press(line, key); });
 */
export function press(line: InputLine, key: Key): InputLine {
  const sequence = key.sequence ?? '';
  if (line.swallowing) {
    const rest = swallow(line, sequence);
    if (rest) return rest;
  }
  const next: InputLine = { ...line, swallowing: null, afterReturn: key.name === 'return' };
  if (key.name === 'enter' && line.afterReturn) return next;
  if (next.pasted !== null) return paste(next, next.pasted, key);
  switch (key.name) {
    case 'return':
    case 'enter':
      return { ...next, text: '', cursor: 0, events: [...next.events, { type: 'line', text: next.text }] };
    case 'paste-start':
      return { ...next, pasted: '' };
    case 'backspace':
      return key.meta ? next : erase(next, previous(next), next.cursor);
    case 'delete':
      return erase(next, next.cursor, following(next));
    case 'left':
      return { ...next, cursor: previous(next) };
    case 'right':
      return { ...next, cursor: following(next) };
    case 'home':
      return { ...next, cursor: 0 };
    case 'end':
      return { ...next, cursor: next.text.length };
  }
  if (sequence === '\u001c') return signal(next, 'quit');
  if (key.ctrl && !key.meta) return control(next, key.name);
  if (sequence.startsWith('\u001b')) return { ...next, swallowing: cutShort(sequence) };
  return isPrintable(sequence) ? insert(next, sequence) : next;
}

/** The events so far, and the line without them. */
export function takeEvents(line: InputLine): [events: readonly LineEvent[], line: InputLine] {
  return [line.events, { ...line, events: [] }];
}

/**
 * How the line is shown within `width` columns, of which the last one stays free for the cursor: if it does not fit, the prompt
 * shrinks and the text scrolls sideways so that the cursor is seen. `before` and `after` are the text on both sides of the cursor.
 */
export function viewOf(
  line: Pick<InputLine, 'text' | 'cursor'>,
  prompt: string,
  width: number,
): { prompt: string; before: string; after: string } {
  const room = Math.max(0, width - 1);
  // No more than this can be on screen, however long the text is.
  const reach = 4 * room;
  const before = shown(line.text.slice(Math.max(0, line.cursor - reach), line.cursor));
  const after = shown(line.text.slice(line.cursor, line.cursor + reach));
  const isWhole = line.text.length <= reach;
  if (isWhole && columnsOf(prompt) + columnsOf(before) + columnsOf(after) <= room) return { prompt, before, after };
  const short = room >= 8 ? '> ' : '';
  const textRoom = room - short.length;
  const behind = takeColumns([...graphemesOf(after)], textRoom >> 2);
  const front = takeColumns([...graphemesOf(before)].reverse(), textRoom - columnsOf(behind.join('')));
  return { prompt: short, before: front.reverse().join(''), after: behind.join('') };
}

/** A sequence that goes on behind what the decoder gave: a control sequence without its final byte, or the head of a string. */
function cutShort(sequence: string): InputLine['swallowing'] {
  if (/^\u001b+\[[^@-~]*$/.test(sequence)) return { kind: 'control', length: sequence.length };
  return /^\u001b[\]P_]$/.test(sequence) ? { kind: 'string', length: sequence.length } : null;
}

/** What terminals answer begins so; anything else behind Alt and one of these keys was typed. */
const STRING_BEGINS = /^[0-9>+!$=|G]$/;
const LONGEST_SEQUENCE = 8;

/** The line without the next piece of a sequence, or null if this key is none. */
function swallow(line: InputLine, piece: string): InputLine | null {
  const { kind, length } = line.swallowing ?? { kind: 'control', length: LONGEST_SEQUENCE };
  if (length >= LONGEST_SEQUENCE || /^[\r\n\u0003\u0004]$/.test(piece)) return null;
  const goesOn: InputLine = { ...line, swallowing: { kind, length: length + piece.length } };
  const isOver: InputLine = { ...line, swallowing: null };
  if (kind === 'control') {
    if (piece.startsWith('\u001b')) return null;
    return /^[@-~]$/.test(piece) ? isOver : goesOn;
  }
  if (piece === '\u0007' || piece === '\u001b\\' || piece === '\u009c') return isOver;
  if (piece.startsWith('\u001b') || (length === 2 && !STRING_BEGINS.test(piece))) return null;
  return goesOn;
}

function paste(line: InputLine, pasted: string, key: Key): InputLine {
  const sequence = key.sequence ?? '';
  if (key.name === 'paste-end') return insert({ ...line, pasted: null }, pasted);
  if (key.name === 'return' || key.name === 'enter') return { ...line, pasted: `${pasted}\n` };
  if (sequence === '\t') return { ...line, pasted: `${pasted} ` };
  return isPrintable(sequence) ? { ...line, pasted: pasted + sequence } : line;
}

function control(line: InputLine, name: string | undefined): InputLine {
  switch (name) {
    case 'a':
      return { ...line, cursor: 0 };
    case 'e':
      return { ...line, cursor: line.text.length };
    case 'u':
      return { ...line, text: '', cursor: 0 };
    case 'c':
      return signal(line, 'interrupt');
    case 'z':
      return signal(line, 'suspend');
    case 'd':
      return line.text === '' ? signal(line, 'end') : line;
    default:
      return line;
  }
}

function signal(line: InputLine, type: 'end' | 'interrupt' | 'suspend' | 'quit'): InputLine {
  return { ...line, events: [...line.events, { type }] };
}

/** One character that is drawn. The replacement character stands for bytes that were broken on the way. */
function isPrintable(sequence: string): boolean {
  return sequence !== '' && sequence !== '\ufffd' && !/\p{Cc}|\p{Cs}/u.test(sequence);
}

function insert(line: InputLine, words: string): InputLine {
  const { text, cursor } = line;
  if (cursor === text.length) return { ...line, text: text + words, cursor: cursor + words.length };
  return { ...line, text: text.slice(0, cursor) + words + text.slice(cursor), cursor: cursor + words.length };
}

function erase(line: InputLine, from: number, to: number): InputLine {
  return { ...line, text: line.text.slice(0, from) + line.text.slice(to), cursor: from };
}

/** How far a character can reach; no emoji and no syllable is longer. */
const CHARACTER = 64;

function previous({ text, cursor }: InputLine): number {
  const last = [...graphemesOf(text.slice(Math.max(0, cursor - CHARACTER), cursor))].at(-1) ?? '';
  return cursor - last.length;
}

function following({ text, cursor }: InputLine): number {
  const [first = ''] = graphemesOf(text.slice(cursor, cursor + CHARACTER));
  return cursor + first.length;
}

/** Text as it stands in the one row: a line break that was pasted is shown as it is written in programs. */
function shown(text: string): string {
  return sanitise(text).replaceAll('\n', '\\n');
}

function takeColumns(graphemes: readonly string[], columns: number): string[] {
  const taken: string[] = [];
  let left = columns;
  for (const grapheme of graphemes) {
    left -= columnsOf(grapheme);
    if (left < 0) break;
    taken.push(grapheme);
  }
  return taken;
}
