/** A question that waits for the person. */
export interface OpenQuestion {
  readonly id: string;
  readonly options: readonly string[];
}

/** Where a typed line goes. */
export type Destination =
  | { readonly to: 'nobody' }
  | { readonly to: 'aside'; readonly words: string }
  | { readonly to: 'mail'; readonly words: string; readonly workers: boolean }
  | { readonly to: 'answer'; readonly question: OpenQuestion; readonly words: string }
  | { readonly to: 'decline'; readonly question: OpenQuestion };

/**
 * Decides where a typed line goes: `?` asks aside, `!` is mail for running workers too, else it answers the question, or is mail
 * if there is none. A backslash before a mark makes it text.
 *
 * @example
 * routeLine('2', { id: 'q1', options: ['keep', 'drop'] }); // { to: 'answer', words: 'drop', … }
 */
export function routeLine(line: string, question: OpenQuestion | null): Destination {
  const words = line.trim();
  const mark = words.normalize('NFKC')[0];
  if (mark === '?') return nonEmpty(words.slice(1), (rest) => ({ to: 'aside', words: rest }));
  if (mark === '!') return nonEmpty(words.slice(1), (rest) => ({ to: 'mail', words: rest, workers: true }));
  const plain = words.replace(/^\\(?=[?？!！])/, '');
  if (question === null) return nonEmpty(plain, (rest) => ({ to: 'mail', words: rest, workers: false }));
  if (plain === '') return { to: 'decline', question };
  const option = /^[0-9]+$/.test(plain) ? question.options[Number(plain) - 1] : undefined;
  return { to: 'answer', question, words: option ?? plain };
}

function nonEmpty(words: string, then: (words: string) => Destination): Destination {
  const trimmed = words.trim();
  return trimmed === '' ? { to: 'nobody' } : then(trimmed);
}
