import { Command, type Option } from 'commander';
import { text } from '../locale/locale.js';
import { Exit } from './exit.js';
import { helpText } from './helpText.js';

/** Commands whose name somebody could mean as the request, when what follows it makes no sense. */
const NEVER_REQUESTS = new Set(['go']);

/**
 * The parser's command with its own words in flower's languages: help, and what is wrong with a command line. What it refuses is
 * an `Exit` with code 2.
 */
export class FlowerCommand extends Command {
  /** Of the program: nobody typed the command that is run, it was put in as the default. */
  isDefaulted = false;

  constructor(name?: string) {
    super(name);
    this.helpCommand(false);
    this.exitOverride();
    this.configureHelp({ formatHelp: (command) => helpText(command, process.stdout.columns) });
  }

  override createCommand(name?: string): FlowerCommand {
    return new FlowerCommand(name);
  }

  /** Ends the program with a usage error. With `hint` it says how the command's name can be the request. */
  refuse(message: string, options: { readonly hint?: boolean } = {}): never {
    const word = this.name();
    const hint = options.hint && this.parent && !NEVER_REQUESTS.has(word);
    const path = this.parent ? `${this.parent.name()} ${word}` : word;
    throw new Exit(
      2,
      [
        message,
        ...(hint ? [text('usage.reserved', { word })] : []),
        text('usage.seeHelp', { command: `${path} --help` }),
      ].join('\n'),
    );
  }

  // The parser calls these by name.

  missingArgument(name: string): never {
    this.refuse(text('usage.missingArgument', { name }), { hint: true });
  }

  optionMissingArgument({ flags }: Option): never {
    this.refuse(text('usage.missingValue', { flag: flags }));
  }

  unknownOption(flag: string): never {
    this.refuse(text('usage.unknownFlag', { flag }));
  }

  _excessArguments(received: readonly string[]): never {
    const word = received[this.registeredArguments.length] ?? '';
    this.refuse(text('usage.excessArgument', { word }), { hint: true });
  }
}
