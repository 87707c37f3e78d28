import { acquireRunLock } from '../database/runLock.js';
import type { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { activeLocale, type Locale } from '../locale/locale.js';
import type { StepResult } from '../runtime/stepResult.js';
import type { Workbench } from '../workbench/workbench.js';
import type { Ctx } from './ctx.js';
import type { RuntimeLike } from './runtimeLike.js';
import type { Step } from './step.js';
import { WorkflowRun } from './workflowRun.js';

export interface WorkflowOptions<Values extends object = Record<string, unknown>> {
  /** @default 'workflow' */
  readonly name?: string;
  /** Values that the steps find; the same object is given back. @default {} */
  readonly context?: Ctx<Values>;
  /** Where the steps ask a person. */
  readonly channel?: HumanChannel | null;
  /** The one that its Runtime must use. With one the run ends with a report in its notes. */
  readonly workbench?: Workbench | null;
  /** Go on with the sessions of an earlier process in the same run directory. @default true */
  readonly continuous?: boolean;
  /** At the end write a handoff for other coding tools into CLAUDE.md and AGENTS.md of the workspace. @default false */
  readonly bequest?: boolean;
  /**
   * URL or command that is told when a question waits, the run has ended, the budget is nearly or all spent, or a usage limit is
   * waited for. Null: nobody.
   * @default what `FLOWER_NOTIFY` says
   */
  readonly notify?: string | null;
  /** @default the active locale */
  readonly locale?: Locale;
}

export interface WorkflowRunOptions<Values extends object = Record<string, unknown>> {
  /** Called synchronously with every event of every step, judge and question. */
  readonly onEvent?: (event: Event) => void;
  /** Called after each step that ran, failed ones included. */
  readonly onStep?: (step: Step<Values>, result: StepResult) => void;
}

/**
 * An ordered list of steps and the rules for how sessions and values pass between them. With a type for the values, `ctx` is checked
 * by the compiler, and so are the names of the steps that are made in the list.
 *
 * @throws {TypeError} for two steps of one name
 * @example
 * type Values = { plan: string; work?: string };
 * const flow = new Workflow<Values>([
 *   new Step('plan', planner, 'Plan it in one line.'),
 *   new Step('work', coder, (ctx) => `Do this: ${ctx.plan}`),
 * ]);
 * const ctx = await flow.run(new Runtime({ workspace: '.' }), { onEvent: (event) => console.log(String(event)) });
 * console.log(ctx._outcome);
 */
export class Workflow<Values extends object = Record<string, unknown>> {
  readonly steps: readonly Step<Values>[];
  readonly name: string;
  readonly context: Ctx<Values>;
  readonly channel: HumanChannel | null;
  readonly workbench: Workbench | null;
  readonly continuous: boolean;
  readonly bequest: boolean;
  readonly notify: string | null;
  readonly locale: Locale;
  /** What callbacks of the user interface threw. They never change a run. */
  readonly uiErrors: string[] = [];

  constructor(steps: readonly Step<Values>[], options: WorkflowOptions<Values> = {}) {
    const twice = steps.find((step, i) => steps.findIndex((other) => other.name === step.name) !== i);
    if (twice) {
      throw new TypeError(
        `Workflow: two steps are named '${twice.name}'; the second would go on with the first's session`,
      );
    }
    this.steps = [...steps];
    this.name = options.name ?? 'workflow';
    this.context = options.context ?? ({} as Ctx<Values>);
    this.channel = options.channel ?? null;
    this.workbench = options.workbench ?? null;
    this.continuous = options.continuous ?? true;
    this.bequest = options.bequest ?? false;
    this.notify = options.notify === undefined ? (process.env.FLOWER_NOTIFY ?? null) : options.notify;
    this.locale = options.locale ?? activeLocale();
  }

  /**
   * Runs the steps in order and gives `context` back. To tell success look at `_outcome`.
   *
   * @throws {TypeError} if workflow and runtime have different workbenches: one would be read and the other written
   * @throws {FlowerError} `run_locked` if another process works in the same run directory
   * @throws what a gate or another function of a step throws, `StepAbort` excepted; the outcome is booked first
   */
  async run(runtime: RuntimeLike, options: WorkflowRunOptions<Values> = {}): Promise<Ctx<Values>> {
    const benches = [this.workbench, runtime.workbench].flatMap((bench) => (bench ? [bench.root] : []));
    if (new Set(benches).size > 1) {
      throw new TypeError(
        `Workflow: there are two workbenches, ${benches.join(' and ')}; give the runtime the workflow's`,
      );
    }
    const lock = runtime.runDir ? acquireRunLock(runtime.runDir, { locale: this.locale }) : null;
    try {
      // What happens in a run does not depend on the type of the values.
      await new WorkflowRun(this as unknown as Workflow, runtime, options as WorkflowRunOptions).execute();
    } finally {
      lock?.release();
    }
    return this.context;
  }
}
