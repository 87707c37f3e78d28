import { Runtime } from '../runtime/runtime.js';
import type { RuntimeOptions } from '../runtime/runtimeOptions.js';
import { type Closing, closingLines, exitCodeOf } from '../terminal/closing.js';
import { reportLines } from '../terminal/reportLines.js';
import type { Ctx } from '../workflow/ctx.js';
import { frameEvent } from '../workflow/runEnd.js';
import type { Workflow, WorkflowRunOptions } from '../workflow/workflow.js';
import { mendAfterFailure } from './gates.js';
import { JsonOut } from './jsonOut.js';
import { keepLimits } from './runFacts.js';
import { layoutOf, type Screen } from './screen.js';
import { openSideDoors } from './sideDoors.js';

export interface DriveOptions {
  readonly flow: Workflow;
  readonly runtime: Omit<RuntimeOptions, 'locale'> & { readonly workspace: string };
  readonly screen: Screen;
  /** What the closing lines should know beside the outcome. */
  readonly closing?: Partial<Closing>;
  /** Work rounds in all, for those who look on. */
  readonly rounds?: number;
  readonly onStep?: WorkflowRunOptions['onStep'];
}

/** How long a reader of the events may take for the last of them when a person leaves. */
const FLUSH_MS = 2000;

/**
 * Runs a workflow with the terminal as its face: draws its events, carries what is typed to it, books what is in flight when the
 * process is told to end, and closes with the outcome. Gives the exit code.
 */
export async function drive(options: DriveOptions): Promise<number> {
  const { flow, screen, closing = {}, rounds = null } = options;
  const { ui } = screen;
  const workbench = flow.workbench ?? options.runtime.workbench ?? false;
  const runtime = new Runtime({ ...options.runtime, workbench, locale: flow.locale });
  keepLimits(runtime, rounds);
  const earlierUsd = runtime.books.spentUsd();
  const close = () =>
    showEnd(flow.context, { runtime, earlierUsd, screen, closing: { ...closing, asideUsd: doors.aside.costUsd } });
  let isLeaving = false;
  const leave = () => {
    // Whoever presses a third time does not want to wait for anything.
    if (isLeaving) process.exit(130);
    isLeaving = true;
    doors.aside.cancel();
    runtime.rescue();
    bookInterrupted(flow, runtime);
    close();
    ui.close();
    setTimeout(() => process.exit(130), FLUSH_MS);
    void json?.finish().then(() => process.exit(130));
    if (!json) process.exit(130);
  };
  const json = screen.json ? new JsonOut({ step: () => flow.context._log?.step ?? '', onGone: leave }) : null;
  const doors = openSideDoors({
    runtime,
    channel: flow.channel,
    settings: options.runtime.settings,
    ui,
    layout: () => layoutOf(screen),
    leave,
  });
  const release = onSignals({
    interrupt: () => ui.interrupt(),
    end: () => {
      doors.aside.cancel();
      runtime.rescue();
      ui.close();
    },
  });
  try {
    const { handoff } = runtime;
    ui.connect(flow.channel, {
      ...doors.hooks,
      threshold: () => (handoff.enabled ? handoff : null),
      budgetUsd: () => runtime.books.budgetUsd(),
      window: () => ({ tokens: handoff.window, known: handoff.windowSource !== 'name' }),
    });
    await flow.run(runtime, {
      ...(options.onStep && { onStep: options.onStep }),
      onEvent: (event) => {
        json?.event(event);
        doors.aside.hear(event);
        ui.onEvent(event);
      },
    });
    await doors.finish();
    const code = close();
    await json?.finish();
    if (code === 6) await mendAfterFailure(screen, errorsOf(runtime), runtime.workspace);
    return code;
  } finally {
    release();
    await doors.aside.end(0);
    await runtime.close();
  }
}

/** The outcome and the bill. What went wrong belongs on standard error. Gives the exit code. */
function showEnd(
  ctx: Ctx,
  end: { runtime: Runtime; earlierUsd: number; screen: Screen; closing: Partial<Closing> },
): number {
  const { runtime, earlierUsd, screen, closing } = end;
  const outcome = ctx._outcome;
  if (!outcome) return 6;
  const code = exitCodeOf(outcome);
  const { asideUsd = 0 } = closing;
  const lines = closingLines(
    {
      outcome,
      step: ctx._failed_at ?? null,
      items: ctx._verdict?.items ?? [],
      briefMissing: ctx._brief_missing ?? [],
      spentUsd: runtime.totalCost() + asideUsd,
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
  if (ctx._report && (ctx._report_path || ctx._report.items.length > 0)) {
    const path = ctx._report_path ?? null;
    screen.ui.lines(['', ...reportLines(ctx._report, { ...layoutOf(screen), path })]);
  }
  screen.ui.lines(['']);
  if (code === 0) screen.ui.lines(lines.outcome);
  else process.stderr.write(`${lines.outcome.join('\n')}\n`);
  screen.ui.lines(lines.money);
  return code;
}

/** The run will not get to its own end: its outcome and its last row are written here. */
function bookInterrupted(flow: Workflow, runtime: Runtime): void {
  const outcome = { ended: 'interrupted', claimed: false, verified: 'not_judged', reason: Runtime.KILLED } as const;
  flow.context._outcome = outcome;
  try {
    runtime.books.endRun(runtime.runId, outcome);
    const money = {
      spent_usd: runtime.totalCost(),
      total_usd: runtime.books.spentUsd(),
      manifest: runtime.manifestPath,
    };
    flow.context._log?.write(frameEvent('run_ended', { ...outcome, exit: exitCodeOf(outcome), ...money }));
    flow.context._log?.flush();
  } catch {
    // What is booked is booked; leaving must not fail.
  }
}

/** What a credential failure could stand in: the error of the run's last step and those of its attempts. */
function errorsOf(runtime: Runtime): string[] {
  const last = runtime.results.at(-1);
  return last ? [...(last.error ? [last.error] : []), ...last.errors] : [];
}

/**
 * SIGINT is a person's key. On the others it calls back, then lets the signal take its usual course, so that the parent sees what
 * ended the process.
 */
function onSignals({ interrupt, end }: { readonly interrupt: () => void; readonly end: () => void }): () => void {
  const deadly = ['SIGTERM', 'SIGHUP'] as const;
  const handler = (signal: NodeJS.Signals) => {
    release();
    end();
    process.kill(process.pid, signal);
  };
  const release = () => {
    process.off('SIGINT', interrupt);
    for (const signal of deadly) process.off(signal, handler);
  };
  process.on('SIGINT', interrupt);
  for (const signal of deadly) process.on(signal, handler);
  return release;
}
