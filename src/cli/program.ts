import { fileURLToPath } from 'node:url';
import { CommanderError, Option } from 'commander';
import { text } from '../locale/locale.js';
import { flowerVersion } from '../workflow/flowerVersion.js';
import { Exit, guarded, showExit } from './exit.js';
import { checkPairs } from './flagPairs.js';
import { dollars, integer, names, oneOf, seconds } from './flagValues.js';
import { FlowerCommand } from './flowerCommand.js';
import { insertDefault } from './insertDefault.js';

/** The flags that stand before or behind every command, and what the command line as a whole gave. */
export interface GlobalFlags {
  readonly workspace?: string;
  readonly runDir?: string;
  readonly verbose?: boolean;
  readonly workbench?: boolean;
  readonly trim?: boolean;
  /** Lines for the start: flags that can have no effect beside others. */
  readonly pointless: readonly string[];
}

export interface GoFlags extends GlobalFlags {
  readonly asks: number;
  readonly rounds: number;
  /** Seconds. */
  readonly timeout: number;
  readonly noGoal?: boolean;
  readonly judgeCanRun?: boolean;
  readonly isolate?: boolean;
  readonly window?: number;
  readonly noHandoff?: boolean;
  readonly new?: boolean;
  readonly clarifyOnly?: boolean;
  readonly noTrim?: boolean;
  readonly budget?: number;
  readonly bequest?: boolean;
  readonly json?: boolean;
}

export interface RunFlags extends GlobalFlags {
  readonly window?: number;
  readonly noHandoff?: boolean;
  readonly budget?: number;
  readonly json?: boolean;
}

export interface OnceFlags extends GlobalFlags {
  readonly instructions: string;
  readonly tools: readonly string[];
  readonly permissionMode: 'default' | 'acceptEdits' | 'plan' | 'bypassPermissions';
  readonly budget?: number;
  readonly resume?: string;
  readonly fork?: boolean;
  readonly json?: boolean;
}

export interface DemoFlags extends GlobalFlags {
  readonly dir?: string;
  readonly json?: boolean;
}

export interface StatusFlags extends GlobalFlags {
  readonly follow?: boolean;
  readonly json?: boolean;
}

export interface DoctorFlags extends GlobalFlags {
  readonly fix?: boolean;
  readonly probe?: boolean;
  readonly json?: boolean;
}

export interface AnalyzeFlags extends GlobalFlags {
  readonly json?: boolean;
}

/** Parses the arguments and runs the command. What a command needs is imported only when it runs: `--help` must be quick. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = buildProgram();
  const args = insertDefault(program, argv);
  program.isDefaulted = args.length > argv.length;
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof Exit) showExit(error);
    else if (!(error instanceof CommanderError)) throw error;
    // Help and version end the parsing with this error too.
    else if (error.code === 'commander.version' && argv.some((item) => /^(-v|-vV|--verbose)$/.test(item))) {
      process.stdout.write(`${fileURLToPath(new URL('./main.js', import.meta.url))}\n`);
    }
  }
}

/** The one definition of commands and flags. Help, man page, completion and the insertion of `go` are made from it. */
export function buildProgram(): FlowerCommand {
  const program = withGlobals(new FlowerCommand('flower'));
  program
    .description(text('help.program'))
    .version(`flower ${flowerVersion()}`, '-V, --version', text('help.version'))
    .enablePositionalOptions();

  define(program, 'go', text('help.go'))
    .argument('[ask...]', text('help.ask'))
    .addOption(new Option('--asks <n>', text('help.asks')).default(-1).argParser(integer('--asks', -1)))
    .addOption(new Option('--rounds <n>', text('help.rounds')).default(3).argParser(integer('--rounds', 1)))
    .addOption(toggle('--no-goal', text('help.no_goal')))
    .option('--judge-can-run', text('help.judge_can_run'))
    .addOption(new Option('--timeout <s>', text('help.timeout')).default(1800).argParser(seconds('--timeout')))
    .option('--isolate', text('help.isolate'))
    .addOption(windowFlag())
    .addOption(toggle('--no-handoff', text('help.no_handoff')))
    .option('--new', text('help.new'))
    .option('--clarify-only', text('help.clarify_only'))
    .addOption(toggle('--no-trim', text('help.no_trim')))
    .addOption(budgetFlag())
    .option('--bequest', text('help.bequest'))
    .option('--json', text('help.json'))
    .action((ask: string[], _options, command: FlowerCommand) => {
      // Other programs have a command of that name.
      if (program.isDefaulted && ask.length === 1 && ask[0] === 'update') throw new Exit(2, text('update.how'));
      return start<GoFlags>(command, async (flags) => (await import('./go.js')).go(ask.join(' '), flags));
    });

  define(program, 'run', text('help.run'))
    .argument('<target>', text('help.target'))
    .addOption(windowFlag())
    .addOption(toggle('--no-handoff', text('help.no_handoff')))
    .addOption(budgetFlag())
    .option('--json', text('help.json'))
    .action((target: string, _options, command: FlowerCommand) =>
      start<RunFlags>(command, async (flags) => (await import('./run.js')).run(target, flags)),
    );

  define(program, 'once', text('help.once'))
    .argument('<prompt>', text('help.prompt'))
    .option('-i, --instructions <text>', text('help.instructions'), '')
    .addOption(
      new Option('-t, --tools <names>', text('help.tools'))
        .default(['Read', 'Glob', 'Grep'])
        .argParser(names('--tools')),
    )
    .addOption(
      new Option('-p, --permission-mode <mode>', text('help.permission'))
        .choices(PERMISSION_MODES)
        .default('default')
        .argParser(oneOf('--permission-mode', PERMISSION_MODES)),
    )
    .addOption(new Option('-b, --budget <usd>', text('help.budget')).argParser(dollars('--budget')))
    .option('--resume <id>', text('help.resume'))
    .option('--fork', text('help.fork'))
    .option('--json', text('help.json'))
    .action((prompt: string, _options, command: FlowerCommand) =>
      start<OnceFlags>(command, async (flags) => (await import('./once.js')).once(prompt, flags)),
    );

  define(program, 'setup', text('help.setup')).action((_options, command: FlowerCommand) =>
    start<GlobalFlags>(command, async (flags) => (await import('./setup.js')).setup(flags)),
  );

  define(program, 'demo', text('help.demo'))
    .option('--dir <dir>', text('help.dir'))
    .option('--json', text('help.json'))
    .action((_options, command: FlowerCommand) =>
      start<DemoFlags>(command, async (flags) => (await import('./demo.js')).demo(flags)),
    );

  define(program, 'status', text('help.status'))
    .argument('[RUN-DIR]', text('help.run_dir_arg'))
    .option('-f, --follow', text('help.follow'))
    .option('--json', text('help.json_one'))
    .action((runDir: string | undefined, _options, command: FlowerCommand) =>
      start<StatusFlags>(command, async (flags) => (await import('./status.js')).status(runDir, flags)),
    );

  define(program, 'doctor', text('help.doctor'))
    .option('--fix', text('help.fix'))
    .option('--probe', text('help.probe'))
    .option('--json', text('help.json_one'))
    .action((_options, command: FlowerCommand) =>
      start<DoctorFlags>(command, async (flags) => (await import('./doctor.js')).doctor(flags)),
    );

  define(program, 'analyze', text('help.analyze'))
    .argument('[RUN-DIR]', text('help.run_dir_arg'))
    .option('--json', text('help.json_one'))
    .action((runDir: string | undefined, _options, command: FlowerCommand) =>
      start<AnalyzeFlags>(command, async (flags) => (await import('./analyze.js')).analyze(runDir, flags)),
    );

  define(program, 'completion', text('help.completion'))
    .argument('<SHELL>', text('help.shell'))
    .action((shell: string, _options, command: FlowerCommand) =>
      start<GlobalFlags>(command, async () => (await import('./completion.js')).completion(shell, command)),
    );

  return program;
}

const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];

function define(program: FlowerCommand, name: string, words: string): FlowerCommand {
  const command = program.createCommand(name).description(words);
  program.addCommand(withGlobals(command));
  return command;
}

function withGlobals(command: FlowerCommand): FlowerCommand {
  const group = text('help.group.global');
  for (const option of [
    new Option('-w, --workspace <dir>', text('help.workspace')),
    new Option('-r, --run-dir <dir>', text('help.run_dir')),
    new Option('-v, --verbose', text('help.verbose')),
    new Option('-W, --workbench', text('help.workbench')),
    new Option('-T, --trim', text('help.trim')),
  ]) {
    command.addOption(option.helpGroup(group));
  }
  command.addHelpOption(new Option('-h, --help', text('help.help')).helpGroup(group));
  return command;
}

/** A switch that is off until it is given. For the parser `--no-x` would be another word for x. */
function toggle(flag: string, words: string): Option {
  const option = new Option(flag, words);
  option.negate = false;
  return option;
}

function windowFlag(): Option {
  return new Option('--window <n>', text('help.window')).argParser(integer('--window', 1));
}

function budgetFlag(): Option {
  return new Option('--budget <usd>', text('help.budget_run')).argParser(dollars('--budget'));
}

/** Runs one command with its flags; of a global flag that was given twice the later one holds. */
async function start<Flags extends GlobalFlags>(
  command: FlowerCommand,
  run: (flags: Flags) => Promise<number>,
): Promise<void> {
  const levels = command.parent ? [command.parent, command] : [command];
  const given = new Set(
    levels.flatMap((level) => Object.keys(level.opts()).filter((name) => level.getOptionValueSource(name) === 'cli')),
  );
  const pointless = checkPairs(command, given);
  const flags = Object.assign({}, ...levels.map((level) => level.opts()), { pointless }) as Flags;
  await guarded(flags.verbose ?? false, () => run(flags));
}
