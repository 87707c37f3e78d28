import { type Locale, text } from '../locale/locale.js';
import { checkedFields } from './policyFields.js';

/**
 * What expires: results of commands that only look, of at most `maxChars` characters, all but the last `keepRecent` of them. What
 * they said is out of date and is asked for again when it is wanted.
 *
 * @example
 * new EphemeralPolicy({ keepRecent: 2 });
 */
export class EphemeralPolicy {
  /** @default true */
  readonly enabled: boolean = true;
  /** @default 6 */
  readonly keepRecent: number = 6;
  /** @default 2000 */
  readonly maxChars: number = 2000;
  /** The text in place of a result, with `{cmd}` and `{age}`. @default the locale's */
  readonly text: string;

  constructor(fields: Partial<Omit<EphemeralPolicy, 'placeholder'>> = {}, locale?: Locale) {
    this.text = text('ephemeral.text', { cmd: '{cmd}', age: '{age}' }, locale);
    Object.assign(this, checkedFields('EphemeralPolicy', fields, this));
  }

  /** `text` for one command: its first line, at most 60 characters of it, and the number of such results since. */
  placeholder(cmd: string, age: number): string {
    const line = cmd.trim().split('\n', 1)[0] ?? '';
    const values: Readonly<Record<string, string>> = {
      cmd: `\`${[...line].slice(0, 60).join('')}\``,
      age: String(age),
    };
    return this.text.replace(/\{(cmd|age)\}/g, (whole, name: string) => values[name] ?? whole);
  }
}
