import { activeLocale, type Locale, text } from '../locale/locale.js';
import { FrozenDocument } from './frozenDocument.js';
import { HeadingGrammar } from './headings.js';
import { onOneLine, readItems, writeItems } from './items.js';
import { isPlaceholder } from './placeholders.js';
import { withoutSeal } from './seal.js';
import { bodyOf, escaped, readSections } from './sections.js';

const grammar = new HeadingGrammar<'statement' | 'checks'>({ statement: 'goal.statement', checks: 'goal.checks' });

/** The mark of a check that cannot be made here, in the forms that models write. */
const unverifiableMark =
  /[[［【]\s*(?:(?:此环境)?无法验证|(?:在这个环境里)?验不了|cannot\s+(?:be\s+verified|verify)|can['’]t\s+verify|unverifiable)/i;

/**
 * The sign by which one sees that the work is done, and the checks by which a judge decides it. Frozen like the brief.
 *
 * @example
 * const goal = Goal.load('.flower/notes/goal.md');
 * const ready = goal?.complete() && goal.unverifiable.length === 0;
 */
export class Goal extends FrozenDocument {
  statement: string;
  /** One check each; a block of commands may stand below its line. */
  checks: string[];
  readonly #locale: Locale;

  /** @param options `locale`: the language of titles; the active one by default */
  constructor(
    fields: { readonly statement?: string; readonly checks?: readonly string[] } = {},
    options: { readonly locale?: Locale | undefined } = {},
  ) {
    super();
    this.statement = fields.statement ?? '';
    this.checks = [...(fields.checks ?? [])];
    this.#locale = options.locale ?? activeLocale();
  }

  protected override get kind(): 'goal' {
    return 'goal';
  }

  /** The checks that are marked as not verifiable here. They can never pass, so a person has to know of them early. */
  get unverifiable(): string[] {
    return this.checks.filter(isMarkedUnverifiable);
  }

  /** Titles of the parts that say nothing. */
  missing(): string[] {
    const titles: string[] = [];
    if (!this.statement.trim()) titles.push(text('goal.statement', {}, this.#locale));
    if (this.checks.length === 0) titles.push(text('goal.checks', {}, this.#locale));
    return titles;
  }

  /** True if there are a statement and at least one check. */
  complete(): boolean {
    return this.missing().length === 0;
  }

  /** The document as it stands in its file, without the hash line. `parse` reads it back exactly. */
  override toMarkdown(): string {
    const empty = text('placeholder.empty', {}, this.#locale);
    const statement = escaped(this.statement, grammar) || empty;
    const list = writeItems(this.checks) || empty;
    return `# ${text('goal.statement', {}, this.#locale)}\n${statement}\n\n# ${text('goal.checks', {}, this.#locale)}\n${list}\n`;
  }

  /** Statement and list, for a prompt. */
  promptBlock(): string {
    const parts = [`## ${text('goal.statement', {}, this.#locale)}\n${this.statement}`];
    if (this.checks.length > 0) parts.push(`## ${text('goal.checks', {}, this.#locale)}\n${writeItems(this.checks)}`);
    return parts.join('\n\n');
  }

  /** Adds what a person said to the statement. What stood there stays; blank words change nothing. */
  amend(extra: string): this {
    // On one line, or a line of it could become a heading.
    const words = onOneLine(extra);
    const blank = this.#locale === 'zh' ? '' : ' ';
    if (words) this.statement = `${this.statement}\n\n${text('goal.amended', {}, this.#locale)}${blank}${words}`.trim();
    return this;
  }

  /** Statement and checks, for JSON. */
  toJSON(): { statement: string; checks: string[] } {
    return { statement: this.statement, checks: this.checks };
  }

  /** Reads a goal from a reply or a file, in either language. Never fails: what is not found is empty. */
  static parse(source: string | null | undefined, options: { readonly locale?: Locale | undefined } = {}): Goal {
    const locale = options.locale ?? activeLocale();
    const sections = readSections(withoutSeal(source), grammar, { locale });
    const statement = bodyOf(sections, 'statement', (body) => isPlaceholder(body)).body;
    const checks = readItems(bodyOf(sections, 'checks', (body) => isPlaceholder(body)).pieces);
    return new Goal({ statement, checks }, { locale });
  }

  /** Loads a goal; null if there is no such file or it cannot be read. */
  static load(path: string, options: { readonly locale?: Locale | undefined } = {}): Goal | null {
    return Goal.loadWith(path, (text) => Goal.parse(text, options));
  }
}

/** True if a check carries the mark of one that cannot be verified here, in either language. */
export function isMarkedUnverifiable(check: string): boolean {
  return unverifiableMark.test(check);
}
