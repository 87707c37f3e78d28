import { setTimeout } from 'node:timers/promises';
import { type Locale, text } from '../locale/locale.js';
import type { ErrorKind } from './classify.js';
import { type Endpoint, probeTarget, reachable } from './endpoint.js';

/** What a test puts in the place of chance, time and network. */
interface Seams {
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** @default a timer */
  readonly sleep?: (seconds: number, options?: Abortable) => Promise<void>;
  /** @default `reachable` */
  readonly probe?: (host: string, port: number, timeoutS: number) => Promise<boolean>;
  /** Unix seconds. Give it together with a `sleep` that moves it. @default the wall clock, and for durations a monotonic one */
  readonly now?: () => number;
}

export interface ResilienceOptions extends Seams {
  /** False: the first failure ends a step. @default true */
  readonly enabled?: boolean;
  /** Failures in a row that end a step, the first attempt included. @default 6 */
  readonly maxAttempts?: number;
  /** Seconds before the second attempt; each further one waits twice as long. @default 4 */
  readonly baseDelayS?: number;
  /** Seconds that the wait between two attempts grows to. @default 120 */
  readonly maxDelayS?: number;
  /** Seconds that one look at the network may take. @default 5 */
  readonly probeTimeoutS?: number;
  /** Seconds between two looks at a network that is away. @default 15 */
  readonly probeIntervalS?: number;
  /** Seconds that a dead network, or a service that answers 529 or 5xx, is waited for. 0: one look, no wait. @default 3600 */
  readonly maxOfflineWaitS?: number;
  /** Seconds of work without a failure after which failures and delays are counted anew. @default 600 */
  readonly resetAfterS?: number;
  /** Seconds without any message after which a harness is ended and its session resumed; 0 is off. @default 1800 */
  readonly silenceS?: number;
  /** Usage limits that one step waits for. @default 3 */
  readonly maxLimitWaits?: number;
  /** Are failures that nobody knows tried again? @default true */
  readonly retryUnknown?: boolean;
  /** What the model is told when a session goes on after a break. @default the locale's, which names no error */
  readonly resumePrompt?: string;
}

interface Abortable {
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOnlineOptions extends Abortable {
  /** Where to look. @default `probeTarget()` */
  readonly target?: Endpoint | undefined;
}

/**
 * How a run lives through a bad network, a full service and usage limits: how often it tries again, how long it waits, and the
 * waiting itself.
 *
 * @example
 * const resilience = new Resilience({ maxOfflineWaitS: 6 * 3600 });
 */
export class Resilience {
  readonly enabled: boolean = true;
  readonly maxAttempts: number = 6;
  readonly baseDelayS: number = 4;
  readonly maxDelayS: number = 120;
  readonly probeTimeoutS: number = 5;
  readonly probeIntervalS: number = 15;
  readonly maxOfflineWaitS: number = 3600;
  readonly resetAfterS: number = 600;
  readonly silenceS: number = 1800;
  readonly maxLimitWaits: number = 3;
  readonly retryUnknown: boolean = true;
  readonly resumePrompt: string;

  readonly #seams: Required<Seams>;
  readonly #clock: () => number;
  readonly #locale: Locale | undefined;

  /**
   * @param locale of what a person and the model are told; default: the active one
   * @throws TypeError that names the option, what it must be and what it was
   */
  constructor(options: ResilienceOptions = {}, locale?: Locale) {
    const { random = Math.random, sleep = timer, probe = reachable, now = wallClock, ...fields } = options;
    this.#seams = { random, sleep, probe, now };
    this.#clock = options.now ?? monotonic;
    this.#locale = locale;
    this.resumePrompt = text('resilience.resumePrompt', {}, locale);
    Object.assign(this, checked(fields, this));
  }

  /**
   * Seconds to wait before the next attempt: twice as long each time, up or down by a quarter at random, so that many processes do
   * not start again at once.
   *
   * @param attempt failures in a row so far, from 1
   */
  delayFor(attempt: number): number {
    const delay = Math.min(this.baseDelayS * 2 ** (attempt - 1), this.maxDelayS);
    return delay * (0.75 + this.#seams.random() * 0.5);
  }

  /** Is another attempt worth anything? */
  shouldRetry(kind: ErrorKind): boolean {
    return kind === 'transient' || (kind === 'unknown' && this.retryUnknown);
  }

  /**
   * Waits until the network is there, at most `maxOfflineWaitS`; true if it is. A network that is there costs one look and no word.
   *
   * @param notify gets one line when the network is found to be away and one when it is back
   */
  async waitOnline(notify?: (message: string) => void, options: WaitOnlineOptions = {}): Promise<boolean> {
    const { signal, target: [host, port] = probeTarget() } = options;
    const look = () => orAborted(this.#seams.probe(host, port, this.probeTimeoutS), signal);
    if (await look()) return true;
    notify?.(text('net.down', { host, port, wait: this.offlineLimit }, this.#locale));

    // What was slept counts at least, as the sleep of a test takes no time.
    const begun = this.clock();
    let slept = 0;
    while (!signal?.aborted) {
      const left = this.maxOfflineWaitS - Math.max(slept, this.clock() - begun);
      if (left <= 0) return false;
      const pause = Math.min(this.probeIntervalS, left);
      await this.sleep(pause, { signal });
      slept += pause;
      if (!signal?.aborted && (await look())) {
        notify?.(text('net.up', { host, port }, this.#locale));
        return true;
      }
    }
    return false;
  }

  /** How long a dead network is waited for, in words. */
  get offlineLimit(): string {
    const n = this.maxOfflineWaitS;
    return n < 60
      ? text('net.seconds', { n: Math.round(n) }, this.#locale)
      : text('net.minutes', { n: Math.round(n / 60) }, this.#locale);
  }

  /** Unix seconds by the clock that this policy goes by. */
  now(): number {
    return this.#seams.now();
  }

  /** Seconds by a clock that nobody sets and that stands while the machine sleeps: for how long something takes. */
  clock(): number {
    return this.#clock();
  }

  /** Waits so many seconds, or until the signal aborts. */
  async sleep(seconds: number, options: Abortable = {}): Promise<void> {
    const { signal } = options;
    if (!signal?.aborted) await orAborted(this.#seams.sleep(seconds, options), signal);
  }

  /**
   * Waits until the wall clock shows this, or until the signal aborts. It looks at the clock every half minute at least, so that a
   * machine that slept over the time goes on when it wakes.
   *
   * @param unixS unix seconds
   */
  async waitUntil(unixS: number, options: Abortable = {}): Promise<void> {
    while (!options.signal?.aborted) {
      const left = unixS - this.now();
      if (left <= 0) return;
      await this.sleep(Math.min(left, LONGEST_SLEEP_S), options);
    }
  }
}

const LONGEST_SLEEP_S = 30;

function timer(seconds: number, options: Abortable = {}): Promise<void> {
  // A timer takes 31 bits of milliseconds; the signal ends it, so that it does not hold the process.
  const pause = setTimeout(Math.min(seconds * 1000, 2 ** 31 - 1), undefined, { signal: options.signal });
  return pause.catch(() => undefined);
}

/** What the work gives, or undefined as soon as the signal aborts. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function wallClock(): number {
  return Date.now() / 1000;
}

function monotonic(): number {
  return performance.now() / 1000;
}

/** The options that were given, each known and of the kind of its default. */
function checked(options: object, defaults: object): object {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!Object.hasOwn(defaults, name)) throw new TypeError(`Resilience: there is no option ${name}`);
    const kind = typeof (defaults as Record<string, unknown>)[name];
    const expected = kind === 'number' ? 'a number from 0 on' : `a ${kind}`;
    const isRight = typeof value === kind && (kind !== 'number' || value >= 0);
    if (!isRight) throw new TypeError(`Resilience: ${name} must be ${expected}, got ${JSON.stringify(value)}`);
  }
  return Object.fromEntries(given);
}
