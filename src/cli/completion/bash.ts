import type { CompletedFlag, CompletedProgram, Value } from '../completion.js';

/** The script for bash. */
export function bashScript({ flags, commands }: CompletedProgram): string {
  const valued = (list: readonly CompletedFlag[]) => list.filter((flag) => flag.value !== null);
  const all = [...flags, ...commands.flatMap((command) => command.flags)];
  const values = new Map(valued(all).map((flag) => [flag.long, flag]));
  return `# flower completion for bash: source it, or put it into ~/.local/share/bash-completion/completions/flower
_flower() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${valued(flags).map(patternOf).join('|')}) ((i++)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case $before in
${[...values.values()].map((flag) => `    ${patternOf(flag)}) ${replyWith(flag.value)}; return ;;`).join('\n')}
  esac
  case $command in
${commands.map((command) => `    ${command.name}) if [[ $word == -* ]]; then ${replyWith(wordsOf(command.flags))}; else ${replyWith(command.argument)}; fi ;;`).join('\n')}
    '') if [[ $word == -* ]]; then ${replyWith(wordsOf(flags))}; else ${replyWith(commands.map(({ name }) => name))}; fi ;;
  esac
}
complete -F _flower flower
`;
}

function patternOf({ short, long }: CompletedFlag): string {
  return short ? `${short}|${long}` : long;
}

function wordsOf(flags: readonly CompletedFlag[]): string[] {
  return flags.flatMap(({ short, long }) => (short ? [short, long] : [long]));
}

function replyWith(value: Value | null): string {
  if (value === 'folders') return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$word"))';
  if (value === 'files') return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word"))';
  if (value === null || value === 'anything') return ':';
  return `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$word"))`;
}
