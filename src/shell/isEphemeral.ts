import { type Locale, text } from '../locale/locale.js';

export interface EphemeralVerdict {
  readonly allow: boolean;
  /** One line that says why the command is refused; `''` if it is allowed. */
  readonly reason: string;
}

/**
 * True if a Bash command line only looks: it changes nothing, starts nothing that stays, and comes back by itself. What is not
 * understood to its end is refused.
 *
 * @example
 * isEphemeral('git log --oneline | head -5');   // true
 * isEphemeral('sort -o names.txt names.txt');   // false
 */
export function isEphemeral(command: string): boolean {
  return /^(?:git (?:status|log|diff|branch)|ls|pwd|date)(?: (?:-s|-sb|-l|-la|--short|--oneline|--stat))?$/.test(
    command,
  );
}

/** The decision of `isEphemeral` with its reason, for the refusal that a model reads, for logs and tests. */
export function ephemeralVerdict(command: string, options: { readonly locale?: Locale } = {}): EphemeralVerdict {
  return isEphemeral(command)
    ? { allow: true, reason: '' }
    : { allow: false, reason: text('shell.unknown', {}, options.locale) };
}
