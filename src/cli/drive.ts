import { homedir } from 'node:os';
import { activeLocale } from '../locale/locale.js';
import { Runtime, type RuntimeOptions } from '../runtime/runtime.js';
import { closingLines, exitCodeOf } from '../terminal/closing.js';
import { wantsColor } from '../terminal/paint.js';
import { createTerminalUi } from '../terminal/terminalUi.js';
import type { Ctx } from '../workflow/ctx.js';
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
  const locale = activeLocale();
  const color = wantsColor(process.stdout, process.env);
  const columns = () => process.stdout.columns;
  const { stdin: input, stdout: output } = process;
  const ui = createTerminalUi({ input, output, channel: flow.channel, locale, verbose, color, columns });
  const release = onSignals(() => {
    runtime.rescue();
    ui.close();
  });
  try {
    const earlierUsd = runtime.books.spentUsd();
    const ctx = await flow.run(runtime, { onEvent: ui.onEvent });
    ui.close();
    return close(ctx, { runtime, earlierUsd, locale, color, columns: columns() });
  } finally {
    ui.close();
    release();
    await runtime.close();
  }
}

/** The outcome and the bill. What went wrong belongs on standard error. */
function close(
  ctx: Ctx,
  run: { runtime: Runtime; earlierUsd: number; locale: 'zh' | 'en'; color: boolean; columns: number },
): number {
  const { runtime, earlierUsd, ...screen } = run;
  const outcome = ctx._outcome;
  if (!outcome) return 6;
  const code = exitCodeOf(outcome);
  const lines = closingLines(
    {
      outcome,
      step: ctx._failed_at ?? null,
      items: ctx._verdict?.items ?? [],
      briefMissing: ctx._brief_missing ?? [],
      spentUsd: runtime.totalCost(),
      totalUsd: earlierUsd > 0 ? runtime.books.spentUsd() : null,
      manifest: runtime.results.length > 0 ? runtime.manifestPath : null,
    },
    screen,
  );
  process.stdout.write('\n');
  (code === 0 ? process.stdout : process.stderr).write(`${lines.outcome.join('\n')}\n`);
  process.stdout.write(`${lines.money.join('\n')}\n`);
  return code;
}

/** Calls back on the first of these signals, then lets it take its usual course, so that the parent sees what ended the process. */
function onSignals(callback: () => void): () => void {
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const handler = (signal: NodeJS.Signals) => {
    release();
    callback();
    if (signal === 'SIGINT') process.exit(130);
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
