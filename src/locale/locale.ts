import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AliasGroup, aliasTable } from './aliases.js';
import { en } from './en/pack.js';
import { zh } from './zh/pack.js';

/** A language that flower speaks. */
export type Locale = 'zh' | 'en';

/** The name of one text. The English pack defines which there are; the Chinese one must have the same. */
export type LocaleKey = keyof typeof en;

/** The names in braces of one text: `'{n} of {total}'` gives `'n' | 'total'`. */
type ParameterNames<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** What `text` wants after the key: values for every name in the text, then the locale. */
type TextArguments<K extends LocaleKey> = [ParameterNames<(typeof en)[K]>] extends [never]
  ? [parameters?: Readonly<Record<string, never>>, locale?: Locale]
  : [parameters: Readonly<Record<ParameterNames<(typeof en)[K]>, string | number>>, locale?: Locale];

const packs: Readonly<Record<Locale, Readonly<Record<LocaleKey, string>>>> = { en, zh };
let override: Locale | null = null;

/**
 * The locale in force now: the one set by `setLocale`, else `FLOWER_LANG` beginning with `zh` or `en`, else `zh` if the first
 * non-empty one of `LC_ALL`, `LC_MESSAGES`, `LANG` begins with it, else `en`.
 *
 * @example
 * const locale = activeLocale();
 */
export function activeLocale(): Locale {
  if (override) return override;
  const wanted = localeBeginning(process.env.FLOWER_LANG);
  if (wanted) return wanted;
  const system = [process.env.LC_ALL, process.env.LC_MESSAGES, process.env.LANG].find((value) => value);
  return localeBeginning(system) === 'zh' ? 'zh' : 'en';
}

/**
 * Sets the locale of this process; null goes back to the environment.
 *
 * @example
 * setLocale('zh');
 */
export function setLocale(locale: Locale | null): void {
  if (locale !== null && locale !== 'zh' && locale !== 'en') {
    throw new TypeError(`setLocale: locale must be 'zh', 'en' or null, got ${JSON.stringify(locale)}`);
  }
  override = locale;
}

/**
 * The locale that a notes folder is written in, told by the name of its brief, or of its goal if there is no brief. With both
 * languages present the active locale counts. Null if the folder holds neither.
 *
 * @example
 * const locale = localeOf('/home/ann/app/.flower/notes') ?? activeLocale();
 */
export function localeOf(notesDir: string): Locale | null {
  const active = activeLocale();
  const order: readonly Locale[] = active === 'zh' ? ['zh', 'en'] : ['en', 'zh'];
  for (const key of ['file.brief', 'file.goal'] as const) {
    const found = order.find((locale) => existsSync(join(notesDir, packs[locale][key])));
    if (found) return found;
  }
  return null;
}

/**
 * One text. Values are inserted as they are and never read as texts themselves. A text with a singular (`{n} items || 1 item`)
 * takes it when the first value named in it is 1.
 *
 * @example
 * text('net.seconds', { n: 1 }, 'en'); // '1 second'
 */
export function text<K extends LocaleKey>(key: K, ...[parameters, locale]: TextArguments<K>): string {
  const values: Readonly<Record<string, string | number>> = parameters ?? {};
  const [plural = '', singular] = packs[locale ?? activeLocale()][key].split(' || ');
  const first = /\{(\w+)\}/.exec(plural)?.[1];
  const isOne = singular !== undefined && first !== undefined && Number(values[first]) === 1;
  return (isOne ? singular : plural).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/**
 * All forms in which something may stand in a document or an answer, longest first; without a locale those of both. For a key
 * that has no list of its own these are its texts, so `aliases('file.brief')` gives both names of the brief.
 *
 * @example
 * aliases('brief.bounds', 'en'); // ['Scope boundaries', 'Out of scope', 'Boundaries', …]
 */
export function aliases(group: AliasGroup | LocaleKey, locale?: Locale): readonly string[] {
  const locales: readonly Locale[] = locale ? [locale] : ['zh', 'en'];
  const lists: Readonly<Record<string, Readonly<Record<Locale, readonly string[]>>>> = aliasTable;
  const list = lists[group];
  const forms = list ? locales.flatMap((one) => list[one]) : locales.map((one) => packs[one][group as LocaleKey]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

function localeBeginning(value: string | undefined): Locale | null {
  const language = value?.slice(0, 2).toLowerCase();
  return language === 'zh' || language === 'en' ? language : null;
}
