import { HeadingGrammar } from '../documents/headings.js';
import { saysNone } from '../documents/placeholders.js';
import { bodyOf, readSections } from '../documents/sections.js';
import { aliases, type Locale, text } from '../locale/locale.js';

/** The sections of the closing handoff, in their order. */
const SECTIONS = ['what', 'acceptance', 'generated', 'deadends', 'workbench'] as const;
type Section = (typeof SECTIONS)[number];

/** In the order in which they are kept if there is no room for all. */
const BY_WORTH: readonly Section[] = ['what', 'workbench', 'generated', 'acceptance', 'deadends'];
/** The other tool loads the block in every session. */
const MAX_LINES = 80;

const grammar = new HeadingGrammar<Section>({
  what: 'bequest.what',
  acceptance: 'bequest.acceptance',
  generated: 'bequest.generated',
  deadends: 'bequest.deadends',
  workbench: 'bequest.workbench',
});

/** What a run leaves to whoever goes on with another tool. */
export class Bequest {
  readonly sections: Readonly<Record<Section, string>>;
  readonly #locale: Locale;

  constructor(sections: Readonly<Partial<Record<Section, string>>>, locale: Locale) {
    this.sections = { what: '', acceptance: '', generated: '', deadends: '', workbench: '', ...sections };
    this.#locale = locale;
  }

  /** Reads a model's reply. What it lacks is empty: demanding text invites invention. */
  static parse(reply: string, locale: Locale): Bequest {
    const found = readSections(reply, grammar, { locale });
    const body = (name: Section) => bodyOf(found, name, (words) => saysNone(words)).body;
    return new Bequest(Object.fromEntries(SECTIONS.map((name) => [name, body(name)])), locale);
  }

  /** True if it says what this is and where the workbench lies. */
  complete(): boolean {
    return this.sections.what !== '' && this.sections.workbench !== '';
  }

  /** The body of the block, of at most 80 lines with its marks. */
  toMarkdown(bench: string): string {
    const locale = this.#locale;
    const head = [`## ${text('bequest.heading', {}, locale)}`, '', `> ${text('bequest.note', {}, locale)}`];
    const cut = text('bequest.cut', { path: bench }, locale);
    const named = SECTIONS.filter((name) => this.sections[name] !== '');
    let room = MAX_LINES - 2 - head.length - named.length * 4;
    const bodies = new Map<Section, string>();
    for (const name of BY_WORTH.filter((one) => named.includes(one))) {
      const lines = this.sections[name].split('\n');
      const fits = lines.length <= room + 1;
      if (!fits && name !== 'what' && name !== 'workbench') bodies.set(name, cut);
      else bodies.set(name, fits ? lines.join('\n') : [...lines.slice(0, Math.max(1, room)), cut].join('\n'));
      room -= (bodies.get(name)?.split('\n').length ?? 1) - 1;
    }
    const parts = named.map((name) => `\n### ${text(`bequest.${name}`, {}, locale)}\n\n${bodies.get(name)}`);
    return [...head, ...parts].join('\n');
  }
}

/** True for the body of a block that no model has written. */
export function isDegraded(body: string): boolean {
  return aliases('bequest.degraded').some((mark) => body.includes(`\n${mark}`) && !body.includes(`\n- ${mark}`));
}
