import type { Word } from './readWord.js';

/** An argument by the conventions of getopt: an option (`-n` and `--lines` are named `n` and `lines`) or an operand. */
export type Argument =
  | { readonly kind: 'short' | 'long'; readonly name: string; readonly value: string | null; readonly word: Word }
  | { readonly kind: 'operand'; readonly word: Word };

export interface OptionSyntax {
  /** Short options that take a value, in the same word or as the next one. */
  readonly values?: string;
  /** Short options whose value, if any, is the rest of the same word. */
  readonly attached?: string;
  /** Long options that take the next word if there is no `=`. Leaving one out only makes its value an operand. */
  readonly longValues?: readonly string[];
}

/** Takes the words after a command apart. Options may follow operands; short ones may be stacked; `--` ends them. */
export function parseArguments(words: readonly Word[], syntax: OptionSyntax): Argument[] {
  const { values = '', attached = '', longValues = [] } = syntax;
  const found: Argument[] = [];
  let ended = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (!word) continue;
    const { value } = word;
    if (ended || value === '-' || !value.startsWith('-')) {
      found.push({ kind: 'operand', word });
    } else if (value === '--') {
      ended = true;
    } else if (value.startsWith('--')) {
      const [, name = '', given] = /^--([^=]*)(?:=(.*))?$/s.exec(value) ?? [];
      if (given === undefined && longValues.includes(name)) i += 1;
      found.push({
        kind: 'long',
        name,
        value: given ?? (longValues.includes(name) ? (words[i]?.value ?? null) : null),
        word,
      });
    } else {
      for (let at = 1; at < value.length; at++) {
        const name = value[at] ?? '';
        const rest = value.slice(at + 1);
        if (values.includes(name) || (attached.includes(name) && rest !== '')) {
          if (rest === '') i += 1;
          found.push({ kind: 'short', name, value: rest || (words[i]?.value ?? null), word });
          break;
        }
        found.push({ kind: 'short', name, value: null, word });
      }
    }
  }
  return found;
}
