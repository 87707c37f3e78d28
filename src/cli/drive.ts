import { homedir } from 'node:os';
import { Runtime, type RuntimeOptions } from '../runtime/runtime.js';
import { closingLines, exitCodeOf } from '../terminal/closing.js';
import { createTerminalUi } from '../terminal/terminalUi.js';
import type { Workflow } from '../workflow/workflow.js';

export interface DriveOptions {
  readonly flow: Workflow;
  readonly runtime: Pick<RuntimeOptions, 'workspace' | 'runDir' | 'settings'>;
  readonly verbose: boolean;
}

/**
 * Runs a workflow with the terminal as its face: draws its events, carries what is typed to it, books what is in flight when the
 * process is told to end, and closes with the outcome. Gives the exit code.
 */
export async function drive({ flow, runtime: places, verbose }: DriveOptions): Promise<number> {
  const runtime = new Runtime({ ...places, workbench: flow.workbench ?? false, locale: flow.locale });
  const ui = createTerminalUi({ input: process.stdin, output: process.stdout, channel: flow.channel, verbose });
  const release = onSignals((signal) => {
    runtime.rescue();
    ui.close();
    if (signal === 'SIGINT') process.exit(130);
  });
  try {
    const ctx = await flow.run(runtime, { onEvent: ui.onEvent });
    ui.close();
    const outcome = ctx._outcome;
    if (!outcome) return 6;
    const lines = closingLines(outcome, {
      spentUsd: runtime.totalCost(),
      totalUsd: runtime.books.spentUsd(),
      manifest: runtime.manifestPath,
      failedAt: ctx._failed_at ?? '',
      items: ctx._goal?.checks.length ?? 0,
      failed: ctx._verdict?.failed ?? [],
    });
    ui.write(lines);
    return exitCodeOf(outcome);
  } finally {
    ui.close();
    release();
    await runtime.close();
  }
}

/** Calls back once on the first of these signals; SIGHUP and SIGTERM then take their usual course, so that the parent sees them. */
function onSignals(callback: (signal: NodeJS.Signals) => void): () => void {
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const handler = (signal: NodeJS.Signals) => {
    release();
    callback(signal);
    process.kill(process.pid, signal);
  };
  const release = () => {
    for (const signal of signals) process.off(signal, handler);
  };
  for (const signal of signals) process.on(signal, handler);
  return release;
}

/** A path as a person writes it. */
export function tilde(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
