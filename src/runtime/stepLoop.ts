import { calibPath, rememberOverflow } from '../agent/window.js';
import { ADDRESS_KEY } from '../credentials/knownKeys.js';
import { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import { certificateFault } from './certificateFault.js';
import { classifyFailure } from './classifyFailure.js';
import { endpoint } from './endpoint.js';
import type { Failure, FailureClass } from './failure.js';
import { type ForcedBy, handOff } from './handoffWriter.js';
import { renewedPolicy } from './renewedPolicy.js';
import type { StepHost } from './stepHost.js';
import type { StepRun } from './stepRun.js';
import { type Start, StepSession } from './stepSession.js';
import { StepWaits } from './stepWaits.js';
import { placeBeforeLastReply, readTranscripts } from './transcripts.js';
import { STOP } from './turnStop.js';

/** Degraded handoffs in a row after which a step stops: each further one only burns money. */
const MAX_DEGRADED = 2;
/** How a step ended that did not end well: what the last failure was. */
export interface LastFailure {
  readonly kind: FailureClass;
  readonly failure: Failure;
}

/**
 * One step from its first attempt to its end: goes on in the same session after an interrupt or a failure that may pass, hands over
 * to a fresh one when the context is full, waits where waiting helps. Fills the step's result.
 */
export class StepLoop {
  readonly #host: StepHost;
  readonly #run: StepRun;
  readonly #session: StepSession;
  readonly #waits: StepWaits;
  readonly #task: string;
  readonly #writing: boolean;
  #start: Start;
  /** Seconds of work since the last failure. */
  #workedS = 0;
  /** The history of this generation was refused and mended once. */
  #mended = false;
  /** Null after a step that ended well or was stopped. */
  lastFailure: LastFailure | null = null;

  /** @param options.writing it is the round in which a full session writes its handoff. Default false */
  constructor(host: StepHost, run: StepRun, prompt: string, options: { readonly writing?: boolean } = {}) {
    this.#host = host;
    this.#run = run;
    this.#session = new StepSession(host, run);
    this.#task = prompt;
    this.#writing = options.writing ?? false;
    this.#waits = new StepWaits(host, run, { heedsPerson: !this.#writing });
    const { resume = null, fork = false, resumeAt = null } = run.options;
    this.#start = { prompt, resume, fork, resumeAt };
  }

  async execute(): Promise<void> {
    const { result } = this.#run;
    if (!this.#writing) await this.#waits.forEarlierLimit();
    for (;;) {
      if (this.#host.isEnding()) return;
      result.attempts += 1;
      const { usd, ofRun } = this.#session.bill.allowance();
      if (this.#stopsWithoutMoney()) return;
      const failure = await this.#session.query(this.#start, { usd, writing: this.#writing });
      if (this.#host.isEnding()) return;
      this.#workedS += this.#session.workedS;
      this.#start = { ...this.#start, resumeAt: null };
      if (failure.terminalReason === 'budget_exhausted' || result.error === STOP.budget) this.#nameBudget(ofRun);
      if (!this.#writing) this.#host.book();
      if (!(await this.#goesOn(failure))) return;
    }
  }

  /** The first exit that applies; false ends the step. */
  async #goesOn(failure: Failure): Promise<boolean> {
    const { result } = this.#run;
    this.lastFailure = null;
    if (result.ok || result.error === STOP.interrupt) return this.#afterInterrupt();
    if (result.error === STOP.budget) return false;
    if (result.error === STOP.handoff) return this.#handOver(null);
    const { answered } = this.#session;
    const kind = classifyFailure(failure, { answered: answered || this.#start.resume !== null });
    this.lastFailure = { kind, failure };
    if (kind === 'fatal') this.#explain(failure);
    const seconds = this.#workedS;
    this.#workedS = 0;
    if (kind === 'full') return this.#onFull(failure);
    if (kind === 'history') return this.#mendHistory();
    switch (await this.#waits.after(kind, failure, { seconds, answered })) {
      case 'heard':
        return this.#afterInterrupt();
      case 'again':
        await this.#resumeAfterBreak();
        return true;
      case 'over':
        return false;
    }
  }

  /** What the harness says of a certificate is for who knows TLS; what it means and what to do about it stands before that. */
  #explain(failure: Failure): void {
    const fault = certificateFault(failure);
    if (fault === null) return;
    const [host, port] = endpoint({ ...process.env, ...this.#host.settings }[ADDRESS_KEY]);
    const meaning = text(
      `certificate.${fault}`,
      { host, port, now: new Date().toLocaleString('sv') },
      this.#host.locale,
    );
    const kept = text('certificate.kept', {}, this.#host.locale);
    this.#run.result.error = [meaning, kept, failure.text].join('\n');
  }

  /** A person's words belong to this step, also if they came when it had just ended: the next one would take them for its own. */
  async #afterInterrupt(): Promise<boolean> {
    const { result, interrupts } = this.#run;
    if (this.#writing) return false;
    const words = await interrupts.take();
    if (result.ok && !words) return false;
    const session = result.sessionId ?? (this.#start.fork ? null : this.#start.resume);
    if (!session) {
      result.error = STOP.interrupt;
      return false;
    }
    this.#resumeWithWords(session, words);
    result.attempts -= 1;
    return true;
  }

  async #onFull(failure: Failure): Promise<boolean> {
    const { result, policy, watermark } = this.#run;
    if (!policy.enabled || !result.sessionId || this.#writing) return false;
    // The harness's own limit says nothing about the model's window.
    if (watermark > 0 && failure.terminalReason !== 'blocking_limit') rememberOverflow(watermark, this.#host.settings);
    return this.#handOver('handoff.why.full');
  }

  /** Goes back to before the step that the service refuses; refused again, a fresh session takes over. */
  async #mendHistory(): Promise<boolean> {
    const { result, policy } = this.#run;
    if (this.#writing) return false;
    const { locale, resilience, store, projectKey } = this.#host;
    const session = result.sessionId ?? this.#start.resume;
    const stored =
      session && !this.#mended ? await readTranscripts(store.inner, { projectKey, sessionId: session }) : null;
    const place = stored && placeBeforeLastReply(stored.main);
    this.#mended = true;
    if (session && place) {
      result.attempts -= 1;
      this.#tell(text('retry.failed', { n: 1, kind: 'history' }, locale));
      // What was said and not answered goes with the end of the history.
      const prompt = this.#session.answered ? resilience.resumePrompt : `${this.#start.prompt}\n\n`;
      this.#resume(session, `${prompt} ${text('resilience.historyCut', {}, locale)}`);
      this.#start = { ...this.#start, resumeAt: place };
      return true;
    }
    return policy.enabled && session ? this.#handOver('handoff.why.broken') : false;
  }

  /** @param forced why the session cannot write the handoff itself; null: it can */
  async #handOver(forced: ForcedBy | null): Promise<boolean> {
    const run = this.#run;
    const { result } = run;
    const { locale } = this.#host;
    // Without money for a successor the session is kept as it is.
    if (this.#stopsWithoutMoney()) return false;
    if (result.retired.length >= run.policy.maxGenerations) {
      const { at, window } = run.policy;
      result.error = this.#withSource(text('diag.generations', { n: result.retired.length, at, window }, locale));
      return false;
    }
    const handoff = await handOff(this.#host, run, {
      task: this.#openTask(),
      forced,
      write: (round, prompt) => writeAsRound(this.#host, round, prompt),
    });
    if (!handoff) return false;
    if (result.sessionId) result.retired.push(result.sessionId);
    run.degraded = handoff.degraded ? run.degraded + 1 : 0;
    if (run.degraded >= MAX_DEGRADED) {
      const { at, window, room } = run.policy;
      result.error = this.#withSource(text('diag.degradedTwice', { n: run.degraded, window, at, room }, locale));
      return false;
    }
    this.#start = { prompt: handoff.promptBlock(), resume: null, fork: false, resumeAt: null };
    result.sessionId = null;
    result.attempts -= 1;
    run.watermark = 0;
    run.warned = false;
    run.policy = renewedPolicy(this.#host.handoff, this.#host.settings);
    this.#mended = false;
    return true;
  }

  /** Names the file that holds the window, where an overflow taught it: after the service has grown it is wrong until told otherwise. */
  #withSource(diagnosis: string): string {
    if (this.#run.policy.windowSource !== 'overflow') return diagnosis;
    return `${diagnosis} ${text('diag.calibrated', { path: calibPath() }, this.#host.locale)}`;
  }

  /** What the step was asked, with what was said last if nothing has come of that yet. */
  #openTask(): string {
    const { prompt } = this.#start;
    return this.#session.answered || prompt === this.#task ? this.#task : `${prompt}\n\n${this.#task}`;
  }

  /** Whose limit it was: that of the run ends everything, that of the step only the step. */
  #nameBudget(ofRun: boolean): void {
    const { result } = this.#run;
    const usedUp = this.#session.bill.usedUp();
    if (usedUp === STOP.budget || (usedUp === null && ofRun)) result.error = STOP.budget;
    else if (result.error === STOP.budget && usedUp) result.error = usedUp;
  }

  #stopsWithoutMoney(): boolean {
    const error = this.#session.bill.usedUp();
    if (error === null) return false;
    this.#run.result.ok = false;
    this.#run.result.error = error;
    return true;
  }

  /** Goes on with the session of this generation; what did not reach it is said again, and a handoff asked for again. */
  async #resumeAfterBreak(): Promise<void> {
    const { sessionId } = this.#run.result;
    if (!sessionId || !this.#session.promptStored || this.#writing) return;
    if (this.#waits.isInterrupted) this.#resumeWithWords(sessionId, await this.#run.interrupts.take());
    else this.#resume(sessionId, this.#host.resilience.resumePrompt);
  }

  #resumeWithWords(sessionId: string, words: string | null): void {
    const { locale } = this.#host;
    this.#tell(text(words ? 'retry.interruptedWithWords' : 'retry.interrupted', {}, locale));
    const head = words
      ? text(this.#run.options.remark ? 'remark.head' : 'interrupt.head.words', { words }, locale)
      : text('interrupt.head.silent', {}, locale);
    this.#resume(sessionId, `${head}\n\n${text('interrupt.note', {}, locale)}`);
  }

  #resume(sessionId: string, prompt: string): void {
    this.#start = { prompt, resume: sessionId, fork: false, resumeAt: null };
    this.#run.result.resumed = true;
  }

  #tell(words: string): void {
    const { name, result, emit } = this.#run;
    emit(new Event('retry', { text: words, payload: { step: name, attempt: result.attempts } }));
  }
}

/** One more turn of a full session, lived through like any other: a network that fails now must not cost the whole context. */
async function writeAsRound(host: StepHost, round: StepRun, prompt: string): Promise<LastFailure | null> {
  const loop = new StepLoop(host, round, prompt, { writing: true });
  await loop.execute();
  return loop.lastFailure;
}
