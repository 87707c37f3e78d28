import { type Argument, type OptionSyntax, parseArguments } from './parseArguments.js';
import type { Word } from './readWord.js';
import { type Refusal, refuse, type Why } from './refusal.js';

/** What a command's arguments may be. Without any field: everything. */
export interface ArgumentRules extends OptionSyntax {
  /** No argument can do harm, so variables, globs and braces may stand for any. */
  readonly any?: true;
  /** The only options there may be, short ones as a string of letters, long ones by their full name. */
  readonly only?: { readonly short?: string; readonly long?: readonly string[] };
  /** Options that do more than look, and what they do. A long one is meant in each of its abbreviations as well. */
  readonly refused?: Readonly<Record<string, Why>>;
  /** How many operands there may be at most, and what one too many does. */
  readonly operands?: { readonly atMost: number; readonly elseIt: Why };
  /** Judges what the fields above can't say. */
  readonly inspect?: (found: readonly Argument[], words: readonly Word[]) => Refusal | null;
  /** `--` doesn't end the options of this command. */
  readonly noDashDash?: true;
  /** No option may follow an operand: GNU takes it for an option there, BSD for one more operand. */
  readonly optionsFirst?: true;
}

/** Judges the words after a command (or sub-command) by its rules. */
export function judgeArguments(words: readonly Word[], rules: ArgumentRules): Refusal | null {
  if (rules.any) return rules.inspect?.([], words) ?? null;
  const unforeseeable = judgeExpansions(words, rules);
  if (unforeseeable) return unforeseeable;
  const found = parseArguments(words, rules);
  for (const argument of found) {
    const refusal =
      argument.kind === 'operand' ? null : judgeOption(argument.kind, argument.name, argument.word, rules);
    if (refusal) return refusal;
  }
  const operands = found.filter((argument) => argument.kind === 'operand');
  const late = operands[0] && found.slice(found.indexOf(operands[0])).find((argument) => argument.kind !== 'operand');
  if (late && rules.optionsFirst) return refuse('unknown', late.word.source);
  const tooMany = rules.operands && operands[rules.operands.atMost];
  if (tooMany) return refuse(rules.operands.elseIt, tooMany.word.source);
  return rules.inspect?.(found, words) ?? null;
}

/** What the shell puts in place of a variable, a brace pair or a glob could be an option. */
function judgeExpansions(words: readonly Word[], rules: ArgumentRules): Refusal | null {
  let ended = false;
  for (const word of words) {
    if (word.hasVariable) return refuse('variable', word.source);
    if (word.expandsBraces) return refuse('expands', word.source);
    if (!ended && word.globAt !== -1 && (word.globAt === 0 || word.value.startsWith('-')))
      return refuse('expands', word.source);
    ended ||= word.value === '--' && !rules.noDashDash;
  }
  return null;
}

function judgeOption(kind: 'short' | 'long', name: string, word: Word, rules: ArgumentRules): Refusal | null {
  for (const [refused, why] of Object.entries(rules.refused ?? {})) {
    const isShort = refused.length === 1;
    if (kind === 'short' ? name === refused : !isShort && name !== '' && refused.startsWith(name))
      return refuse(why, word.source);
  }
  if (!rules.only) return null;
  const known = kind === 'short' ? rules.only.short?.includes(name) : rules.only.long?.includes(name);
  return known ? null : refuse('unknown', word.source);
}
