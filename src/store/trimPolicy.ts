import { type Locale, text } from '../locale/locale.js';
import { checkedFields } from './policyFields.js';

/**
 * What is trimmed by size: results of at least `minChars` characters, all but the last `keepRecent` of them. Their text goes to a
 * file and a pointer stands in its place.
 *
 * @example
 * new TrimPolicy({ keepRecent: 10, spillDir: '/home/ann/app/.flower/spill' });
 */
export class TrimPolicy {
  /** @default 20 */
  readonly keepRecent: number = 20;
  /** @default 2000 */
  readonly minChars: number = 2000;
  /** Folder of the files; null is `spillDirname` in the workspace. @default null */
  readonly spillDir: string | null = null;
  /** @default '.flower/spill' */
  readonly spillDirname: string = '.flower/spill';
  /** @default true */
  readonly enabled: boolean = true;
  readonly #text: string;

  constructor(fields: Partial<Omit<TrimPolicy, 'placeholder'>> = {}, locale?: Locale) {
    Object.assign(this, checkedFields('TrimPolicy', fields, this));
    this.#text = text('trim.placeholder', { path: '{path}', n: '{n}' }, locale);
  }

  /** The text that stands for a result of `n` characters that lies in `path`. The same arguments must give the same text. */
  placeholder(path: string, n: number): string {
    const values: Readonly<Record<string, string>> = { path, n: String(n) };
    return this.#text.replace(/\{(path|n)\}/g, (whole, name: string) => values[name] ?? whole);
  }
}
