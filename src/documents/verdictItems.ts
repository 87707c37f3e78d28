import { type Locale, text } from '../locale/locale.js';
import { saysNone } from './placeholders.js';
import { itemStates, type Ruling } from './ruling.js';

/** What a judge says of one item of the checklist. */
export interface VerdictItem {
  /** Its place in the checklist, from 1. */
  number: number;
  state: 'met' | 'failed' | 'unverifiable';
  /** What was seen; for a failed item what is missing, for an unverifiable one why. */
  evidence: string;
}

const states: Readonly<Record<Ruling, VerdictItem['state'] | null>> = {
  achieved: 'met',
  not_yet: 'failed',
  unreachable: 'unverifiable',
  '': null,
};
const severity: Readonly<Record<VerdictItem['state'], number>> = { met: 0, unverifiable: 1, failed: 2 };

/** Bullet, box, number and what stands between number and state word. A quoted line is no item. */
const numbered =
  /^(?<lead>[^\p{L}\p{N}>]*(?:\[[xX]\][^\p{L}\p{N}>]*)?)(?:(?:item|check|第)\s*)?(?<number>\d{1,4})(?:\s*[条项])?(?<between>[^\p{L}\p{N}]*)/iu;

/** Where the state of an item ends and its evidence begins. */
const stateEnd = /[:：—–(（,，.。;；|]|\s-\s/;

/** True if a line begins with a number, as an item does. */
export function beginsWithNumber(line: string): boolean {
  return /^\s*(?:[-*+|]\s*)?\d/.test(line);
}

/** Reads the items of a verdict, a line an item. Of two with one number the worse counts. */
export function readVerdictItems(lines: readonly string[]): VerdictItem[] {
  const items = new Map<number, VerdictItem>();
  for (const line of lines) {
    const item = readItem(line);
    if (!item) continue;
    const known = items.get(item.number);
    if (!known || severity[item.state] > severity[known.state]) items.set(item.number, item);
  }
  return [...items.values()];
}

/** The items as they are written, a line an item. */
export function writeVerdictItems(items: readonly VerdictItem[], locale: Locale): string {
  return items
    .map(
      ({ number, state, evidence }) =>
        `${number}. ${text(`verdict.item.${state}`, {}, locale)}${evidence && `: ${evidence}`}`,
    )
    .join('\n');
}

function readItem(line: string): VerdictItem | null {
  const found = numbered.exec(line);
  if (!found?.groups) return null;
  const { lead = '', number = '', between = '' } = found.groups;
  const rest = line.slice(found[0].length);
  const head = rest.split(stateEnd, 1)[0] ?? '';
  const word = itemStates.words(head).next().value;
  if (!word || (word.start > 0 && !(word.spoiled && isShort(head.slice(0, word.start))))) return null;
  const isChoice = /^\s*(?:[/|]|or\b|或)/i.test(head.slice(word.end));
  const state = states[isChoice ? itemStates.rule(head) : word.spoiled ? 'not_yet' : word.kind];
  if (!state) return null;
  const marked = /[*_`]/.test(lead + between);
  const evidence = evidenceBehind(rest.slice(word.end), { marked, inTable: /^\s*\|/.test(line) });
  return { number: Number(number), state, evidence };
}

/** A word or two before the state may take it back ("not fully met"). More make a sentence, of which nothing is known. */
function isShort(words: string): boolean {
  return words.length <= 24 && words.trim().split(/\s+/).length <= 3;
}

/** Takes off what closes the marks round the state word, and one separator. */
/** The words if they can be evidence: something that one can read, and not a way to say that there is none. */
export function evidenceIn(words: string): string {
  const said = words.trim();
  return saysNone(said) || !/[\p{L}\p{N}]/u.test(said) ? '' : said;
}

function evidenceBehind(rest: string, options: { marked: boolean; inTable: boolean }): string {
  let evidence = rest.trim();
  if (options.inTable && evidence.endsWith('|')) evidence = evidence.slice(0, -1).trimEnd();
  if (options.marked) evidence = evidence.replace(/^[*_`]+\s*/, '');
  evidence = evidence.replace(/^(?:[:：,，.。;；|]|[-—–]+(?=\s))\s*/, '');
  if (options.marked) evidence = evidence.replace(/^[*_]+\s+/, '');
  return saysNone(evidence) ? '' : evidence.trim();
}
