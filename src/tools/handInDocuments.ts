import { BRIEF_FIELDS, Brief } from '../documents/brief.js';
import { Goal, isMarkedUnverifiable } from '../documents/goal.js';
import type { HandIn, HandInKind } from '../documents/handIn.js';
import { HANDOFF_FIELDS, Handoff } from '../documents/handoff.js';
import { headOfItem, oneItem, oneLine } from '../documents/items.js';
import { cleanField, fieldPieces } from '../documents/sections.js';
import { ruled, Verdict } from '../documents/verdict.js';
import { evidenceIn } from '../documents/verdictItems.js';
import { type Locale, text } from '../locale/locale.js';
import type { HandInInput } from './handInSchemas.js';

/** What a hand-in is judged by beside its own fields. */
export interface HandInRules {
  readonly locale: Locale;
  /** The checklist that a verdict has to cover; null if there is none. */
  readonly checks: readonly string[] | null;
}

/** A document made from a hand-in, and everything that is wrong with it, each in words. */
export interface Taken {
  readonly handIn: HandIn;
  readonly faults: readonly string[];
}

/** Makes the document of a hand-in, cleaned as a parsed one would be, and names every fault at once. */
export const take: { readonly [K in HandInKind]: (input: HandInInput<K>, rules: HandInRules) => Taken } = {
  brief(input, { locale }) {
    const document = Brief.fromFields(input, { locale });
    const faults = BRIEF_FIELDS.flatMap((field) =>
      fieldFaults(text(`brief.${field}`, {}, locale), input[field], { blank: !document[field], locale }),
    );
    return { handIn: { kind: 'brief', document }, faults };
  },

  goal(input, { locale }) {
    const statement = cleanField(input.statement, locale);
    const faults = fieldFaults(text('goal.statement', {}, locale), input.statement, { blank: !statement, locale });
    if (input.items.length === 0) faults.push(text('handin.fault.noItems', {}, locale));
    const checks = input.items.map((item, i) => {
      const n = i + 1;
      const { pieces, closed } = fieldPieces(item.text, locale);
      const check = oneItem(pieces);
      const why = oneLine(item.why, locale);
      if (!closed) faults.push(openFence(`${text('goal.checks', {}, locale)} ${n}`, locale));
      else if (!check) faults.push(text('handin.fault.blankItem', { n }, locale));
      if (!item.verifiable && !why) faults.push(text('handin.fault.noWhy', { n }, locale));
      return item.verifiable ? check : marked(check, why, locale);
    });
    return { handIn: { kind: 'goal', document: new Goal({ statement, checks }, { locale }) }, faults };
  },

  verdict(input, { locale, checks }) {
    const items = input.items.map((item) => ({ ...item, evidence: evidenceIn(oneLine(item.evidence, locale)) }));
    const reason = cleanField(input.reason, locale);
    const allMet = items.every((item) => item.state === 'met');
    const faults = itemFaults(items, { locale, checks });
    faults.push(
      ...fieldFaults(text('verdict.reason', {}, locale), input.reason, { blank: !reason && !allMet, locale }),
    );
    const failed = items
      .filter((item) => item.state === 'failed')
      .map((item) => {
        const { head, blocks } = headOfItem(checks?.[item.number - 1] ?? String(item.number));
        return `${head.replace(/[:：]$/, '')}: ${item.evidence}${blocks}`;
      });
    const document = new Verdict({ state: ruled('achieved', items), reason, failed, items }, { locale });
    return { handIn: { kind: 'verdict', document }, faults };
  },

  handoff(input, { locale }) {
    const fields = Object.fromEntries(HANDOFF_FIELDS.map((field) => [field, cleanField(input[field], locale)]));
    const document = new Handoff(fields, { locale });
    const faults = HANDOFF_FIELDS.flatMap((field) => {
      const title = text(`handoff.${field}`, {}, locale);
      return fieldFaults(title, input[field], { blank: document.missing().includes(title), locale });
    });
    return { handIn: { kind: 'handoff', document }, faults };
  },
};

/** Faults of one text: it says nothing, or a code block in it never ends and would take the rest of the document along. */
function fieldFaults(title: string, source: string, options: { blank: boolean; locale: Locale }): string[] {
  if (!fieldPieces(source, options.locale).closed) return [openFence(title, options.locale)];
  return options.blank ? [text('handin.fault.blank', { title }, options.locale)] : [];
}

function openFence(title: string, locale: Locale): string {
  return text('handin.fault.openFence', { title }, locale);
}

/** What is wrong with the items of a verdict: each number of the list once, each with evidence. */
function itemFaults(items: readonly { number: number; evidence: string }[], { locale, checks }: HandInRules): string[] {
  const given = new Set<number>();
  const twice = new Set<number>();
  for (const { number } of items) (given.has(number) ? twice : given).add(number);
  const total = checks?.length || Number.POSITIVE_INFINITY;
  const expected = checks?.length ? checks.map((_, i) => i + 1) : [];
  const fault = (key: 'missingItem' | 'twice' | 'unknownItem' | 'noEvidence', numbers: Iterable<number>) =>
    Array.from(numbers, (n) => text(`handin.fault.${key}`, { n }, locale));
  return [
    ...(items.length === 0 && expected.length === 0 ? [text('handin.fault.noItems', {}, locale)] : []),
    ...fault(
      'missingItem',
      expected.filter((n) => !given.has(n)),
    ),
    ...fault('twice', twice),
    ...fault(
      'unknownItem',
      [...given].filter((n) => n < 1 || n > total),
    ),
    ...fault('noEvidence', new Set(items.filter((item) => !item.evidence).map((item) => item.number))),
  ];
}

/** A check with the mark of one that cannot be made here, behind its own line. */
function marked(check: string, reason: string, locale: Locale): string {
  if (isMarkedUnverifiable(check)) return check;
  const { head, blocks } = headOfItem(check);
  return `${head} ${text('goal.unverifiableMarker', { reason }, locale)}${blocks}`;
}
