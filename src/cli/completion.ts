import type { Argument, Command, Option } from 'commander';
import { text } from '../locale/locale.js';
import { bashScript } from './completion/bash.js';
import { fishScript } from './completion/fish.js';
import { zshScript } from './completion/zsh.js';
import type { FlowerCommand } from './flowerCommand.js';

/** What can stand behind a flag or as a word: files or folders of the disk, one of some words, or anything. */
export type Value = 'files' | 'folders' | 'anything' | readonly string[];

/** One flag, for whoever completes it. */
export interface CompletedFlag {
  readonly short: string | null;
  readonly long: string;
  readonly words: string;
  /** Null for a switch. */
  readonly value: Value | null;
}

/** One command, for whoever completes it. */
export interface CompletedCommand {
  readonly name: string;
  readonly words: string;
  readonly flags: readonly CompletedFlag[];
  /** What the first word behind it can be. */
  readonly argument: Value | null;
}

export interface CompletedProgram {
  readonly flags: readonly CompletedFlag[];
  readonly commands: readonly CompletedCommand[];
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `flower completion bash`: prints a script that completes commands, flags and what can stand behind them. Gives the exit code. */
export async function completion(shell: string, command: FlowerCommand): Promise<number> {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  const known = SHELLS.find((name) => name === shell);
  if (!known)
    command.refuse(text('usage.value', { flag: 'SHELL', value: shell, want: SHELLS.join(', ') }), { hint: true });
  process.stdout.write(scripts[known](completedProgram(command.parent ?? command)));
  return 0;
}

/** The parser's definition as completion needs it. */
export function completedProgram(program: Command): CompletedProgram {
  const own = flagsOf(program);
  // Without a command the flags of the default one may be typed too.
  const ofDefault = program.commands.filter((command) => command.name() === 'go').flatMap(flagsOf);
  return {
    flags: [...own, ...ofDefault.filter(({ long }) => !own.some((flag) => flag.long === long))],
    commands: program.commands.map((command) => ({
      name: command.name(),
      words: command.description(),
      flags: flagsOf(command),
      argument: argumentValue(command.registeredArguments[0]),
    })),
  };
}

function flagsOf(command: Command): CompletedFlag[] {
  const options = command.createHelp().visibleOptions(command);
  return options.map((option) => ({
    short: option.short ?? null,
    long: option.long ?? '',
    words: option.description,
    value: optionValue(option),
  }));
}

function optionValue(option: Option): Value | null {
  if (!option.required && !option.optional) return null;
  return option.argChoices ?? (option.flags.includes('<dir>') ? 'folders' : 'anything');
}

function argumentValue(argument: Argument | undefined): Value | null {
  switch (argument?.name()) {
    case undefined:
      return null;
    case 'RUN-DIR':
      return 'folders';
    case 'target':
      return 'files';
    case 'SHELL':
      return SHELLS;
    default:
      return 'anything';
  }
}
