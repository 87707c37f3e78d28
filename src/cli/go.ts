import { mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkCredentials } from '../credentials/checkCredentials.js';
import { loadDotenv } from '../credentials/loadDotenv.js';
import { text } from '../locale/locale.js';
import { probeTarget, whyUnreachable } from '../runtime/endpoint.js';
import { starterFlow } from '../workflow/starterFlow.js';
import { type WakeState, wakeState } from '../workflow/wakeState.js';
import { drive, tilde } from './drive.js';
import { Exit } from './exit.js';
import type { GoFlags } from './program.js';
import { askLine, readAll } from './startPrompt.js';

/** `flower "…"`: clarify, set the goal, work under an independent judge; in a directory used before, go on. Gives the exit code. */
export async function go(words: string, flags: GoFlags): Promise<number> {
  const workspace = workspaceOf(flags.workspace ?? '.');
  const runDir = flags.runDir ? resolve(flags.runDir) : join(workspace, 'runs');
  loadDotenv(null, { workspace, onWarning: (line) => process.stderr.write(`${line}\n`) });
  const missing = checkCredentials();
  if (missing) throw new Exit(1, missing.split('\n').slice(0, 2).join(' '));
  await mustReach();

  const state = wakeState(workspace, { runDir });
  const ask = await requestOf(words.trim(), flags, state);
  if (ask === null) return 0;
  if (state.waking && !ask.fresh) greet(workspace, state);
  const flow = starterFlow(ask.words, {
    workspace,
    runDir,
    new: ask.fresh,
    goal: flags.goal,
    rounds: flags.rounds,
    judgeCanRun: flags.judgeCanRun ?? false,
    maxAsks: flags.asks < 0 ? null : flags.asks,
    timeoutS: flags.timeout,
  });
  if (!process.stdin.isTTY && flags.timeout !== 0) process.stderr.write(`${text('warn.no_tty')}\n`);
  return drive({ flow, runtime: { workspace, runDir }, verbose: flags.verbose ?? false });
}

/** Makes the workspace and sees that it can be written: better now than after the first paid answer. */
function workspaceOf(path: string): string {
  try {
    mkdirSync(path, { recursive: true });
    const workspace = realpathSync(path);
    if (!statSync(workspace).isDirectory()) throw new Error('ENOTDIR');
    const trial = join(workspace, `.flower-trial-${process.pid}`);
    writeFileSync(trial, '');
    rmSync(trial);
    return workspace;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Exit(1, text('err.workspace', { path: resolve(path), why: code ?? message }));
  }
}

async function mustReach(): Promise<void> {
  const [host, port] = probeTarget();
  const why = await whyUnreachable(host, port);
  if (why) throw new Exit(1, text('error.endpointUnreachable', { host, port, why }));
}

/** The request: typed on the command line, else at the prompt, else all of standard input. Null: there is nothing to do. */
async function requestOf(
  words: string,
  flags: GoFlags,
  state: WakeState,
): Promise<{ words: string; fresh: boolean } | null> {
  let fresh = flags.new ?? false;
  let said = words;
  for (;;) {
    const renewed = /^\/new(?:\s+|$)/i.exec(said);
    if (renewed) {
      fresh = true;
      said = said.slice(renewed[0].length).trim();
    }
    if (said) return { words: said, fresh };
    const waking = state.waking && !fresh;
    const done =
      waking && (state.outcome?.verified === 'achieved' || state.outcome?.verified === 'accepted')
        ? state.outcome
        : null;
    if (!process.stdin.isTTY) {
      said = await readAll(process.stdin);
      if (said) continue;
      if (done) process.stdout.write(`${doneText(done).replace(/ ?‹.*›/u, '')}\n`);
      if (done) return null;
      if (waking) return { words: '', fresh };
      throw new Exit(1, text('err.empty_ask'));
    }
    const line = await askLine(done ? doneText(done) : text(waking ? 'start.waking' : 'start.first'));
    if (line === null) throw new Exit(1, text('cancelled'));
    said = line.trim();
    if (said) continue;
    if (done) return null;
    if (waking) return { words: '', fresh };
    throw new Exit(1, text('err.empty_ask'));
  }
}

/** The goal is achieved already: another round would be paid for nothing. */
function doneText(outcome: NonNullable<WakeState['outcome']>): string {
  const date = new Date(outcome.endedAt * 1000).toISOString().slice(0, 10);
  const key = outcome.verified === 'accepted' ? 'start.accepted' : 'start.achieved';
  return text(key, { date, cost: outcome.costUsd.toFixed(2) });
}

function greet(workspace: string, state: WakeState): void {
  const parts = [text('banner.brief'), state.checks > 0 ? text('banner.goal', { n: state.checks }) : ''].filter(
    Boolean,
  );
  const wake = text('banner.wake', { n: state.woke + 1 });
  const line = text('banner.line', { place: tilde(workspace), parts: parts.join(' · '), wake });
  process.stdout.write(`${line.replace(/[‹›]/gu, '')}\n`);
}
