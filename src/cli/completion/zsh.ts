import type { CompletedFlag, CompletedProgram, Value } from '../completion.js';

/** The script for zsh. */
export function zshScript({ flags, commands }: CompletedProgram): string {
  return `#compdef flower
# flower completion for zsh: put it as _flower into a folder of $fpath, or source it behind compinit
_flower() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
${specs(flags)}    '1: :->command' \\
    '*:: :->rest'
  case $state in
    command)
      local -a commands
      commands=(
${commands.map(({ name, words }) => `        ${quoted(`${name}:${words}`)}`).join('\n')}
      )
      _describe command commands ;;
    rest)
      case $words[1] in
${commands.map((command) => `        ${command.name}) _arguments \\\n${specs(command.flags)}          ${quoted(`*: :${actionOf(command.argument)}`)} ;;`).join('\n')}
      esac ;;
  esac
}
if [ "$funcstack[1]" = _flower ]; then _flower "$@"; else compdef _flower flower; fi
`;
}

function specs(flags: readonly CompletedFlag[]): string {
  return flags
    .flatMap(({ short, long, words, value }) => {
      const what = words.replace(/[[\]:]/g, ' ');
      const tail = value === null ? '' : `:value:${actionOf(value)}`;
      return [short, long]
        .filter((name) => name !== null)
        .map((name) => `    ${quoted(`${name}[${what}]${tail}`)} \\\n`);
    })
    .join('');
}

function actionOf(value: Value | null): string {
  if (value === 'folders') return '_files -/';
  if (value === 'files') return '_files';
  return value === null || value === 'anything' ? ' ' : `(${value.join(' ')})`;
}

function quoted(words: string): string {
  return `'${words.replaceAll("'", "'\\''")}'`;
}
