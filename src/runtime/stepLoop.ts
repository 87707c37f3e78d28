import { rememberOverflow } from '../agent/window.js';
import { Event } from '../events/event.js';
import { type LocaleKey, text } from '../locale/locale.js';
import type { ErrorKind } from './classify.js';
import { classifyFailure } from './classifyFailure.js';
import { probeTarget } from './endpoint.js';
import type { Failure, FailureClass } from './failure.js';
import { type ForcedBy, handOff } from './handoffWriter.js';
import { renewedPolicy } from './renewedPolicy.js';
import { resetTime } from './resetTime.js';
import type { StepHost } from './stepHost.js';
import type { StepRun } from './stepRun.js';
import { type Start, StepSession } from './stepSession.js';
import { placeBeforeLastReply, readTranscripts } from './transcripts.js';
import { STOP } from './turnStop.js';

/** Degraded handoffs in a row after which a step stops: each further one only burns money. */
const MAX_DEGRADED = 2;
/** A usage limit is left alone for so long after its time, so that the first request is not refused by a clock that differs. */
const LIMIT_MARGIN_S = 10;

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
  readonly #task: string;
  readonly #writing: boolean;
  #start: Start;
  /** Failures in a row. */
  #failures = 0;
  /** Seconds of work since the last failure. */
  #workedS = 0;
  #limitWaits = 0;
  /** A wall of 529 or 5xx: when it began, and how often it was met since. */
  #wall: { since: number; failures: number } | null = null;
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
    const { resume = null, fork = false, resumeAt = null } = run.options;
    this.#start = { prompt, resume, fork, resumeAt };
  }

  async execute(): Promise<void> {
    const { result } = this.#run;
    const { resilience } = this.#host;
    for (;;) {
      result.attempts += 1;
      const { usd, ofRun } = this.#session.bill.allowance();
      if (this.#stopsWithoutMoney()) return;
      const begun = resilience.clock();
      const failure = await this.#session.query(this.#start, { usd, writing: this.#writing });
      this.#workedS += resilience.clock() - begun;
      this.#start = { ...this.#start, resumeAt: null };
      if (failure.terminalReason === 'budget_exhausted' || result.error === STOP.budget) this.#nameBudget(ofRun);
      if (!this.#writing) this.#host.book();
      if (!(await this.#goesOn(failure))) return;
    }
  }

  /** The first exit that applies; false ends the step. */
  async #goesOn(failure: Failure): Promise<boolean> {
    const { result, policy } = this.#run;
    this.lastFailure = null;
    if (result.ok || result.error === STOP.interrupt) return this.#afterInterrupt();
    if (result.error === STOP.budget) return false;
    if (result.error === STOP.handoff) return this.#handOver(null);
    const answered = this.#session.answered || this.#start.resume !== null;
    const kind = classifyFailure(failure, { answered });
    this.lastFailure = { kind, failure };
    if (kind !== 'wall' || this.#session.answered) this.#wall = null;
    const workedS = this.#workedS;
    this.#workedS = 0;
    switch (kind) {
      case 'full':
        if (!policy.enabled || !result.sessionId || this.#writing) return false;
        if (this.#run.watermark > 0 && failure.terminalReason !== 'blocking_limit')
          rememberOverflow(this.#run.watermark);
        return this.#handOver('handoff.why.full');
      case 'history':
        return this.#mendHistory();
      case 'limit':
        return this.#waitForLimit(failure, workedS);
      case 'wall':
        return this.#waitForWall();
      default:
        return this.#retry(kind, workedS);
    }
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

  async #retry(kind: ErrorKind, workedS: number): Promise<boolean> {
    const { resilience } = this.#host;
    if (!resilience.enabled || !resilience.shouldRetry(kind)) return false;
    if (this.#isInterrupted()) return this.#afterInterrupt();
    this.#failures = workedS >= resilience.resetAfterS ? 1 : this.#failures + 1;
    if (this.#failures >= resilience.maxAttempts) return false;
    this.#emitRetry('retry.failed', { n: this.#failures, kind });
    return this.#backOff(this.#failures);
  }

  /** A wall is waited out like a dead network, however many attempts that takes. */
  async #waitForWall(): Promise<boolean> {
    const { resilience } = this.#host;
    if (!resilience.enabled) return false;
    if (this.#isInterrupted()) return this.#afterInterrupt();
    const wall = this.#wall ?? { since: resilience.clock(), failures: 0 };
    this.#wall = wall;
    wall.failures += 1;
    if (resilience.clock() - wall.since >= resilience.maxOfflineWaitS) return this.#gaveUp();
    this.#emitRetry(
      'retry.failed',
      { n: wall.failures, kind: 'wall' },
      { network: true, until: unixNow() + resilience.maxOfflineWaitS },
    );
    return this.#backOff(wall.failures);
  }

  async #backOff(failures: number): Promise<boolean> {
    const { resilience, settings } = this.#host;
    const online = await this.#untilInterrupted(async (signal) => {
      const until = unixNow() + resilience.maxOfflineWaitS;
      const target = probeTarget({ ...process.env, ...settings });
      const say = (words: string) => this.#emit(words, { network: true, until });
      if (!(await resilience.waitOnline(say, { signal, target }))) return false;
      await resilience.sleep(resilience.delayFor(failures), { signal });
      return true;
    });
    // A person who interrupts wants it tried now.
    if (!online && !this.#isInterrupted()) return this.#gaveUp();
    await this.#resumeAfterBreak();
    return true;
  }

  async #waitForLimit(failure: Failure, workedS: number): Promise<boolean> {
    const { resilience, books, runId, locale } = this.#host;
    const resetsAt = failure.resetsAt ?? resetTime(failure.text ?? '');
    this.#limitWaits = workedS >= resilience.resetAfterS ? 1 : this.#limitWaits + 1;
    if (!resilience.enabled || resetsAt === null || this.#limitWaits > resilience.maxLimitWaits) {
      return this.#retry('transient', workedS);
    }
    if (this.#isInterrupted()) return this.#afterInterrupt();
    const until = resetsAt + LIMIT_MARGIN_S;
    const count = this.#limitWaits;
    const words = text('retry.limit', { until: clockTime(until), n: count }, locale);
    this.#emit(words, { limit: true, resets_at: resetsAt, until, count });
    books.setLimitUntil(runId, until);
    await this.#untilInterrupted((signal) => resilience.waitUntil(until, { signal }), { orMail: true });
    books.setLimitUntil(runId, null);
    this.#run.result.attempts -= 1;
    await this.#resumeAfterBreak();
    return true;
  }

  /** Ends the wait when a person interrupts, and with `orMail` when one writes to a step that gets mail. */
  async #untilInterrupted<T>(
    wait: (signal: AbortSignal) => Promise<T>,
    { orMail = false }: { readonly orMail?: boolean } = {},
  ): Promise<T> {
    const { interrupts, options } = this.#run;
    const cut = new AbortController();
    const unlisten = interrupts.listen(() => cut.abort());
    const channel = orMail && !options.remark ? options.channel : null;
    const unlistenMail = channel?.listen(({ payload }) => {
      if (payload.kind === 'mail' && payload.state === 'queued') cut.abort();
    });
    try {
      return await wait(cut.signal);
    } finally {
      unlisten();
      unlistenMail?.();
    }
  }

  /** A person waits to be heard. A session that writes its handoff leaves that to its successor. */
  #isInterrupted(): boolean {
    return this.#run.interrupts.pending && !this.#writing;
  }

  #gaveUp(): false {
    const { resilience, locale } = this.#host;
    this.#run.result.error += text('retry.offlineGaveUp', { wait: resilience.offlineLimit }, locale);
    return false;
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
      this.#emitRetry('retry.failed', { n: this.#failures + 1, kind: 'history' });
      this.#resume(session, `${resilience.resumePrompt} ${text('resilience.historyCut', {}, locale)}`);
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
      result.error = text('diag.generations', { n: result.retired.length, at, window }, locale);
      return false;
    }
    const handoff = await handOff(this.#host, run, {
      task: this.#task,
      forced,
      write: (round, prompt) => writeAsRound(this.#host, round, prompt),
    });
    if (!handoff) return false;
    if (result.sessionId) result.retired.push(result.sessionId);
    run.degraded = handoff.degraded ? run.degraded + 1 : 0;
    if (run.degraded >= MAX_DEGRADED) {
      const { at, window, room } = run.policy;
      result.error = text('diag.degradedTwice', { n: run.degraded, window, at, room }, locale);
      return false;
    }
    this.#start = { prompt: handoff.promptBlock(), resume: null, fork: false, resumeAt: null };
    result.sessionId = null;
    result.attempts -= 1;
    run.watermark = 0;
    run.warned = false;
    run.policy = renewedPolicy(this.#host.handoff);
    this.#mended = false;
    return true;
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

  /** Goes on with the session of this generation, as far as the store knows one; else the same prompt again. */
  async #resumeAfterBreak(): Promise<void> {
    const { resilience, store, projectKey } = this.#host;
    const { result, interrupts } = this.#run;
    const { sessionId } = result;
    if (!sessionId || !(await store.hasSession(projectKey, sessionId))) return;
    if (this.#isInterrupted()) this.#resumeWithWords(sessionId, await interrupts.take());
    else this.#resume(sessionId, resilience.resumePrompt);
  }

  #resumeWithWords(sessionId: string, words: string | null): void {
    const { locale } = this.#host;
    this.#emitRetry(words ? 'retry.interruptedWithWords' : 'retry.interrupted');
    const head = words
      ? text(this.#run.options.remark ? 'remark.head' : 'interrupt.head.words', { words }, locale)
      : text('interrupt.head.silent', {}, locale);
    this.#resume(sessionId, `${head}\n\n${text('interrupt.note', {}, locale)}`);
  }

  #resume(sessionId: string, prompt: string): void {
    this.#start = { prompt, resume: sessionId, fork: false, resumeAt: null };
    this.#run.result.resumed = true;
  }

  #emitRetry(
    key: Extract<LocaleKey, 'retry.interrupted' | 'retry.interruptedWithWords' | 'retry.failed'>,
    values: { n: number; kind: string } | null = null,
    payload: Record<string, unknown> = {},
  ): void {
    const { locale } = this.#host;
    const words = key === 'retry.failed' ? text(key, values ?? { n: 0, kind: '' }, locale) : text(key, {}, locale);
    this.#emit(words, payload);
  }

  #emit(words: string, payload: Record<string, unknown>): void {
    const { name, result, emit } = this.#run;
    emit(new Event('retry', { text: words, payload: { step: name, attempt: result.attempts, ...payload } }));
  }
}

/** One more turn of a full session, lived through like any other: a network that fails now must not cost the whole context. */
async function writeAsRound(host: StepHost, round: StepRun, prompt: string): Promise<LastFailure | null> {
  const loop = new StepLoop(host, round, prompt, { writing: true });
  await loop.execute();
  return loop.lastFailure;
}

function unixNow(): number {
  return Date.now() / 1000;
}

/** Local time of day, with the date if it is another day. */
function clockTime(unixS: number): string {
  const time = new Date(unixS * 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  const sameDay = time.toDateString() === new Date().toDateString();
  return sameDay ? clock : `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}
