import type { HumanChannel } from '../human/humanChannel.js';
import type { AliasGroup } from '../locale/aliases.js';
import { aliases, type Locale, type LocaleKey, text } from '../locale/locale.js';

/** An option of a question that the framework puts itself. */
export type OptionKey = Extract<
  AliasGroup & LocaleKey,
  `${'unreachable' | 'unverifiable' | 'breaker' | 'unreadable'}.${string}`
>;

export interface FrameworkAnswer {
  /** The option that was chosen; null if nobody answered. */
  readonly option: OptionKey | null;
  /** What was meant, in words: the text of the option, or what was said in its place. */
  readonly words: string;
  /** The person chose an option and did not say something else twice. */
  readonly isOption: boolean;
}

/**
 * Asks a person on behalf of the framework, outside the quota of the agents. A number, an option's full text or its bare key word
 * decides, in either language; words that merely begin like an option do not. Anything else is shown back and asked once more, then
 * it counts as `unclear`.
 */
export async function askFramework(
  channel: HumanChannel,
  question: string,
  options: { readonly options: readonly OptionKey[]; readonly unclear: OptionKey; readonly locale: Locale },
): Promise<FrameworkAnswer> {
  const shown = options.options.map((key) => text(key, {}, options.locale));
  let asked = question;
  let words = '';
  for (let time = 0; time < 2; time += 1) {
    const ask = await channel.ask(asked, shown, { exempt: true });
    if (ask.state !== 'answered') return { option: null, words: '', isOption: false };
    words = ask.answer.trim();
    const option = chosen(words, options.options);
    if (option) return { option, words: text(option, {}, options.locale), isOption: true };
    asked = `${text('unreachable.again', { answer: words }, options.locale)}\n${question}`;
  }
  return { option: options.unclear, words, isOption: false };
}

function chosen(answer: string, options: readonly OptionKey[]): OptionKey | null {
  if (/^[0-9]+$/.test(answer)) return options[Number(answer) - 1] ?? null;
  const bare = normal(answer);
  return options.find((key) => wordsFor(key).some((word) => normal(word) === bare)) ?? null;
}

function wordsFor(key: OptionKey): readonly string[] {
  return [text(key, {}, 'en'), text(key, {}, 'zh'), ...aliases(key)];
}

function normal(words: string): string {
  return words
    .trim()
    .replace(/[.。!！?？,，;；:：]+$/u, '')
    .toLowerCase();
}
