import type { Command } from 'commander';
import { describeCommand, type HelpItem } from './helpText.js';

/**
 * The manual page, made from the parser's definition and the texts of its help.
 *
 * @example
 * writeFileSync('flower.1', manPage(buildProgram(), { version: '1.0.0' }));
 */
export function manPage(program: Command, options: { readonly version: string }): string {
  const whole = describeCommand(program);
  const items = (list: readonly HelpItem[]) =>
    list.map(({ term, words }) => `.TP\n\\fB${plain(term)}\\fR\n${plain(words)}`);
  const [, ...flagGroups] = whole.groups;
  return [
    `.TH FLOWER 1 "" "flower ${options.version}"`,
    '.SH NAME',
    `flower \\- ${plain(whole.words)}`,
    '.SH SYNOPSIS',
    ...program.commands.map((command) => `.B ${plain(describeCommand(command).usage)}\n.br`),
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => {
      const { words, groups, usage } = describeCommand(command);
      // The last group is the global one, which stands below once for all.
      return [`.SS ${plain(usage)}`, plain(words), ...groups.slice(0, -1).flatMap((group) => items(group.items))];
    }),
    '.SH FLAGS',
    ...flagGroups.flatMap((group) => items(group.items)),
    '',
  ].join('\n');
}

/** Text that the formatter takes as it is: a backslash, a minus, and a dot or quote at the beginning of a line are its own. */
function plain(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
