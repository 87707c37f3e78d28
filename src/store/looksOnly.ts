import { isEphemeral } from '../shell/isEphemeral.js';

const most = 10_000;
const answers = new Map<string, boolean>();

/** `isEphemeral`, which reads the grammar of a command line, with its answers kept: a history repeats itself, and is loaded again. */
export function looksOnly(command: string): boolean {
  const known = answers.get(command);
  if (known !== undefined) return known;
  if (answers.size >= most) answers.clear();
  const answer = isEphemeral(command);
  answers.set(command, answer);
  return answer;
}
