import type { AliasGroup } from '../locale/aliases.js';
import { aliases } from '../locale/locale.js';

/** A line that begins a section. */
export interface Heading<S extends string> {
  readonly section: S;
  /** What stands behind the heading on its line: already text of the section. */
  readonly rest: string;
  /** The line is the title and nothing else, so that a row of `=` may stand below it. */
  readonly plain: boolean;
}

/** How far into a line a title is looked for. Keeps the search linear, whatever the line holds. */
const REACH = 160;

const emoji = '(?:[0-9]\\uFE0F?\\u20E3|[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F\\u200D])+';
const number = '[(（]?(?:[0-9]{1,3}|[一二三四五六七八九十]{1,3})[.．、)）]';
const opening = '\\*\\*\\*?|__|[*_`](?=\\S)';
/** Not inside a word: `Goals`, `目标用户`, `Next.js`, `Files/dirs` are no titles. */
const boundary = "(?![\\p{L}\\p{N}]|[-_'’./&][\\p{L}\\p{N}])";
const emojiBehind = new RegExp(`^\\s*${emoji}`, 'u');

/**
 * Tells the headings of one document type from its text, in both languages and in the styles that models use: `## X`, `**X**`,
 * `**X:**`, `X:`, `3. X`, `X` alone, with an emoji or marks round it, with text behind it.
 *
 * A line that merely begins with a title is text. So a title needs one of: `#` before it, marks that close right behind it or at
 * the end of the line, a colon behind it, or the line for itself. A number alone does not make a heading of a sentence, or the
 * list item `2. Acceptance tests pass` would end a section.
 */
export class HeadingGrammar<S extends string> {
  readonly #sections = new Map<string, S>();
  readonly #pattern: RegExp;
  readonly #bareWord: (section: S, rest: string) => boolean;

  /**
   * @param groups the alias group of every section
   * @param options `bareWord`: what may follow the title without a colon and still make a heading
   */
  constructor(
    groups: Readonly<Record<S, AliasGroup>>,
    options: { readonly bareWord?: (section: S, rest: string) => boolean } = {},
  ) {
    this.#bareWord = options.bareWord ?? (() => false);
    for (const section of Object.keys(groups) as S[]) {
      for (const alias of aliases(groups[section])) this.#sections.set(folded(alias), section);
    }
    const titles = [...this.#sections.keys()].sort((a, b) => b.length - a.length).map(asPattern);
    this.#pattern = new RegExp(
      `^(?<hashes>#{1,6}\\s*)?(?:(?<outer>${opening})\\s*)?(?:${emoji}\\s*)?(?:${number}\\s*)?(?<inner>${opening})?` +
        `(?:${emoji}\\s*)?(?<title>${titles.join('|')})${boundary}`,
      'iu',
    );
  }

  /** The heading that this line is, or null. */
  match(line: string): Heading<S> | null {
    const start = line.trimStart();
    const found = this.#pattern.exec(start.slice(0, REACH));
    const section = this.#sections.get(folded(found?.groups?.title ?? ''));
    if (!found || section === undefined) return null;
    const { hashes, inner, outer } = found.groups ?? {};
    const marks = [inner, outer].filter((mark) => mark !== undefined);
    const tail = readTail(start.slice(found[0].length), marks);
    const plain = !hashes && !tail.colon && tail.rest === '';
    const stands = hashes || tail.closed || tail.colon || plain || this.#bareWord(section, tail.rest);
    return stands ? { section, rest: tail.rest, plain } : null;
  }

  /** The line as it has to be written so that it is read as text: one backslash more if it would read as a heading. */
  escape(line: string): string {
    return this.match(withoutBackslashes(line)) ? `\\${line}` : line;
  }

  /** Takes off what `escape` put on. */
  unescape(line: string): string {
    return line.startsWith('\\') && this.match(withoutBackslashes(line)) ? line.slice(1) : line;
  }
}

/** Reads what may stand behind a title: closing marks, an emoji, one colon, the rest. */
function readTail(behind: string, marks: readonly string[]): { closed: boolean; colon: boolean; rest: string } {
  let rest = behind;
  let closed = false;
  const close = () => {
    for (const mark of marks) {
      if (!rest.trimStart().startsWith(mark)) continue;
      rest = rest.trimStart().slice(mark.length);
      // `**目标**是…` sets off a word of a sentence.
      closed = !/^[\p{L}\p{N}]/u.test(rest);
    }
  };
  rest = rest.replace(emojiBehind, '');
  close();
  rest = rest.replace(emojiBehind, '').trimStart();
  const colon = rest.startsWith(':') || rest.startsWith('：');
  if (colon) rest = rest.slice(1);
  if (!closed) close();
  rest = rest.trim();
  // `**Goal of this run**`: the whole line is set off, which is what people do with a title.
  const mark = marks[0];
  if (!closed && !colon && mark && rest.endsWith(mark))
    return { closed: true, colon, rest: rest.slice(0, -mark.length) };
  return { closed, colon, rest };
}

function withoutBackslashes(line: string): string {
  return line.replace(/^\\+/, '');
}

function folded(title: string): string {
  return title.toLowerCase().replace(/\s+/g, ' ');
}

function asPattern(title: string): string {
  return title.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/ /g, '\\s+');
}
