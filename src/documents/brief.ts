import { activeLocale, type Locale, text } from '../locale/locale.js';
import { escapeAmendments, splitAmendments, unescapeAmendments } from './amendments.js';
import { FrozenDocument } from './frozenDocument.js';
import { HeadingGrammar } from './headings.js';
import { isPlaceholder } from './placeholders.js';
import { withoutSeal } from './seal.js';
import { bodyOf, cleanField, escaped, quoted, readSections } from './sections.js';

/** The four sections of a brief, in the order in which they are written. */
export const BRIEF_FIELDS = ['goal', 'accept', 'bounds', 'unknowns'] as const;

/** A section of a brief. */
export type BriefField = (typeof BRIEF_FIELDS)[number];

const grammar = new HeadingGrammar<BriefField>({
  goal: 'brief.goal',
  accept: 'brief.accept',
  bounds: 'brief.bounds',
  unknowns: 'brief.unknowns',
});

/**
 * The requirement, as it was clarified with the person and frozen: what for, by what it is judged, what is not to be done, what
 * stays unknown. What a person adds while the run goes on stands behind the unknowns, to the letter.
 *
 * @example
 * const brief = Brief.parse(reply);
 * if (brief.complete()) brief.write('.flower/notes/brief.md');
 */
export class Brief extends FrozenDocument implements Record<BriefField, string> {
  goal: string;
  accept: string;
  bounds: string;
  unknowns: string;
  readonly #locale: Locale;

  /** @param options `locale`: the language of titles and notes; the active one by default */
  constructor(
    fields: Readonly<Partial<Record<BriefField, string>>> = {},
    options: { readonly locale?: Locale | undefined } = {},
  ) {
    super();
    this.goal = fields.goal ?? '';
    this.accept = fields.accept ?? '';
    this.bounds = fields.bounds ?? '';
    this.unknowns = fields.unknowns ?? '';
    this.#locale = options.locale ?? activeLocale();
  }

  protected override get kind(): 'brief' {
    return 'brief';
  }

  /** Titles of the sections that say nothing, in order. */
  missing(): string[] {
    return BRIEF_FIELDS.filter((field) => !this[field].trim()).map((field) => this.#title(field));
  }

  /** True if all four sections say something; "(none)" does, in boundaries and unknowns. */
  complete(): boolean {
    return this.missing().length === 0;
  }

  /** The document as it stands in its file, without the hash line. `parse` reads it back exactly. */
  override toMarkdown(): string {
    const head = [`# ${text('brief.docTitle', {}, this.#locale)}`, quoted(text('brief.notes', {}, this.#locale))];
    const sections = BRIEF_FIELDS.map((field) => {
      const body = this.#asWritten(field) || text('placeholder.unfilled', {}, this.#locale);
      return `## ${this.#title(field)}\n\n${body}`;
    });
    return `${[...head, ...sections].join('\n\n').trimEnd()}\n`;
  }

  /** The sections that say something, for a prompt. */
  promptBlock(): string {
    const filled = BRIEF_FIELDS.filter((field) => this[field].trim());
    return filled.map((field) => `## ${this.#title(field)}\n${this[field]}`).join('\n\n');
  }

  /** True if the four sections are the same. */
  equals(other: Brief): boolean {
    return BRIEF_FIELDS.every((field) => this[field] === other[field]);
  }

  /** The four sections, for JSON. */
  toJSON(): Record<BriefField, string> {
    return { goal: this.goal, accept: this.accept, bounds: this.bounds, unknowns: this.unknowns };
  }

  /** Reads a brief from a reply or a file, in either language. Never fails: what is not found is empty. */
  static parse(source: string | null | undefined, options: { readonly locale?: Locale | undefined } = {}): Brief {
    const locale = options.locale ?? activeLocale();
    const { body, amendments } = splitAmendments(withoutSeal(source));
    const sections = readSections(unescapeAmendments(body), grammar, { locale });
    const brief = new Brief({}, { locale });
    for (const field of BRIEF_FIELDS) {
      brief[field] = bodyOf(sections, field, (found) => isPlaceholder(found, { noneIsAnswer: isAnswer(field) })).body;
    }
    brief.unknowns = paragraphs(brief.unknowns, amendments);
    return brief;
  }

  /** A brief from four texts, cleaned as the sections of a reply would be. */
  static fromFields(
    fields: Readonly<Record<BriefField, string>>,
    options: { readonly locale?: Locale | undefined } = {},
  ): Brief {
    const locale = options.locale ?? activeLocale();
    const brief = new Brief({}, { locale });
    const { body, amendments } = splitAmendments(fields.unknowns);
    for (const field of BRIEF_FIELDS) {
      const source = field === 'unknowns' ? body : fields[field];
      brief[field] = cleanField(source, locale, { noneIsAnswer: isAnswer(field) });
    }
    brief.unknowns = paragraphs(brief.unknowns, amendments);
    return brief;
  }

  /** Loads a brief; null if there is no such file or it cannot be read. */
  static load(path: string, options: { readonly locale?: Locale | undefined } = {}): Brief | null {
    return Brief.loadWith(path, (text) => Brief.parse(text, options));
  }

  #title(field: BriefField): string {
    return text(`brief.${field}`, {}, this.#locale);
  }

  #asWritten(field: BriefField): string {
    if (field !== 'unknowns') return escapeAmendments(escaped(this[field], grammar));
    const { body, amendments } = splitAmendments(this.unknowns);
    const own = escapeAmendments(escaped(body.trimEnd(), grammar));
    return paragraphs(own, amendments);
  }
}

/** In these two "(none)" is what the person wants, or it would be asked for again on every start. */
function isAnswer(field: BriefField): boolean {
  return field === 'bounds' || field === 'unknowns';
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter(Boolean).join('\n\n');
}
