import { activeLocale, aliases, type Locale, text } from '../locale/locale.js';
import { readDocument, writeDocument } from './documentFile.js';
import { HeadingGrammar } from './headings.js';
import { isPlaceholder } from './placeholders.js';
import { bodyOf, escaped, quoted, readSections } from './sections.js';

/** The five sections of a handoff, in the order in which they are written. */
export const HANDOFF_FIELDS = ['doing', 'decided', 'deadends', 'next', 'scene'] as const;

/** A section of a handoff. */
export type HandoffField = (typeof HANDOFF_FIELDS)[number];

/** What a successor cannot do without. Forcing the others would invite invention. */
const required: readonly HandoffField[] = ['doing', 'next'];

/** So much of the task is quoted in a handoff that flower writes itself. */
const TASK_CHARACTERS = 1200;

const grammar = new HeadingGrammar<HandoffField>({
  doing: 'handoff.doing',
  decided: 'handoff.decided',
  deadends: 'handoff.deadends',
  next: 'handoff.next',
  scene: 'handoff.scene',
});

/**
 * What a session leaves to its successor when its context is full.
 *
 * @example
 * const handoff = Handoff.parse(reply, { step: 'work' });
 * const prompt = handoff.complete() ? handoff.promptBlock() : degraded('work', task).promptBlock();
 */
export class Handoff implements Record<HandoffField, string> {
  doing: string;
  decided: string;
  deadends: string;
  next: string;
  scene: string;
  /** The step it was written in. Stands in the title only and is not read back. */
  step: string;
  /** Absolute path of the file that was written or loaded last. */
  path: string | null = null;
  readonly #locale: Locale;

  /** @param options `locale`: the language of titles and notes; the active one by default */
  constructor(
    fields: Readonly<Partial<Record<HandoffField | 'step', string>>> = {},
    options: { readonly locale?: Locale | undefined } = {},
  ) {
    this.doing = fields.doing ?? '';
    this.decided = fields.decided ?? '';
    this.deadends = fields.deadends ?? '';
    this.next = fields.next ?? '';
    this.scene = fields.scene ?? '';
    this.step = fields.step ?? '';
    this.#locale = options.locale ?? activeLocale();
  }

  /** Titles of the required sections that say nothing: what is being done, and the next step. */
  missing(): string[] {
    return required.filter((field) => !this[field].trim()).map((field) => this.#title(field));
  }

  /** True if a successor can go on from it. */
  complete(): boolean {
    return this.missing().length === 0;
  }

  /** True if flower wrote it because the session could not. */
  get degraded(): boolean {
    return aliases('handoff.degradedMark').some((mark) => this.doing.includes(mark));
  }

  /** The document as it stands in its file. `parse` reads it back exactly. */
  toMarkdown(): string {
    const step = this.step.trim().replace(/\s+/g, ' ');
    const title = `# ${text('handoff.docTitle', {}, this.#locale)}`;
    const sections = HANDOFF_FIELDS.map((field) => {
      const body = escaped(this[field], grammar) || text('placeholder.empty', {}, this.#locale);
      return `## ${this.#title(field)}\n\n${body}`;
    });
    const brackets = this.#locale === 'zh' ? `(${step})` : ` (${step})`;
    const head = [step ? title + brackets : title, quoted(text('handoff.notes', {}, this.#locale))];
    return `${[...head, ...sections].join('\n\n')}\n`;
  }

  /** What the successor is told: where it stands, the document, and to go on from there. */
  promptBlock(): string {
    const filled = HANDOFF_FIELDS.filter((field) => this[field].trim());
    return [
      text('handoff.takeover', {}, this.#locale),
      ...filled.map((field) => `## ${this.#title(field)}\n${this[field]}`),
      '---',
      text('handoff.carryOn', {}, this.#locale),
    ].join('\n\n');
  }

  /**
   * Writes the file and returns its absolute path.
   *
   * @throws the error of the file system
   */
  write(path: string): string {
    this.path = writeDocument(path, this.toMarkdown(), 'document.handoff');
    return this.path;
  }

  /** The five sections, for JSON. */
  toJSON(): Record<HandoffField, string> {
    return {
      doing: this.doing,
      decided: this.decided,
      deadends: this.deadends,
      next: this.next,
      scene: this.scene,
    };
  }

  /** Reads a handoff from a reply or a file, in either language. Never fails: what is not found is empty. */
  static parse(
    source: string | null | undefined,
    options: { readonly step?: string | undefined; readonly locale?: Locale | undefined } = {},
  ): Handoff {
    const locale = options.locale ?? activeLocale();
    const sections = readSections(source ?? '', grammar, { locale });
    const handoff = new Handoff({ step: options.step ?? '' }, { locale });
    for (const field of HANDOFF_FIELDS) handoff[field] = bodyOf(sections, field, isPlaceholder).body;
    return handoff;
  }

  /** Loads a handoff; null if there is no such file or it cannot be read. */
  static load(path: string, options: { readonly locale?: Locale | undefined } = {}): Handoff | null {
    const file = readDocument(path);
    if (!file) return null;
    const handoff = Handoff.parse(file.text, options);
    handoff.path = file.path;
    return handoff;
  }

  #title(field: HandoffField): string {
    return text(`handoff.${field}`, {}, this.#locale);
  }
}

/**
 * The handoff that flower writes itself when a session ran full and could not: the task, and the advice to look at the site first.
 *
 * @param prompt what the step was asked to do
 * @param options `why`: why the session could not write it
 * @example
 * degraded('work', prompt, { why: 'missing: Next step' }).degraded; // true
 */
export function degraded(
  step: string,
  prompt: string,
  options: { readonly why?: string | undefined; readonly locale?: Locale | undefined } = {},
): Handoff {
  const locale = options.locale ?? activeLocale();
  const mark = text('handoff.degradedMark', {}, locale);
  const doing = text('handoff.degraded.doing', { step, why: options.why ?? '' }, locale);
  const task = [...prompt.trim().slice(0, 2 * TASK_CHARACTERS)].slice(0, TASK_CHARACTERS).join('');
  return new Handoff(
    {
      step,
      doing: `${mark} ${doing}`,
      next: text('handoff.degraded.next', {}, locale),
      scene: text('handoff.degraded.scene', { prompt: task }, locale),
    },
    { locale },
  );
}

/**
 * What a session is told when its context is nearly full: stop, and hand over.
 *
 * @param used what the context holds, as it is shown (`182.4K`)
 * @param window what it can hold (`200K`)
 * @example
 * handoffPrompt('182.4K', '200K');
 */
export function handoffPrompt(used: string, window: string, locale?: Locale): string {
  return text('handoff.prompt', { used, window }, locale);
}
