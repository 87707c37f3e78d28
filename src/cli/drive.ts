import { Runtime, type RuntimeOptions } from '../runtime/runtime.js';
import { type Closing, closingLines, exitCodeOf } from '../terminal/closing.js';
import type { Ctx } from '../workflow/ctx.js';
import type { Workflow } from '../workflow/workflow.js';
import { mendAfterFailure } from './gates.js';
import { layoutOf, type Screen } from './screen.js';

export interface DriveOptions {
  readonly flow: Workflow;
  readonly runtime: Omit<RuntimeOptions, 'locale' | 'workbench'> & { readonly workspace: string };
  readonly screen: Screen;
  /** What the closing lines should know beside the outcome. */
  readonly closing?: Partial<Closing>;
}

/**
 * Runs a workflow with the terminal as its face: draws its events, carries what is typed to it, books what is in flight when the
 * process is told to end, and closes with the outcome. Gives the exit code.
 */
export async function drive({ flow, runtime: places, screen, closing = {} }: DriveOptions): Promise<number> {
  const { ui } = screen;
  const runtime = new Runtime({ ...places, workbench: flow.workbench ?? false, locale: flow.locale });
  const release = onSignals(() => {
    runtime.rescue();
    ui.close();
  });
  try {
    const earlierUsd = runtime.books.spentUsd();
    const { handoff } = runtime;
    ui.connect(flow.channel, {
      threshold: () => (handoff.enabled ? handoff : null),
      budgetUsd: () => runtime.books.budgetUsd(),
      window: () => ({ tokens: handoff.window, known: handoff.windowSource !== 'name' }),
    });
    const ctx = await flow.run(runtime, { onEvent: ui.onEvent });
    const code = close(ctx, { runtime, earlierUsd, screen, closing });
    if (code === 6) await mendAfterFailure(screen, errorsOf(runtime), runtime.workspace);
    return code;
  } finally {
    release();
    await runtime.close();
  }
}

/** The outcome and the bill. What went wrong belongs on standard error. */
function close(
  ctx: Ctx,
  run: { runtime: Runtime; earlierUsd: number; screen: Screen; closing: Partial<Closing> },
): number {
  const { runtime, earlierUsd, screen, closing } = run;
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
      budgetUsd: runtime.books.budgetUsd(),
      budgetSpentUsd: runtime.books.spentUsd(),
      estimated: runtime.results.some((result) => result.costEstimated),
      manifest: runtime.results.length > 0 ? runtime.manifestPath : null,
      ...closing,
    },
    layoutOf(screen),
  );
  screen.ui.disconnect();
  screen.ui.lines(['']);
  if (code === 0) screen.ui.lines(lines.outcome);
  else process.stderr.write(`${lines.outcome.join('\n')}\n`);
  screen.ui.lines(lines.money);
  return code;
}

/** What a credential failure could stand in: the error of the run's last step and those of its attempts. */
function errorsOf(runtime: Runtime): string[] {
  const last = runtime.results.at(-1);
  return last ? [...(last.error ? [last.error] : []), ...last.errors] : [];
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
