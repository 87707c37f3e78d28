import { columnsOf, graphemesOf, isWide } from './width.js';

/**
 * Breaks text into lines of at most `width` columns, nothing cut off. Latin text breaks at blanks, CJK between any two characters;
 * a closing mark never begins a line, the character before it moves down too; a word longer than a line is broken. Empty lines are
 * dropped, a line's own indent is kept.
 *
 * `first` stands before the first line, blanks of the same width before the others.
 *
 * @example
 * wrap('one two three', 10, '  ~ '); // ['  ~ one', '    two', '    three']
 */
export function wrap(text: string, width: number, first = ''): string[] {
  const lines: string[] = [];
  const margin = columnsOf(first);
  for (const paragraph of text.split('\n')) {
    if (paragraph.trim() === '') continue;
    const room = Math.max(2, width - margin);
    const indent = Math.min(/^ */.exec(paragraph)?.[0].length ?? 0, room >> 1);
    for (const line of breakLine(paragraph.trim(), Math.max(2, room - indent))) {
      lines.push((lines.length === 0 ? first : ' '.repeat(margin)) + ' '.repeat(indent) + line);
    }
  }
  return lines;
}

const CLOSING_MARK = /^[。．，、；：！？」』）】》〉］｝％”’,.;:!?)\]}%…]/;

function breakLine(text: string, width: number): string[] {
  const graphemes = [...graphemesOf(text)];
  const lines: string[] = [];
  let start = 0;
  let columns = 0;
  for (let end = 0; end < graphemes.length; end++) {
    columns += columnsOf(graphemes[end] ?? '');
    // Blanks at the end of a line take no room: they are dropped there.
    while (columns > width && end > start && !isBlank(graphemes[end])) {
      const next = breakBefore(graphemes, start, end);
      lines.push(graphemes.slice(start, next).join('').trimEnd());
      start = next;
      columns = columnsOf(graphemes.slice(start, end + 1).join(''));
    }
  }
  const last = graphemes.slice(start).join('');
  return last === '' ? lines : [...lines, last];
}

/** Where the next line begins: the last place up to `end` that allows it, else `end` itself. Always after `start`. */
function breakBefore(graphemes: readonly string[], start: number, end: number): number {
  for (let at = end; at > start; at--) if (mayBreak(graphemes, at)) return at;
  for (let at = end; at > start; at--)
    if (!isBlank(graphemes[at]) && !CLOSING_MARK.test(graphemes[at] ?? '')) return at;
  return end;
}

function mayBreak(graphemes: readonly string[], at: number): boolean {
  const [before = '', after = ''] = [graphemes[at - 1], graphemes[at]];
  if (isBlank(after) || CLOSING_MARK.test(after)) return false;
  return isBlank(before) || isWide(before) || isWide(after);
}

function isBlank(grapheme: string | undefined): boolean {
  return grapheme === ' ' || grapheme === '\u3000';
}
