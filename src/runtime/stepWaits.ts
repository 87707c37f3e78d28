import { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import type { ErrorKind } from './classify.js';
import { probeTarget } from './endpoint.js';
import type { Failure, FailureClass } from './failure.js';
import { resetTime } from './resetTime.js';
import type { StepHost } from './stepHost.js';
import type { StepRun } from './stepRun.js';

/** A usage limit is left alone for so long after its time, so that the first request is not refused by a clock that differs. */
const LIMIT_MARGIN_S = 10;

/**
 * What a wait came to: `again`, the next attempt is due; `heard`, a person had interrupted, so nothing was waited for and the
 * failure does not count; `over`, there is no use in another attempt.
 */
export type Waited = 'again' | 'heard' | 'over';

/** Which failures of a step are waited out, how often, and the waiting itself, in sight of the person who can cut it short. */
export class StepWaits {
  readonly #host: StepHost;
  readonly #run: StepRun;
  readonly #heedsPerson: boolean;
  /** Failures in a row. */
  #failures = 0;
  #limitWaits = 0;
  /** A wall of 529 or 5xx: when it began, and how often it was met since. */
  #wall: { since: number; failures: number } | null = null;

  /** @param options.heedsPerson false: what a person says is for somebody else, later */
  constructor(host: StepHost, run: StepRun, options: { readonly heedsPerson: boolean }) {
    this.#host = host;
    this.#run = run;
    this.#heedsPerson = options.heedsPerson;
  }

  /** A person waits to be heard here. */
  get isInterrupted(): boolean {
    return this.#run.interrupts.pending && this.#heedsPerson;
  }

  /**
   * Waits after a failure, as far as it is worth it.
   *
   * @param work.seconds of work without a failure that went before
   * @param work.answered the model answered in this attempt
   */
  after(
    kind: Exclude<FailureClass, 'full' | 'history'>,
    failure: Failure,
    work: { readonly seconds: number; readonly answered: boolean },
  ): Promise<Waited> {
    if (kind !== 'wall' || work.answered) this.#wall = null;
    if (work.seconds >= this.#host.resilience.resetAfterS) {
      this.#failures = 0;
      this.#limitWaits = 0;
    }
    if (kind === 'limit') return this.#untilLimit(failure);
    if (kind === 'wall') return this.#outlastWall();
    return this.#backOff(kind);
  }

  /** Another process waited for a limit when it was ended: this one waits for the rest, not for a refusal. */
  async forEarlierLimit(): Promise<void> {
    const { resilience } = this.#host;
    if (!resilience.enabled) return;
    const until = this.#host.takeEarlierLimit();
    if (until > resilience.now() && !this.isInterrupted) await this.#limitEnds(until, 1);
    else if (until > 0) this.#host.noteLimit(null);
  }

  async #backOff(kind: ErrorKind): Promise<Waited> {
    const { resilience } = this.#host;
    if (!resilience.enabled || !resilience.shouldRetry(kind)) return 'over';
    if (this.isInterrupted) return 'heard';
    this.#failures += 1;
    if (this.#failures >= resilience.maxAttempts) return 'over';
    this.#tellFailed(this.#failures, kind);
    return this.#pause(this.#failures);
  }

  /** A wall is waited out like a dead network, however many attempts that takes. */
  async #outlastWall(): Promise<Waited> {
    const { resilience } = this.#host;
    if (!resilience.enabled) return 'over';
    if (this.isInterrupted) return 'heard';
    const wall = this.#wall ?? { since: resilience.clock(), failures: 0 };
    this.#wall = wall;
    wall.failures += 1;
    if (resilience.clock() - wall.since >= resilience.maxOfflineWaitS) return this.#gaveUp();
    this.#tellFailed(wall.failures, 'wall', { network: true, until: unixNow() + resilience.maxOfflineWaitS });
    return this.#pause(wall.failures);
  }

  async #pause(failures: number): Promise<Waited> {
    const { resilience, settings } = this.#host;
    const isOnline = await this.#untilInterrupted(async (signal) => {
      const until = unixNow() + resilience.maxOfflineWaitS;
      const target = probeTarget({ ...process.env, ...settings });
      const say = (words: string) => this.#tell(words, { network: true, until });
      if (!(await resilience.waitOnline(say, { signal, target }))) return false;
      await resilience.sleep(resilience.delayFor(failures), { signal });
      return true;
    });
    // A person who interrupts wants it tried now.
    return isOnline || this.isInterrupted ? 'again' : this.#gaveUp();
  }

  async #untilLimit(failure: Failure): Promise<Waited> {
    const { resilience } = this.#host;
    const resetsAt = failure.resetsAt ?? resetTime(failure.text ?? '');
    this.#limitWaits += 1;
    if (!resilience.enabled || resetsAt === null || this.#limitWaits > resilience.maxLimitWaits) {
      return this.#backOff('transient');
    }
    if (this.isInterrupted) return 'heard';
    const passed = await this.#limitEnds(resetsAt + LIMIT_MARGIN_S, this.#limitWaits);
    // Who is there to cut a wait short may do so as often as they like.
    if (!passed) this.#limitWaits -= 1;
    this.#run.result.attempts -= 1;
    return 'again';
  }

  /** False if a person cut the wait short. */
  async #limitEnds(until: number, count: number): Promise<boolean> {
    const { resilience, locale, noteLimit } = this.#host;
    const words = text('retry.limit', { until: clockTime(until), n: count }, locale);
    this.#tell(words, { limit: true, resets_at: until - LIMIT_MARGIN_S, until, count });
    noteLimit(until);
    const wait = async (signal: AbortSignal) => {
      await resilience.waitUntil(until, { signal });
      return !signal.aborted;
    };
    const passed = await this.#untilInterrupted(wait, { orMail: true });
    noteLimit(null);
    return passed;
  }

  /** Ends the wait when a person interrupts, and with `orMail` when one writes to a step that gets mail. */
  async #untilInterrupted<T>(
    wait: (signal: AbortSignal) => Promise<T>,
    { orMail = false }: { readonly orMail?: boolean } = {},
  ): Promise<T> {
    const { interrupts, options } = this.#run;
    const cut = new AbortController();
    if (!this.#heedsPerson) return wait(cut.signal);
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

  #gaveUp(): 'over' {
    const { resilience, locale } = this.#host;
    this.#run.result.error += text('retry.offlineGaveUp', { wait: resilience.offlineLimit }, locale);
    return 'over';
  }

  #tellFailed(n: number, kind: FailureClass, payload: Record<string, unknown> = {}): void {
    this.#tell(text('retry.failed', { n, kind }, this.#host.locale), payload);
  }

  #tell(words: string, payload: Record<string, unknown>): void {
    const { name, result, emit } = this.#run;
    emit(new Event('retry', { text: words, payload: { step: name, attempt: result.attempts, ...payload } }));
  }
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
