import type { CompletedFlag, CompletedProgram, Value } from '../completion.js';

/** The script for fish. */
export function fishScript({ flags, commands }: CompletedProgram): string {
  const names = commands.map(({ name }) => name).join(' ');
  const isFirst = `not __fish_seen_subcommand_from ${names}`;
  return [
    '# flower completion for fish: put it into ~/.config/fish/completions/flower.fish',
    'complete -c flower -f',
    ...flags.map((flag) => lineFor(flag, isFirst)),
    ...commands.map(({ name, words }) => `complete -c flower -n ${quoted(isFirst)} -a ${name} -d ${quoted(words)}`),
    ...commands.flatMap(({ name, flags: own, argument }) => {
      const isHere = `__fish_seen_subcommand_from ${name}`;
      const words = argumentsOf(argument);
      return [
        ...own.map((flag) => lineFor(flag, isHere)),
        ...(words ? [`complete -c flower -n ${quoted(isHere)} ${words}`] : []),
      ];
    }),
    '',
  ].join('\n');
}

function lineFor({ short, long, words, value }: CompletedFlag, condition: string): string {
  const parts = [
    `complete -c flower -n ${quoted(condition)}`,
    ...(short ? [`-s ${short.slice(1)}`] : []),
    `-l ${long.slice(2)}`,
    `-d ${quoted(words)}`,
    ...(value === null ? [] : [`-x ${argumentsOf(value)}`]),
  ];
  return parts.join(' ').trimEnd();
}

function argumentsOf(value: Value | null): string {
  if (value === 'folders') return "-a '(__fish_complete_directories)'";
  if (value === 'files') return '-F';
  return value === null || value === 'anything' ? '' : `-a ${quoted(value.join(' '))}`;
}

function quoted(words: string): string {
  return `'${words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
