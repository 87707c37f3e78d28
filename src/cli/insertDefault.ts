import type { Command } from 'commander';

/**
 * Puts `go` in front of a request that was typed without a command: `flower "build X"` is `flower go "build X"`. Which words are
 * commands and which flags take a value is read from the parser's own definition.
 */
export function insertDefault(program: Command, argv: readonly string[]): string[] {
  const commands = new Set(program.commands.map((command) => command.name()));
  for (let i = 0; i < argv.length; i += 1) {
    const item = argv[i] ?? '';
    if (item === '--') return insert(argv, i);
    const flag = readFlag(program, item);
    if (flag === 'ends') return [...argv];
    if (flag === 'value follows') i += 1;
    else if (flag === 'none') return commands.has(item) ? [...argv] : insert(argv, i);
  }
  return [...argv, 'go'];
}

function insert(argv: readonly string[], at: number): string[] {
  return [...argv.slice(0, at), 'go', ...argv.slice(at)];
}

/** What one item is to the main parser: not a global flag, a complete one, one whose value comes next, or help and version. */
function readFlag(program: Command, item: string): 'none' | 'complete' | 'value follows' | 'ends' {
  if (item === '-h' || item === '--help' || item === '-V' || item === '--version') return 'ends';
  if (item.startsWith('--')) {
    const [name = '', ...value] = item.split('=');
    const option = program.options.find((candidate) => candidate.long === name);
    if (!option) return 'none';
    return option.required && value.length === 0 ? 'value follows' : 'complete';
  }
  if (!/^-[A-Za-z]/.test(item)) return 'none';
  // A cluster: switches, and perhaps one flag with a value, which takes the rest of the item or the next one.
  for (const [i, letter] of [...item.slice(1)].entries()) {
    const option = program.options.find((candidate) => candidate.short === `-${letter}`);
    if (!option) return 'none';
    if (option.required) return i === item.length - 2 ? 'value follows' : 'complete';
  }
  return 'complete';
}
