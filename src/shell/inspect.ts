import { type ArgumentRules, judgeArguments } from './judgeArguments.js';
import type { Argument } from './parseArguments.js';
import type { Word } from './readWord.js';
import { type Refusal, refuse, type Why } from './refusal.js';

/** Judges the arguments of one command, taken apart and as written. */
export type Inspect = (found: readonly Argument[], words: readonly Word[]) => Refusal | null;

/** Refuses a word, option or not, that looks like this. */
export function noWord(pattern: RegExp, why: Why): Inspect {
  return (_, words) =>
    refuseWord(
      words.find((word) => pattern.test(word.value)),
      why,
    );
}

/** Refuses an operand that doesn't look like this. */
export function operandsLike(pattern: RegExp, why: Why): Inspect {
  return (found) =>
    refuseWord(
      operandsOf(found).find((word) => !pattern.test(word.value)),
      why,
    );
}

/** Refuses an operand that the shell may replace by several. */
export function noGlobOperand(why: Why): Inspect {
  return (found) =>
    refuseWord(
      operandsOf(found).find((word) => word.globAt !== -1),
      why,
    );
}

/** The first operand is a verb, and it must be one of these; options may stand anywhere. */
export function verbIn(...verbs: readonly string[]): Inspect {
  return (found, words) => {
    const verb = operandsOf(found)[0];
    return verb && verbs.includes(verb.value) ? null : refuse('unknown', (verb ?? words[0])?.source);
  };
}

/** The first word is a sub-command of the table, the rest are its arguments. An option in front of it is not known. */
export function subcommands(table: Readonly<Record<string, ArgumentRules>>): Inspect {
  return (_, words) => {
    const verb = words[0];
    const rules = verb && Object.hasOwn(table, verb.value) ? table[verb.value] : undefined;
    return rules ? judgeArguments(words.slice(1), rules) : refuse('unknown', verb?.source);
  };
}

/** Refuses at the first judge that does. */
export function each(...judges: readonly Inspect[]): Inspect {
  return (found, words) => judges.reduce<Refusal | null>((refusal, judge) => refusal ?? judge(found, words), null);
}

export function operandsOf(found: readonly Argument[]): Word[] {
  return found.filter((argument) => argument.kind === 'operand').map((argument) => argument.word);
}

/** True if one of the options is given; a long one counts in each of its abbreviations. */
export function hasOption(found: readonly Argument[], short: string, long: string): boolean {
  return found.some(
    (argument) =>
      (argument.kind === 'short' && argument.name === short) ||
      (argument.kind === 'long' && argument.name !== '' && long.startsWith(argument.name)),
  );
}

function refuseWord(word: Word | undefined, why: Why): Refusal | null {
  return word ? refuse(why, word.source) : null;
}
