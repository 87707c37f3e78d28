import { activeLocale, type Locale, text } from '../locale/locale.js';
import { normalized, toPieces, unwrapped } from './blocks.js';
import { HeadingGrammar } from './headings.js';
import { readItems, writeItems } from './items.js';
import { isPlaceholder } from './placeholders.js';
import { conclusions, type Ruling } from './ruling.js';
import { type BodyPiece, bodyOf, cleaned, escaped, readSections, type Section } from './sections.js';
import { beginsWithNumber, evidenceIn, readVerdictItems, type VerdictItem, writeVerdictItems } from './verdictItems.js';

/** The goal is reached. */
export const ACHIEVED = 'achieved';
/** Another round can reach it. */
export const NOT_YET = 'not_yet';
/** It cannot be verified here, or not be reached at all: a person has to decide. */
export const UNREACHABLE = 'unreachable';

type VerdictSection = 'state' | 'reason' | 'failed' | 'items';

const grammar = new HeadingGrammar<VerdictSection>(
  { state: 'verdict.state', reason: 'verdict.reason', failed: 'verdict.failed', items: 'verdict.items' },
  { bareWord: (section, rest) => section === 'state' && conclusions.bare(rest) !== '' },
);

const stateKeys = {
  achieved: 'verdict.state.achieved',
  not_yet: 'verdict.state.notYet',
  unreachable: 'verdict.state.unreachable',
  '': 'placeholder.empty',
} as const;

/**
 * One judgement: the conclusion, its reason, what did not pass, and the evidence for every item.
 *
 * @example
 * const verdict = Verdict.parse(reply);
 * const passed = verdict.achieved && verdict.lacking(goal.checks.length).length === 0;
 */
export class Verdict {
  /** `''`: no conclusion could be read. That is never a pass. */
  state: Ruling;
  reason: string;
  /** What did not pass, in words. */
  failed: string[];
  items: VerdictItem[];
  readonly #locale: Locale;

  /** @param options `locale`: the language of titles and texts; the active one by default */
  constructor(
    fields: {
      readonly state?: Ruling;
      readonly reason?: string;
      readonly failed?: readonly string[];
      readonly items?: readonly VerdictItem[];
    } = {},
    options: { readonly locale?: Locale | undefined } = {},
  ) {
    this.state = fields.state ?? '';
    this.reason = fields.reason ?? '';
    this.failed = [...(fields.failed ?? [])];
    this.items = [...(fields.items ?? [])];
    this.#locale = options.locale ?? activeLocale();
  }

  get achieved(): boolean {
    return this.state === ACHIEVED;
  }

  get unreachable(): boolean {
    return this.state === UNREACHABLE;
  }

  /** True if a conclusion was recognised. */
  get ok(): boolean {
    return this.state !== '';
  }

  /** The numbers from 1 to `total` that are not there as met with evidence: what nobody has checked. */
  lacking(total: number): number[] {
    const checked = new Set(
      this.items.filter((item) => item.state === 'met' && evidenceIn(item.evidence)).map((item) => item.number),
    );
    return Array.from({ length: total }, (_, i) => i + 1).filter((number) => !checked.has(number));
  }

  /** What the worker is told after a rejection: what is missing, never how to do it. */
  feedback(): string {
    const locale = this.#locale;
    const items = writeItems(this.failed);
    const failed = items && text('verdict.feedbackFailed', { items }, locale);
    return text(
      'verdict.feedback',
      { reason: this.reason.trim() || text('verdict.noReason', {}, locale), failed },
      locale,
    );
  }

  /** The document as text. `parse` reads it back exactly. */
  toMarkdown(): string {
    const locale = this.#locale;
    const none = text('placeholder.none', {}, locale);
    const bodies: Readonly<Record<VerdictSection, string>> = {
      state: text(stateKeys[this.state], {}, locale),
      reason: escaped(this.reason, grammar),
      failed: writeItems(this.failed),
      items: writeVerdictItems(this.items, locale),
    };
    const sections = (Object.keys(bodies) as VerdictSection[]).map(
      (name) => `# ${text(`verdict.${name}`, {}, locale)}\n${bodies[name] || none}`,
    );
    return `${sections.join('\n\n')}\n`;
  }

  /** The four parts, for JSON. */
  toJSON(): { state: Ruling; reason: string; failed: string[]; items: VerdictItem[] } {
    return { state: this.state, reason: this.reason, failed: this.failed, items: this.items };
  }

  /** Reads a verdict from a judge's reply, in either language. Never fails: what cannot be read has the state `''`. */
  static parse(source: string | null | undefined, options: { readonly locale?: Locale | undefined } = {}): Verdict {
    const locale = options.locale ?? activeLocale();
    const isText = (section: VerdictSection, line: string) => section === 'items' && beginsWithNumber(line);
    const sections = readSections(source ?? '', grammar, { locale, isText });
    const items = readVerdictItems(visibleLines(bodyOf(sections, 'items', isPlaceholder).pieces));
    return new Verdict(
      {
        state: ruled(conclusionOf(sections, source ?? ''), items),
        reason: bodyOf(sections, 'reason', isPlaceholder).body,
        failed: readItems(bodyOf(sections, 'failed', isPlaceholder).pieces),
        items,
      },
      { locale },
    );
  }
}

/**
 * The state that the items leave of a conclusion: one failed item is not yet, and one that cannot be verified here is never a
 * pass.
 */
export function ruled(conclusion: Ruling, items: readonly VerdictItem[]): Ruling {
  if (items.some((item) => item.state === 'failed')) return NOT_YET;
  if (conclusion === ACHIEVED && items.some((item) => item.state === 'unverifiable')) return UNREACHABLE;
  return conclusion;
}

/** The conclusion as it was written: in the last section for it that says something, else, with more caution, anywhere. */
function conclusionOf(sections: readonly Section<VerdictSection>[], source: string): Ruling {
  const stated = sections.filter((section) => section.name === 'state');
  if (stated.length === 0) return conclusionOfWhole(source);
  const bodies = stated.map((section) => visibleLines(cleaned(section.pieces)).join('\n').trim());
  const conclusion = bodies.findLast((body) => body && !isPlaceholder(body)) ?? '';
  const digit = /^[^\p{L}\p{N}]*([01])[^\p{L}\p{N}]*$/u.exec(conclusion)?.[1];
  return conclusions.rule(conclusion) || (digit ? conclusionOfWhole(digit) : '');
}

/** A text without a conclusion of its own says "achieved" only where its first or last line is that word. */
function conclusionOfWhole(source: string): Ruling {
  const lines = visibleLines(toPieces(unwrapped(normalized(source))).pieces).filter((line) => line.trim());
  const whole = lines.join('\n');
  if (/^\s*(?:1|true)\s*$/i.test(whole)) return ACHIEVED;
  if (/^\s*(?:0|false)\s*$/i.test(whole)) return NOT_YET;
  const ruling = conclusions.rule(whole);
  const standsAlone = [lines[0], lines.at(-1)].some((line) => conclusions.bare(line ?? '') === ACHIEVED);
  return ruling === ACHIEVED && !standsAlone ? '' : ruling;
}

/** Block quotes and code are the words of others. */
function visibleLines(pieces: readonly BodyPiece[]): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'line' && !piece.text.trimStart().startsWith('>')) lines.push(piece.text);
  }
  return lines;
}
