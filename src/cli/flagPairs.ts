import type { Command } from 'commander';
import { text } from '../locale/locale.js';
import { Exit } from './exit.js';

/** Flags by their names in the program: the first ones have no effect beside the last one. */
const POINTLESS: Readonly<Record<string, readonly (readonly [flags: readonly string[], beside: string])[]>> = {
  go: [
    [['rounds', 'judgeCanRun'], 'noGoal'],
    [['rounds', 'noGoal', 'judgeCanRun', 'isolate', 'bequest'], 'clarifyOnly'],
    [['window'], 'noHandoff'],
  ],
  run: [[['window'], 'noHandoff']],
};

const CONTRADICTIONS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  go: [['trim', 'noTrim']],
};

/** Flags of the whole program that mean nothing to a command. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = { demo: ['workspace', 'runDir', 'workbench', 'trim'] };

/** Flags that are of no use without another one. */
const DEPENDENT: Readonly<Record<string, readonly (readonly [string, string])[]>> = { once: [['fork', 'resume']] };

/**
 * Looks at which flags were given together. A contradiction is a usage error; for a flag that can have no effect there is a line to
 * show at the start.
 */
export function checkPairs(command: Command, given: ReadonlySet<string>): string[] {
  const name = command.name();
  for (const [a, b] of CONTRADICTIONS[name] ?? []) {
    if (given.has(a) && given.has(b)) throw new Exit(2, text('usage.conflict', pair(command, a, b)));
  }
  for (const [a, b] of DEPENDENT[name] ?? []) {
    if (given.has(a) && !given.has(b)) throw new Exit(2, text('usage.needs', pair(command, a, b)));
  }
  if (given.has('runDir') && command.registeredArguments[0]?.name() === 'RUN-DIR' && command.args.length > 0) {
    throw new Exit(2, text('usage.conflict', { a: 'RUN-DIR', b: '--run-dir' }));
  }
  const foreign = (FOREIGN[name] ?? []).filter((flag) => given.has(flag));
  const unused = (POINTLESS[name] ?? []).flatMap(([flags, beside]) =>
    given.has(beside)
      ? flags.filter((flag) => given.has(flag)).map((flag) => text('notice.unused', pair(command, flag, beside)))
      : [],
  );
  return [...foreign.map((flag) => text('notice.demo', { flag: pair(command, flag, flag).a })), ...unused];
}

function pair(command: Command, a: string, b: string): { a: string; b: string } {
  const long = (name: string) => command.options.find((option) => option.attributeName() === name)?.long ?? name;
  return { a: long(a), b: long(b) };
}
