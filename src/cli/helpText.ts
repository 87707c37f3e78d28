import type { Argument, Command, Option } from 'commander';
import { text } from '../locale/locale.js';

/** One thing that can be typed, and what it is for. */
export interface HelpItem {
  readonly term: string;
  readonly words: string;
}

/** All that can be said about a command, in the order in which it is shown. Help, man page and completion are made from it. */
export interface CommandHelp {
  readonly usage: string;
  readonly words: string;
  readonly groups: readonly { readonly title: string; readonly items: readonly HelpItem[] }[];
  readonly epilog: string;
}

/** What commander was told about a command. */
export function describeCommand(command: Command): CommandHelp {
  const options = command.createHelp().visibleOptions(command);
  const isGlobal = (option: Option) => option.helpGroupHeading !== undefined;
  const group = (title: string, items: readonly HelpItem[]) => (items.length > 0 ? [{ title, items }] : []);
  return {
    usage: usageOf(command),
    words: command.description(),
    groups: [
      ...group(text('help.head.commands'), command.commands.map(commandItem)),
      ...group(text('help.head.arguments'), command.registeredArguments.map(argumentItem)),
      ...group(text('help.head.flags'), options.filter((option) => !isGlobal(option)).map(optionItem)),
      ...group(text('help.group.global'), options.filter(isGlobal).map(optionItem)),
    ],
    epilog: command.name() === 'go' ? text('help.go.epilog') : '',
  };
}

/** The help of a command for a screen of so many columns. */
export function helpText(command: Command, columns: number | undefined): string {
  const { usage, words, groups, epilog } = describeCommand(command);
  const width = Math.max(40, Math.min(columns || 80, 110));
  const longest = Math.max(...groups.flatMap(({ items }) => items.map(({ term }) => columnsOf(term))));
  // Long terms have a line of their own; the others leave most of the line to the words.
  const column = Math.min(longest, Math.max(16, width >> 1)) + 4;
  return [
    ...wrap(usage, width, `${text('help.head.usage')} `),
    '',
    ...wrap(words, width),
    ...groups.flatMap(({ title, items }) => [
      '',
      `${title}:`,
      ...items.flatMap((item) => itemLines(item, width, column)),
    ]),
    ...(epilog ? ['', ...wrap(epilog, width)] : []),
    '',
  ].join('\n');
}

function itemLines({ term, words }: HelpItem, width: number, column: number): string[] {
  const first = `  ${term}`;
  const pad = column - columnsOf(first);
  if (pad >= 2) return wrap(words, width, first + ' '.repeat(pad));
  return [first, ...wrap(words, width, ' '.repeat(column))];
}

function usageOf(command: Command): string {
  const path = command.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  const words = [
    text('help.usage.flags'),
    ...(command.commands.length > 0 ? [text('help.usage.command')] : []),
    ...command.registeredArguments.map(termOf),
  ];
  return `${path} ${words.join(' ')}`;
}

function commandItem(command: Command): HelpItem {
  return { term: [command.name(), ...command.registeredArguments.map(termOf)].join(' '), words: command.description() };
}

function argumentItem(argument: Argument): HelpItem {
  return { term: termOf(argument), words: argument.description };
}

function optionItem(option: Option): HelpItem {
  return { term: option.flags, words: option.description };
}

function termOf(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '');
  return argument.required ? `<${name}>` : `[${name}]`;
}

/**
 * Breaks a text into lines, the first behind `first`, the others indented as far. The screen has a better one, whose tables take as
 * long to load as the rest of a `--help`; the texts of help are flower's own, Latin words and Chinese characters.
 */
function wrap(words: string, width: number, first = ''): string[] {
  const margin = columnsOf(first);
  const lines: string[] = [];
  let line = '';
  for (const [piece] of words.matchAll(PIECE)) {
    if (line !== '' && margin + columnsOf((line + piece).trimEnd()) > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? piece.trimStart() : piece;
  }
  return [...lines, line].map((text, i) => (i === 0 ? first : ' '.repeat(margin)) + text.trimEnd());
}

/** A word with the blanks before it, or one Chinese character; closing marks stay with what they close. */
const PIECE =
  /\s*(?:[\u2e80-\u9fff]|[^\s\u2e80-\u9fff\u3000-\u303f\uff00-\uffef]+|.)[\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f,.;:!?)]*/gu;

function columnsOf(words: string): number {
  return words.length + (words.match(/[\u2e80-\u9fff\uff00-\uff60]/gu) ?? []).length;
}
