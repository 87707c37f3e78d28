import type { Locale } from '../locale/locale.js';
import { saysNone } from './placeholders.js';
import { type BodyPiece, cleanField } from './sections.js';

/**
 * The items of a list: one for each line, without bullet, number or box. A block belongs to the item above it. Items that say
 * "none" are left out.
 *
 * @example
 * readItems([{ kind: 'line', text: '- [ ] npm test passes' }]); // ['npm test passes']
 */
export function readItems(pieces: readonly BodyPiece[]): string[] {
  const items: string[] = [];
  let hasItem = false;
  for (const piece of pieces) {
    const last = items.length - 1;
    if (piece.kind === 'line') {
      const item = withoutBullet(piece.text);
      if (!item) continue;
      hasItem = !saysNone(item);
      if (hasItem) items.push(item);
    } else if (hasItem) {
      // A note stands on the item's own line: below it, it would be read as an item.
      if (piece.kind === 'note') items[last] = withNote(items[last] ?? '', piece.text);
      else items[last] = `${items[last]}\n${dedented(piece.lines).join('\n')}`;
    }
  }
  return items;
}

/** The single item that these pieces make: its lines joined, its blocks below. */
export function oneItem(pieces: readonly BodyPiece[]): string {
  const lines = pieces.filter((piece) => piece.kind !== 'block');
  const blocks = pieces.filter((piece) => piece.kind === 'block').map((block) => dedented(block.lines).join('\n'));
  const words = withoutBullet(onOneLine(lines.map((piece) => piece.text).join('\n')));
  return words && !saysNone(words) ? [words, ...blocks].join('\n') : '';
}

/** A text as a single line, without blocks of its own; `''` if it says "none". */
export function oneLine(source: string, locale: Locale): string {
  const line = onOneLine(cleanField(source, locale));
  return saysNone(line) ? '' : line;
}

/** The lines of a text, one behind the other. */
export function onOneLine(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ');
}

/** A list as it is written: `- item`, the lines of its blocks indented by two blanks. */
export function writeItems(items: readonly string[]): string {
  return items.map((item) => `- ${item.replace(/\n(?=[^\n])/g, '\n  ')}`).join('\n');
}

/** The first line of an item, without the blocks below it. */
export function headOfItem(item: string): { head: string; blocks: string } {
  const end = item.indexOf('\n');
  return end < 0 ? { head: item, blocks: '' } : { head: item.slice(0, end), blocks: item.slice(end) };
}

function withNote(item: string, note: string): string {
  const { head, blocks } = headOfItem(item);
  return `${head} ${note}${blocks}`;
}

/**
 * A bullet is `-`, `*`, `+`, `•` and a blank (none is needed before an ideograph), or a number; `1.5 s`, `-v` and `*emphasis*` have
 * none.
 */
function withoutBullet(line: string): string {
  const item = line.trim().replace(/^(?:[-*+•](?:\s+|$)|-(?=\p{Lo})|\d{1,3}(?:、|[.．)）](?![\d.]))\s*)/u, '');
  return item.replace(/^(?:\[ \]\s*|\[[xX]\](?:\s+|$))+/, '').trim();
}

/** Takes the indent of the opening fence off every line that has it. */
function dedented(lines: readonly string[]): readonly string[] {
  const indent = /^ */.exec(lines[0] ?? '')?.[0].length ?? 0;
  const leading = new RegExp(`^ {0,${indent}}`);
  return lines.map((line) => line.replace(leading, ''));
}
