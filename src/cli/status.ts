import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from '../locale/locale.js';
import { type RunFacts, runState } from '../terminal/runState.js';
import { stateLines } from '../terminal/stateLines.js';
import { Exit } from './exit.js';
import { follow } from './follow.js';
import { mustBeFolder, placesToSee } from './places.js';
import type { StatusFlags } from './program.js';
import { runFacts } from './runFacts.js';
import { layoutOf, withScreen } from './screen.js';

/** `flower status`: what runs or was left here. Reads only. Gives the exit code. */
export async function status(argument: string | undefined, flags: StatusFlags): Promise<number> {
  const seen = argument === undefined ? placesToSee(flags).runDir : existingRunDir(argument, 'status');
  mustBeFolder(seen);
  return withScreen({ ...flags, json: false }, async (screen) => {
    if (flags.follow) return follow(screen, seen, { json: flags.json ?? false });
    const facts = runFacts(seen) ?? nothingIn(seen);
    const state = runState(facts);
    if (flags.json) process.stdout.write(`${JSON.stringify(state)}\n`);
    else {
      screen.ui.lines(stateLines(state, { ...layoutOf(screen), command: commandFor(facts), now: facts.now }));
    }
    return 0;
  });
}

/** The run directory that was named as an argument. */
export function existingRunDir(argument: string, command: string): string {
  const path = resolve(argument);
  const holds = ['sessions.db', 'manifest.json'].some((name) => existsSync(join(path, name)));
  if (holds) return path;
  throw new Exit(1, `${text('analyze.missing', { path })}\n${text('usage.reserved', { word: command })}`);
}

function nothingIn(runDir: string): RunFacts {
  return {
    runDir,
    run: null,
    holder: null,
    events: [],
    rows: [],
    totalUsd: 0,
    budgetUsd: null,
    mail: 0,
    request: null,
    limits: { rounds: null, window: null, at: null },
    now: Date.now() / 1000,
  };
}

/** What goes on with the run: only of `go` is it known without the words that were typed. */
function commandFor({ runDir, events: [first] }: RunFacts): string | null {
  const { flow, workspace } = first?.payload ?? {};
  if (flow !== 'starter' || typeof workspace !== 'string') return null;
  return [
    'flower',
    ...(workspace === resolve('.') ? [] : ['-w', quoted(workspace)]),
    ...(runDir === join(workspace, 'runs') ? [] : ['-r', quoted(runDir)]),
  ].join(' ');
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
