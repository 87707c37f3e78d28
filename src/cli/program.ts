import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { text } from '../locale/locale.js';
import { guarded } from './exit.js';
import { insertDefault } from './insertDefault.js';

/** The flags that stand before or behind every command. */
export interface GlobalFlags {
  readonly workspace?: string;
  readonly runDir?: string;
  readonly verbose?: boolean;
}

export interface GoFlags extends GlobalFlags {
  readonly asks: number;
  readonly rounds: number;
  readonly goal: boolean;
  readonly judgeCanRun?: boolean;
  /** Seconds; null is for ever. */
  readonly timeout: number | null;
  readonly new?: boolean;
}

export interface DemoFlags extends GlobalFlags {
  readonly dir?: string;
}

/** Parses the arguments and runs the command. What a command needs is imported only when it runs: `--help` must be quick. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = buildProgram();
  try {
    await program.parseAsync(insertDefault(program, argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end with 0; everything else that the parser refuses is a usage error.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}

/** The one definition of commands and flags; help and the insertion of `go` are made from it. */
export function buildProgram(): Command {
  const program = withGlobals(new Command('flower'))
    .description(text('help.program'))
    .version(`flower ${version()}`, '-V, --version', text('help.version'))
    .helpCommand(false)
    .showHelpAfterError(false)
    .exitOverride();

  withGlobals(program.command('go'))
    .description(text('help.go'))
    .argument('[ask...]', text('help.ask'))
    .addOption(new Option('--asks <n>', text('help.asks')).default(-1).argParser(integer(-1)))
    .addOption(new Option('--rounds <n>', text('help.rounds')).default(3).argParser(integer(1)))
    .option('--no-goal', text('help.no_goal'))
    .option('--judge-can-run', text('help.judge_can_run'))
    .addOption(new Option('--timeout <s>', text('help.timeout')).default(1800).argParser(seconds))
    .option('--new', text('help.new'))
    .action(async (ask: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<GoFlags>();
      const { go } = await import('./go.js');
      await guarded(flags.verbose ?? false, () => go(ask.join(' '), flags));
    });

  withGlobals(program.command('demo'))
    .description(text('help.demo'))
    .option('--dir <dir>', text('help.dir'))
    .action(async (_flags, command: Command) => {
      const flags = command.optsWithGlobals<DemoFlags>();
      const { demo } = await import('./demo.js');
      await guarded(flags.verbose ?? false, () => demo(flags));
    });

  for (const command of program.commands) command.exitOverride().showHelpAfterError(false);
  return program;
}

function withGlobals(command: Command): Command {
  return command
    .option('-w, --workspace <dir>', text('help.workspace'))
    .option('-r, --run-dir <dir>', text('help.run_dir'))
    .option('-v, --verbose', text('help.verbose'));
}

function integer(least: number): (value: string) => number {
  return (value) => {
    const n = Number(value);
    if (/^-?[0-9]+$/.test(value) && n >= least) return n;
    throw new InvalidArgumentError(text('usage.wantInteger', { least }));
  };
}

function seconds(value: string): number | null {
  if (value === 'forever') return null;
  const n = Number(value);
  if (value.trim() !== '' && Number.isFinite(n) && n >= 0) return n;
  throw new InvalidArgumentError(text('usage.wantSeconds'));
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
