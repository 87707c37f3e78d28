import { Lineage } from '../books/lineage.js';
import type { RunOutcome } from '../books/types.js';
import { acquireRunLock } from '../database/runLock.js';
import { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { activeLocale, type Locale, text } from '../locale/locale.js';
import type { StepResult } from '../runtime/stepResult.js';
import { STOP } from '../runtime/turnStop.js';
import type { Workbench } from '../workbench/workbench.js';
import type { Ctx } from './ctx.js';
import { EventLog } from './eventLog.js';
import { outcomeOf } from './outcome.js';
import type { RuntimeLike } from './runtimeLike.js';
import { type Step, StepAbort } from './step.js';

export interface WorkflowOptions {
  /** @default 'workflow' */
  readonly name?: string;
  /** Values that the steps find; the same object is given back. @default {} */
  readonly context?: Ctx;
  /** Where the steps ask a person. */
  readonly channel?: HumanChannel | null;
  /** The one that its Runtime must use. */
  readonly workbench?: Workbench | null;
  /** Go on with the sessions of an earlier process in the same run directory. @default true */
  readonly continuous?: boolean;
  /** @default the active locale */
  readonly locale?: Locale;
}

export interface WorkflowRunOptions {
  /** Called synchronously with every event of every step, judge and question. */
  readonly onEvent?: (event: Event) => void;
  /** Called after each step that ran, failed ones included. */
  readonly onStep?: (step: Step, result: StepResult) => void;
}

/**
 * An ordered list of steps and the rules for how sessions and values pass between them.
 *
 * @example
 * const flow = new Workflow([plan, work]);
 * const ctx = await flow.run(new Runtime({ workspace: '.' }), { onEvent: (event) => console.log(String(event)) });
 * console.log(ctx._outcome);
 */
export class Workflow {
  readonly steps: readonly Step[];
  readonly name: string;
  readonly context: Ctx;
  readonly channel: HumanChannel | null;
  readonly workbench: Workbench | null;
  readonly continuous: boolean;
  readonly locale: Locale;

  constructor(steps: readonly Step[], options: WorkflowOptions = {}) {
    const twice = steps.find((step, i) => steps.findIndex((other) => other.name === step.name) !== i);
    if (twice)
      throw new TypeError(
        `Workflow: two steps are named '${twice.name}'; the second would go on with the first's session`,
      );
    this.steps = [...steps];
    this.name = options.name ?? 'workflow';
    this.context = options.context ?? {};
    this.channel = options.channel ?? null;
    this.workbench = options.workbench ?? null;
    this.continuous = options.continuous ?? true;
    this.locale = options.locale ?? activeLocale();
  }

  /**
   * Runs the steps in order and gives `context` back. To tell success look at `_outcome`.
   *
   * @throws {FlowerError} `run_locked` if another process works in the same run directory
   */
  async run(runtime: RuntimeLike, options: WorkflowRunOptions = {}): Promise<Ctx> {
    const lock = runtime.runDir ? acquireRunLock(runtime.runDir, { locale: this.locale }) : null;
    const run = new WorkflowRun(this, runtime, options);
    try {
      await run.start();
      for (const [i, step] of this.steps.entries()) {
        if (!(await run.step(step, i))) break;
      }
    } catch (error) {
      run.failure = error;
      throw error;
    } finally {
      run.end();
      lock?.release();
    }
    return this.context;
  }
}

/** One run of a workflow: what must not outlive it. */
class WorkflowRun {
  readonly #flow: Workflow;
  readonly #runtime: RuntimeLike;
  readonly #options: WorkflowRunOptions;
  readonly #ctx: Ctx;
  readonly #log: EventLog;
  readonly #sessions: Record<string, string>;
  readonly #results: Record<string, StepResult>;
  #lineage: Lineage | null = null;
  #last: StepResult | null = null;
  #moveTold = false;
  #unlisten: (() => void) | null = null;
  failure: unknown = null;

  constructor(flow: Workflow, runtime: RuntimeLike, options: WorkflowRunOptions) {
    this.#flow = flow;
    this.#runtime = runtime;
    this.#options = options;
    this.#ctx = flow.context;
    this.#log = new EventLog(runtime.runId ?? '', {
      books: runtime.books ?? null,
      locale: flow.locale,
      ...(options.onEvent && { onEvent: options.onEvent }),
    });
    this.#sessions = flow.context._sessions ??= {};
    this.#results = flow.context._results ??= {};
  }

  async start(): Promise<void> {
    const ctx = this.#ctx;
    for (const old of ['_failed_at', '_aborted', '_outcome', '_accepted', '_out_of_budget'] as const) delete ctx[old];
    ctx._runtime = this.#runtime;
    ctx._on_event = this.#log.write;
    if (this.#runtime.runId) this.#runtime.books?.beginRun(this.#runtime.runId);
    this.#connectChannel();
    this.#emitFrame('run_started', {
      flow: this.#flow.name,
      workspace: this.#runtime.workspace,
      run_dir: this.#runtime.runDir,
    });
    await this.#recover();
    await this.#openLineage();
  }

  /** Runs one step; true if the workflow goes on. */
  async step(step: Step, index: number): Promise<boolean> {
    const ctx = this.#ctx;
    if (step.when && !(await step.when(ctx))) return true;
    const carriedId = step.resumeFrom === null && this.#flow.continuous ? this.#sessions[step.name] : undefined;
    const from = step.resumeFrom === null ? carriedId : this.#sessions[step.resumeFrom];
    if (step.resumeFrom !== null && !from) {
      throw new Error(`Step '${step.name}' goes on with '${step.resumeFrom}', but that step produced no session`);
    }
    const carried = carriedId !== undefined;
    if (this.#lineage) ctx._woke ??= this.#lineage.bump();
    this.#log.step = step.name;
    const payload = { index: index + 1, total: this.#flow.steps.length, resumed: carried, woke: ctx._woke ?? 1 };
    this.#log.write(new Event('step', { text: step.name, payload }));

    let prompt = this.#afterMove(step, step.render(ctx, { resuming: carried }));
    let resume = from ?? null;
    let fork = step.fork && step.resumeFrom !== null;
    let result: StepResult | null = null;
    let passed = false;
    for (let attempt = 0; attempt <= step.retries && !passed; attempt += 1) {
      result = await this.#attempt(step, attempt, { prompt, resume, fork });
      if (result.error === STOP.budget) ctx._out_of_budget = true;
      passed = result.ok && (await this.#gate(step, result));
      if (passed || this.#isOver() || attempt === step.retries) break;
      const next = result.sessionId && step.onReject ? await step.onReject(result, ctx) : '';
      if (next) {
        prompt = next;
        resume = result.sessionId;
        fork = false;
      }
    }
    if (!result) return true;
    return this.#settle(step, result, passed);
  }

  /** Writes the outcome, whatever happened before. */
  end(): void {
    const outcome = outcomeOf(this.#ctx, { last: this.#last, failure: this.failure });
    this.#ctx._outcome = outcome;
    this.#emitFrame('run_ended', { ...outcome });
    this.#log.flush();
    this.#unlisten?.();
    if (this.#runtime.runId) this.#book(outcome);
  }

  async #attempt(
    step: Step,
    attempt: number,
    from: { prompt: string; resume: string | null; fork: boolean },
  ): Promise<StepResult> {
    const suffix = attempt === 0 ? '' : step.onReject ? `#round${attempt + 1}` : `#retry${attempt}`;
    const runtime = this.#runtime;
    // A verdict is about one round: of an older one nothing may be said when this one fails.
    delete this.#ctx._verdict;
    if (this.#lineage && 'onSession' in runtime) {
      runtime.onSession = (id) => this.#lineage?.remember(step.name, id);
    }
    try {
      return await runtime.run(step.spec, from.prompt, {
        stepName: step.name + suffix,
        resume: from.resume,
        fork: from.fork,
        onEvent: this.#log.write,
        remark: step.remark,
        channel: this.#flow.channel,
      });
    } finally {
      // Before the gate: a judge runs on the same Runtime, and its session must not be recorded as this step's.
      if (this.#lineage && 'onSession' in runtime) runtime.onSession = null;
      this.#log.flush();
    }
  }

  async #gate(step: Step, result: StepResult): Promise<boolean> {
    if (!step.gate) return true;
    this.#last = result;
    try {
      return await step.gate(result, this.#ctx);
    } catch (error) {
      if (!(error instanceof StepAbort)) throw error;
      this.#ctx._aborted = error.message;
      return false;
    }
  }

  #settle(step: Step, result: StepResult, passed: boolean): boolean {
    const ctx = this.#ctx;
    this.#last = result;
    this.#results[step.name] = result;
    this.#options.onStep?.(step, result);
    if (result.sessionId) {
      this.#sessions[step.name] = result.sessionId;
      this.#lineage?.remember(step.name, result.sessionId);
    }
    if (passed) ctx[step.name] = step.reduce ? step.reduce(result, ctx) : result.text;
    else if (this.#isOver() || step.onFail === 'stop') ctx._failed_at = step.name;
    else if (step.onFail === 'continue') ctx[step.name] = result.text;
    return ctx._failed_at === undefined;
  }

  /** No further attempt, whatever the step allows. */
  #isOver(): boolean {
    return this.#ctx._aborted !== undefined || this.#ctx._out_of_budget === true;
  }

  async #recover(): Promise<void> {
    const found = await this.#runtime.recover?.();
    if (found && found.processes + found.entries > 0) {
      this.#log.write(new Event('system', { text: 'recovered', payload: { ...found } }));
    }
  }

  /** A directory that was moved or copied continues; person and model are told where it was. */
  #afterMove(step: Step, prompt: string): string {
    const old = this.#lineage?.movedFrom[step.name];
    const { workspace } = this.#runtime;
    if (!old || !workspace || !this.#sessions[step.name]) return prompt;
    const paths = { old, new: workspace };
    if (!this.#moveTold) this.#log.write(new Event('task', { text: text('lineage.moved', paths, this.#flow.locale) }));
    this.#moveTold = true;
    return `${text('resume.moved', paths, this.#flow.locale)}\n\n${prompt}`;
  }

  async #openLineage(): Promise<void> {
    const { runDir, workspace } = this.#runtime;
    if (!this.#flow.continuous || !runDir || !workspace) return;
    this.#lineage = Lineage.open(runDir, workspace);
    this.#ctx._lineage = this.#lineage;
    delete this.#ctx._woke;
    for (const [step, id] of Object.entries(this.#lineage.steps)) {
      const alive = (await this.#runtime.hasSession?.(id)) ?? true;
      if (alive) this.#sessions[step] ??= id;
    }
  }

  /** A channel that nobody has wired speaks to this run; of one that the caller wired only the log hears. */
  #connectChannel(): void {
    const { channel } = this.#flow;
    if (!channel) return;
    const { books, runId } = this.#runtime;
    if (books && runId) channel.mailbox ??= books.mailbox(runId);
    this.#unlisten = channel.listen(channel.onEvent ? this.#log.record : this.#log.write);
  }

  #emitFrame(name: 'run_started' | 'run_ended', payload: Record<string, unknown>): void {
    this.#log.write(new Event('system', { text: name, payload: { schema: 1, run: this.#runtime.runId, ...payload } }));
  }

  #book(outcome: RunOutcome): void {
    try {
      this.#runtime.books?.endRun(this.#runtime.runId ?? '', outcome);
    } catch {
      // The outcome stands in ctx; books that cannot be written were reported when the step was booked.
    }
  }
}
