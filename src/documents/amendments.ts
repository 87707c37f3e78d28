import { aliases } from '../locale/locale.js';
import { normalized } from './blocks.js';

/** Words of a person that were added to a brief while the run went on. */
export interface Amendment {
  /** The heading line, with label and time of day. */
  readonly heading: string;
  /** The words, as the file holds them. */
  readonly words: string;
}

const labels = [...aliases('amend.running'), ...aliases('amend.wake')].join('|');
const heading = `##[ \\t]+(?:${labels})[ \\t]*[(（]\\d{1,2}[:：]\\d{2}[:：]\\d{2}[)）][ \\t]*$`;
const headingLine = new RegExp(`^${heading}`, 'imu');
const headingLines = new RegExp(`^${heading}`, 'gimu');
const escapable = new RegExp(`^(?=\\\\*${heading})`, 'gimu');
const escapedLines = new RegExp(`^\\\\(?=\\\\*${heading})`, 'gimu');

/**
 * Cuts a brief in two at the first amendment heading: the document itself, and what a person added to it since, to the letter.
 *
 * @example
 * const { body, amendments } = splitAmendments(readFileSync(path, 'utf8'));
 */
export function splitAmendments(text: string): { body: string; amendments: string } {
  const whole = normalized(text);
  const cut = headingLine.exec(whole)?.index ?? whole.length;
  return { body: whole.slice(0, cut), amendments: whole.slice(cut).trimEnd() };
}

/**
 * The amendments of a brief, oldest first.
 *
 * @example
 * const said = amendmentsOf(brief.unknowns).map((amendment) => amendment.words);
 */
export function amendmentsOf(text: string): Amendment[] {
  const { amendments } = splitAmendments(text);
  const starts = [...amendments.matchAll(headingLines)].map((match) => match.index);
  return starts.map((start, i) => {
    const block = amendments.slice(start, starts[i + 1]);
    const end = `${block}\n`.indexOf('\n');
    return { heading: block.slice(0, end).trim(), words: block.slice(end).trim() };
  });
}

/** An amendment as its file holds it, to compare and to quote. */
export function amendmentText({ heading, words }: Amendment): string {
  return `${heading}\n${words}`;
}

/** A text whose lines cannot be taken for amendment headings; inside code blocks too, as the cut is made before they are seen. */
export function escapeAmendments(body: string): string {
  return body.replace(escapable, '\\');
}

/** Takes off what `escapeAmendments` put on. */
export function unescapeAmendments(body: string): string {
  return body.replace(escapedLines, '');
}
