import { type Locale, text } from '../locale/locale.js';
import { cutText } from '../workbench/cutText.js';
import { judgeCommand } from './judgeCommand.js';
import { readCommandLine } from './readCommandLine.js';
import { isRefusal, type Refusal, refuse } from './refusal.js';

export interface EphemeralVerdict {
  readonly allow: boolean;
  /** One line that says why the command is refused; `''` if it is allowed. */
  readonly reason: string;
}

/** A refusal quotes at most so much of the command. */
const QUOTED_LENGTH = 80;

/**
 * True if a Bash command line only looks: it changes nothing, starts no further program, and comes back by itself. It is decided
 * on the parse tree of the Bash grammar, never on the text; what is not understood to its end is refused.
 *
 * The same answer says what a delegating role may run by itself, whose results expire from the context, and which calls that
 * were cut off may simply be done again. Configuration that the line doesn't show (a repository's `diff.external`, a shell's
 * aliases) is beyond it.
 *
 * @example
 * isEphemeral('git log --oneline | head -5');   // true
 * isEphemeral('sort -o names.txt names.txt');   // false
 */
export function isEphemeral(command: string): boolean {
  return findRefusal(command) === null;
}

/**
 * The decision of `isEphemeral` with its reason, for the refusal that a model reads, for logs and tests.
 *
 * @example
 * ephemeralVerdict('find . -delete', { locale: 'en' }).reason;   // what -delete does
 */
export function ephemeralVerdict(command: string, options: { readonly locale?: Locale } = {}): EphemeralVerdict {
  const refusal = findRefusal(command);
  if (!refusal) return { allow: true, reason: '' };
  const line = refusal.what.replace(/\s+/g, ' ').trim();
  const what = line.length > QUOTED_LENGTH ? `${cutText(line, QUOTED_LENGTH)}…` : line;
  return { allow: false, reason: text(`shell.${refusal.why}`, { what }, options.locale) };
}

function findRefusal(line: string): Refusal | null {
  const commands = readCommandLine(line);
  if (isRefusal(commands)) return commands;
  for (const [i, command] of commands.entries()) {
    const refusal = command.words[0]?.source === 'cd' ? judgeCd(i, commands) : judgeCommand(command.words);
    if (refusal) return refusal;
  }
  return null;
}

/** `cd` shows nothing by itself: it may only say where the next command looks. */
function judgeCd(at: number, commands: Exclude<ReturnType<typeof readCommandLine>, Refusal>): Refusal | null {
  const { words, followedBy } = commands[at] ?? { words: [], followedBy: '' };
  const leadsOn = ['&&', ';', '\n'].includes(followedBy) && at < commands.length - 1;
  const operands = words.slice(1).filter((word) => !['-P', '-L', '--'].includes(word.source));
  return leadsOn && operands.length <= 1 ? null : refuse('lonelyCd', words.map((word) => word.source).join(' '));
}
