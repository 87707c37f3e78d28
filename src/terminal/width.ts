import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

/**
 * How many columns a text takes on screen. Colours take none. Characters whose width depends on the font count as wide: a line
 * taken for narrow but drawn wide overflows, one broken too early does no harm.
 *
 * @example
 * columnsOf('确认 a'); // 6
 */
export function columnsOf(text: string): number {
  return measured(text, { ambiguousIsNarrow: false }, known);
}

/**
 * Whether a character is truly wide, that is CJK or emoji. Letters of ambiguous width (Greek, Cyrillic) are not: they make words.
 */
export function isWide(character: string): boolean {
  return measured(character, {}, knownNarrow) === 2;
}

/**
 * How many rows a line takes on a terminal that breaks it wherever a row is full. A character of ambiguous width counts as narrow
 * here: what is erased by this must not be more than the line itself.
 */
export function rowsTaken(line: string, columns: number): number {
  let rows = 1;
  let column = 0;
  for (const grapheme of graphemesOf(stripVTControlCharacters(line))) {
    const width = measured(grapheme, {}, knownNarrow);
    if (column > 0 && column + width > columns) {
      rows += 1;
      column = 0;
    }
    column += width;
  }
  return rows;
}

/** Lines are measured character by character, and there are few different ones. */
const known = new Map<string, number>();
const knownNarrow = new Map<string, number>();

function measured(text: string, options: { ambiguousIsNarrow?: boolean }, cache: Map<string, number>): number {
  if (text.length > 2) return stringWidth(text, options);
  let columns = cache.get(text);
  if (columns === undefined) {
    columns = stringWidth(text, options);
    if (cache.size < 20_000) cache.set(text, columns);
  }
  return columns;
}

/**
 * The characters of a text as a reader counts them: an emoji of five code points is one. The text is handed to the segmenter in
 * pieces, because its time grows with the square of the length.
 */
export function* graphemesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const piece = text.slice(start, start + PIECE);
    const isLast = start + PIECE >= text.length;
    let length = 0;
    for (const segment of segmentsOf(piece)) {
      const touchesEnd = length + segment.length === piece.length;
      // What touches the end of a piece may go on behind it: it is read again as the beginning of the next one.
      if (touchesEnd && length > 0 && !isLast) break;
      yield segment;
      length += segment.length;
    }
    start += length;
  }
}

const PIECE = 1000;
const segmenter = new Intl.Segmenter();

function segmentsOf(piece: string): Iterable<string> {
  return /^[ -~]*$/.test(piece) ? piece : Array.from(segmenter.segment(piece), ({ segment }) => segment);
}

/**
 * One line of at most `width` columns: line breaks become blanks, what does not fit is replaced by `...`.
 *
 * @example
 * cutToWidth('a long line', 8); // 'a lon...'
 */
export function cutToWidth(text: string, width: number): string {
  const line = text
    .split('\n')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
  if (line.length <= PIECE && columnsOf(line) <= width) return line;
  const dots = '...'.slice(0, Math.max(0, width));
  let kept = '';
  let columns = dots.length;
  for (const grapheme of graphemesOf(line)) {
    columns += columnsOf(grapheme);
    if (columns > width) break;
    kept += grapheme;
  }
  return kept.trimEnd() + dots;
}

/** How wide output may be on a terminal with so many columns: wide screens are left partly empty, to stay readable. */
export function usableWidth(columns: number | undefined): number {
  return Math.max(20, Math.min(columns || 80, 110));
}
