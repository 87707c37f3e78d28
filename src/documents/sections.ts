import { type Locale, text } from '../locale/locale.js';
import { emptyLine, normalized, type Piece, toPieces, unwrapped } from './blocks.js';
import type { Heading, HeadingGrammar } from './headings.js';
import { isPlaceholder } from './placeholders.js';

/** Longer fenced blocks do not belong into a document; a note with their length stands for them. */
const MAX_BLOCK_LINES = 12;

/** A part of a section: a line, a block that is kept, or the note that stands for a block that is not. */
export type BodyPiece = Piece | { readonly kind: 'note'; readonly text: string };

/** One section as it stands in a text. A title may occur more than once. */
export interface Section<S extends string> {
  readonly name: S;
  readonly pieces: readonly BodyPiece[];
}

/**
 * Reads the sections of a text, in their order. What stands before the first heading is dropped; a heading that the grammar does
 * not know is text.
 *
 * @param options `locale`: the language of notes for blocks left out; `isText`: lines that are no headings inside a section
 */
export function readSections<S extends string>(
  source: string,
  grammar: HeadingGrammar<S>,
  options: { readonly locale: Locale; readonly isText?: (section: S, line: string) => boolean },
): Section<S>[] {
  const sections: { name: S; pieces: BodyPiece[] }[] = [];
  let current: { name: S; pieces: BodyPiece[] } | undefined;
  let afterPlainTitle = false;
  for (const piece of toPieces(unwrapped(normalized(source))).pieces) {
    const isUnderline = afterPlainTitle && piece.kind === 'line' && /^\s*={2,}\s*$/.test(piece.text);
    afterPlainTitle = false;
    if (piece.kind === 'block') {
      current?.pieces.push(keptOrNoted(piece, options.locale));
    } else if (piece.text === '') {
      current?.pieces.push(piece);
    } else if (!isUnderline) {
      const line = piece.text;
      const heading: Heading<S> | null = current && options.isText?.(current.name, line) ? null : grammar.match(line);
      if (heading) {
        current = { name: heading.section, pieces: heading.rest ? [{ kind: 'line', text: heading.rest }] : [] };
        sections.push(current);
        afterPlainTitle = heading.plain;
      } else {
        current?.pieces.push({ kind: 'line', text: grammar.unescape(line) });
      }
    }
  }
  return sections;
}

/** The text of one section: of several with this name the first that says something. */
export function bodyOf<S extends string>(
  sections: readonly Section<S>[],
  name: S,
  isEmpty: (body: string) => boolean,
): { body: string; pieces: readonly BodyPiece[] } {
  for (const section of sections) {
    if (section.name !== name) continue;
    const pieces = cleaned(section.pieces);
    const body = joined(pieces);
    if (body && !isEmpty(body)) return { body, pieces };
  }
  return { body: '', pieces: [] };
}

/** Cuts the text of a single field, as a tool hands it over, into clean pieces. `closed` is false for an open code block. */
export function fieldPieces(source: string, locale: Locale): { pieces: BodyPiece[]; closed: boolean } {
  const { pieces, unclosed } = toPieces(normalized(source));
  const parts = pieces.map((piece) => (piece.kind === 'block' ? keptOrNoted(piece, locale) : piece));
  return { pieces: cleaned(parts), closed: unclosed === null };
}

/** The text of a single field, as a parsed section would hold it; `''` if it is a placeholder. */
export function cleanField(source: string, locale: Locale, options: { readonly noneIsAnswer?: boolean } = {}): string {
  const body = joined(fieldPieces(source, locale).pieces);
  return isPlaceholder(body, options) ? '' : body;
}

/**
 * Cleans a section: no blank lines round it, never two in a row inside it, no blanks at line ends, no rule lines. Blocks stay as
 * they are.
 */
export function cleaned(pieces: readonly BodyPiece[]): BodyPiece[] {
  const kept: BodyPiece[] = [];
  let gap = false;
  for (const piece of pieces) {
    if (piece.kind !== 'line') {
      if (gap && kept.length > 0) kept.push(emptyLine);
      kept.push(piece);
      gap = false;
      continue;
    }
    const line = piece.text.trimEnd();
    if (line === '') gap = true;
    if (line === '' || isRule(line)) continue;
    if (gap && kept.length > 0) kept.push(emptyLine);
    kept.push({ kind: 'line', text: kept.length > 0 ? line : line.trimStart() });
    gap = false;
  }
  return kept;
}

/** The pieces as text. */
export function joined(pieces: readonly BodyPiece[]): string {
  return pieces.map((piece) => (piece.kind === 'block' ? piece.lines.join('\n') : piece.text)).join('\n');
}

/**
 * A text as it has to stand in a file: every line outside its blocks that would read as a heading is escaped, and a block that is
 * open at the end is closed, or it would swallow the sections behind it.
 */
export function escaped<S extends string>(body: string, grammar: HeadingGrammar<S>): string {
  const { pieces, unclosed } = toPieces(body);
  const lines = pieces.map((piece) => (piece.kind === 'line' ? grammar.escape(piece.text) : piece.lines.join('\n')));
  if (unclosed) lines.push(...unclosed, /[`~]+/.exec(unclosed[0] ?? '')?.[0] ?? '');
  return lines.join('\n');
}

/** Note lines as they stand below the title of a document. */
export function quoted(notes: string): string {
  return notes.replace(/^/gm, '> ');
}

function keptOrNoted(block: Extract<Piece, { kind: 'block' }>, locale: Locale): BodyPiece {
  const n = block.lines.length - 2;
  return n <= MAX_BLOCK_LINES ? block : { kind: 'note', text: text('fence.omitted', { n }, locale) };
}

function isRule(line: string): boolean {
  return /^\s*(?:-{3,}|\*{3,}|_{3,})$/.test(line);
}
