import { Lineage } from '../books/lineage.js';
import type { Verdict } from '../documents/verdict.js';
import { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import type { Mailbox } from '../human/mail.js';
import { text } from '../locale/locale.js';
import type { StepResult } from '../runtime/stepResult.js';
import { STOP } from '../runtime/turnStop.js';
import type { Ctx } from './ctx.js';
import { EventLog } from './eventLog.js';
import { flowerVersion } from './flowerVersion.js';
import { outcomeOf, wasCutOff } from './outcome.js';
import { RoundCommands } from './roundCommands.js';
import { closeRun, frameEvent } from './runEnd.js';
import { RunNotes } from './runNotes.js';
import type { RuntimeLike } from './runtimeLike.js';
import { type Step, StepAbort } from './step.js';
import type { Workflow, WorkflowRunOptions } from './workflow.js';

/** What one run gave to a channel that had none, so that the next run can give it its own. */
const lent = new WeakMap<HumanChannel, { onEvent: HumanChannel['onEvent']; mailbox: Mailbox | null }>();

/** One run of a workflow: what must not outlive it. */
export class WorkflowRun {
  readonly #flow: Workflow;
  readonly #runtime: RuntimeLike;
  readonly #options: WorkflowRunOptions;
  readonly #ctx: Ctx;
  readonly #log: EventLog;
  readonly #notes: RunNotes;
  readonly #commands = new RoundCommands();
  readonly #sessions: Record<string, string>;
  readonly #results: Record<string, StepResult>;
  readonly #hasGuarded: boolean;
  #lineage: Lineage | null = null;
  #isOver = false;
  #wokeUp = false;
  #moveTold = false;
  #last: StepResult | null = null;
  #work: StepResult | null = null;
  #abort: StepAbort | null = null;
  /** Verdicts of this run: on the last round of all, and the last one that was made. */
  #verdict: Verdict | null = null;
  readonly #all: StepResult[] = [];

  constructor(flow: Workflow, runtime: RuntimeLike, options: WorkflowRunOptions) {
    this.#flow = flow;
    this.#runtime = runtime;
    this.#options = options;
    this.#ctx = flow.context;
    this.#hasGuarded = flow.steps.some((step) => step.guarded);
    this.#notes = new RunNotes(flow.notify, {
      run: runtime.runId ?? '',
      locale: flow.locale,
      onFailure: (message) => this.#log.write(new Event('error', { text: message, payload: { notify_failed: true } })),
    });
    this.#log = new EventLog(runtime.runId ?? '', {
      books: runtime.books ?? null,
      locale: flow.locale,
      onEvent: (event) => this.#contain(() => options.onEvent?.(event)),
      onRecord: (event, step) => {
        this.#notes.hear(event, step);
        this.#commands.hear(event);
      },
    });
    this.#sessions = flow.context._sessions ??= {};
    this.#results = flow.context._results ??= {};
  }

  async execute(): Promise<void> {
    const unlisten = this.#connectChannel();
    let failure: unknown = null;
    try {
      await this.#start();
      for (const [i, step] of this.#flow.steps.entries()) {
        if (!(await this.#step(step, i))) break;
      }
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      await this.#end(failure);
      unlisten();
    }
  }

  async #start(): Promise<void> {
    const ctx = this.#ctx;
    for (const old of ['_failed_at', '_aborted', '_outcome'] as const) delete ctx[old];
    ctx._runtime = this.#runtime;
    ctx._on_event = this.#log.write;
    ctx._log = this.#log;
    ctx._commands = this.#commands;
    const { books, runId, workspace, runDir } = this.#runtime;
    if (runId) books?.beginRun(runId);
    const { name, locale } = this.#flow;
    const run = { flower: flowerVersion(), run: runId, flow: name, workspace, run_dir: runDir, locale };
    this.#log.write(frameEvent('run_started', run));
    await this.#recover();
    this.#lendMailbox();
    await this.#openLineage();
  }

  /** Runs one step; true if the workflow goes on. */
  async #step(step: Step, index: number): Promise<boolean> {
    const ctx = this.#ctx;
    if (step.when && !(await step.when(ctx))) return true;
    const source = step.resumeFrom ?? step.name;
    const session = step.resumeFrom !== null || this.#flow.continuous ? this.#sessions[source] : undefined;
    if (step.resumeFrom !== null && !session) {
      throw new Error(text('workflow.noSession', { step: step.name, from: step.resumeFrom }, this.#flow.locale));
    }
    const carried = step.resumeFrom === null && session !== undefined;
    this.#wakeUp();
    this.#log.step = step.name;
    const payload = { index: index + 1, total: this.#flow.steps.length, resumed: carried, woke: ctx._woke ?? 1 };
    this.#log.write(new Event('step', { text: step.name, payload }));

    const rendered = step.render(ctx, { resuming: carried });
    const { result, passed } = await this.#attempts(step, {
      prompt: session ? this.#afterMove(source, rendered) : rendered,
      resume: session ?? null,
      fork: step.fork && step.resumeFrom !== null,
    });
    return this.#settle(step, result, passed);
  }

  async #attempts(step: Step, start: Start): Promise<{ result: StepResult; passed: boolean }> {
    const of = step.retries + 1;
    for (let number = 1; ; number += 1) {
      const result = await this.#attempt(step, number, start);
      const passed = result.ok && (await this.#passes(step, result, { number, of }));
      if (result.error === STOP.budget || this.#abort) this.#isOver = true;
      if (passed || this.#isOver || number === of || wasCutOff(result)) return { result, passed };
      const next = result.sessionId && step.onReject ? await step.onReject(result, this.#ctx) : '';
      if (next) start = { prompt: next, resume: result.sessionId, fork: false };
      // A round is for work that is not complete yet. What failed for good, after all that the Runtime does about it, would cost as
      // much again in a session that knows nothing of what was done.
      else if (!result.ok && step.onReject) return { result, passed };
    }
  }

  async #attempt(step: Step, number: number, start: Start): Promise<StepResult> {
    const suffix = number === 1 ? '' : step.onReject ? `#round${number}` : `#retry${number - 1}`;
    const runtime = this.#runtime;
    if (step.guarded) {
      // A verdict is about one round: of an older one nothing may be said when this one fails.
      delete this.#ctx._verdict;
      delete this.#ctx._accepted;
    }
    this.#log.step = step.name + suffix;
    this.#commands.begin();
    const records = this.#lineage !== null && 'onSession' in runtime;
    if (records) runtime.onSession = (id) => this.#lineage?.remember(step.name, id);
    try {
      const result = await runtime.run(step.spec, start.prompt, {
        stepName: step.name + suffix,
        resume: start.resume,
        fork: start.fork,
        onEvent: this.#log.write,
        remark: step.remark,
        channel: this.#flow.channel,
      });
      this.#last = result;
      this.#all.push(result);
      if (step.guarded || !this.#hasGuarded) this.#work = result;
      return result;
    } finally {
      // Before the gate: a judge runs on the same Runtime, and its session must not be recorded as this step's.
      if (records) runtime.onSession = null;
      this.#log.flush();
    }
  }

  async #passes(step: Step, result: StepResult, attempt: { number: number; of: number }): Promise<boolean> {
    if (!step.gate) return true;
    try {
      return await step.gate(result, this.#ctx, attempt);
    } catch (error) {
      if (!(error instanceof StepAbort)) throw error;
      this.#abort = error;
      this.#ctx._aborted = error.message;
      return false;
    } finally {
      if (step.guarded) this.#verdict = this.#ctx._verdict ?? this.#verdict;
    }
  }

  #settle(step: Step, result: StepResult, passed: boolean): boolean {
    const ctx = this.#ctx;
    this.#results[step.name] = result;
    this.#contain(() => this.#options.onStep?.(step, result));
    if (result.sessionId) {
      this.#sessions[step.name] = result.sessionId;
      this.#lineage?.remember(step.name, result.sessionId);
    }
    if (passed) ctx[step.name] = step.reduce ? step.reduce(result, ctx) : result.text;
    else if (this.#isOver || step.onFail === 'stop') ctx._failed_at = step.name;
    else if (step.onFail === 'continue') ctx[step.name] = result.text;
    return ctx._failed_at === undefined;
  }

  /** Writes down how it ended, whatever happened before. */
  async #end(failure: unknown): Promise<void> {
    const ctx = this.#ctx;
    const isJudged = this.#work !== null && this.#hasGuarded;
    const current = isJudged ? (ctx._verdict ?? null) : null;
    const outcome = outcomeOf(ctx, {
      last: this.#last,
      work: this.#work,
      verdict: current,
      accepted: isJudged && ctx._accepted === true,
      abort: this.#abort?.facts ?? null,
      failure,
    });
    ctx._outcome = outcome;
    this.#log.step = '';
    await closeRun({
      flow: this.#flow,
      runtime: this.#runtime,
      log: this.#log,
      outcome,
      work: this.#work,
      verdict: current ?? this.#verdict,
      verdictIsOld: current === null,
      results: this.#all,
    });
    this.#notes.ended(outcome);
    this.#log.close();
  }

  async #recover(): Promise<void> {
    const found = await this.#runtime.recover?.();
    if (found && found.processes + found.entries > 0) {
      this.#log.write(new Event('system', { text: 'recovered', payload: { ...found } }));
    }
  }

  async #openLineage(): Promise<void> {
    const { runDir, workspace } = this.#runtime;
    if (!this.#flow.continuous || !runDir || !workspace) return;
    const lineage = Lineage.open(runDir, workspace);
    for (const [step, id] of Object.entries(lineage.steps)) {
      const known = await this.#newestStored(id);
      if (known) this.#sessions[step] ??= known;
    }
    this.#lineage = lineage;
    this.#ctx._lineage = lineage;
  }

  /**
   * This session; if nothing of it was stored, the one that handed over to it: a successor that was killed so early has not even heard
   * what it takes over.
   */
  async #newestStored(id: string): Promise<string | undefined> {
    const row = this.#runtime.books?.rows().findLast(({ session_id }) => session_id === id);
    for (const session of [id, ...(row?.retired ?? []).toReversed()]) {
      if ((await this.#runtime.hasSession?.(session)) ?? true) return session;
    }
    return undefined;
  }

  /** A start in which nothing runs is no wake. */
  #wakeUp(): void {
    if (this.#lineage && !this.#wokeUp) this.#ctx._woke = this.#lineage.bump();
    this.#wokeUp = true;
  }

  /** A directory that was moved or copied continues; person and model are told where it was. */
  #afterMove(source: string, prompt: string): string {
    const old = this.#lineage?.movedFrom[source];
    const { workspace } = this.#runtime;
    if (!old || !workspace) return prompt;
    const paths = { old, new: workspace };
    if (!this.#moveTold) this.#log.write(new Event('task', { text: text('lineage.moved', paths, this.#flow.locale) }));
    this.#moveTold = true;
    return `${text('resume.moved', paths, this.#flow.locale)}\n\n${prompt}`;
  }

  /** A channel that nobody has wired speaks to this run's listener. The log hears it in any case. */
  #connectChannel(): () => void {
    const { channel } = this.#flow;
    if (!channel) return () => {};
    const earlier = lent.get(channel);
    const { onEvent } = this.#options;
    if (onEvent && (channel.onEvent === null || channel.onEvent === earlier?.onEvent)) {
      channel.onEvent = onEvent;
      lent.set(channel, { mailbox: earlier?.mailbox ?? null, onEvent });
    }
    return channel.listen(this.#log.record);
  }

  #lendMailbox(): void {
    const { channel } = this.#flow;
    const { books, runId } = this.#runtime;
    if (!channel || !books || !runId) return;
    const earlier = lent.get(channel);
    if (channel.mailbox !== null && channel.mailbox !== earlier?.mailbox) return;
    const mailbox = books.mailbox(runId);
    channel.mailbox = mailbox;
    lent.set(channel, { onEvent: earlier?.onEvent ?? null, mailbox });
  }

  #contain(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#flow.uiErrors.push(error instanceof Error ? error.message : String(error));
    }
  }
}

interface Start {
  readonly prompt: string;
  readonly resume: string | null;
  readonly fork: boolean;
}
