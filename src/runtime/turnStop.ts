import type {
  HookCallback,
  HookCallbackMatcher,
  HookInput,
  PostToolBatchHookInput,
  Query,
} from '@anthropic-ai/claude-agent-sdk';
import { type Locale, text } from '../locale/locale.js';

/** Why flower stops a turn. The value stands as the step's error when the stop is final. */
export const STOP = {
  handoff: 'context-full-handoff',
  interrupt: 'interrupted-by-human',
  budget: 'budget_exhausted',
  silence: 'silent-too-long',
} as const;

export type StopReason = (typeof STOP)[keyof typeof STOP];

const WORDS = {
  [STOP.handoff]: 'stop.handoff',
  [STOP.interrupt]: 'stop.interrupt',
  [STOP.budget]: 'stop.budget',
} as const;

/** A process that gives no result so long after an interrupt no longer answers. */
const RESULT_GRACE_S = 10;

export interface TurnStopOptions {
  readonly locale: Locale;
  /** Seconds that an interrupt or a spent budget waits for a boundary; 0 is not at all. */
  readonly graceS: number;
  /** Ends the harness process with everything that it started. */
  readonly kill: () => void;
}

export interface BoundaryOptions {
  readonly beforeDeciding: (batch: PostToolBatchHookInput) => Promise<void> | null;
  readonly beforeGoingOn: () => Promise<void> | null;
  readonly wordsFor: (worker: string) => string | null;
}

/**
 * Stops one turn of one query. A stop waits for a boundary, where every result is stored and nothing runs on: the hook answers
 * there. Leaving the message loop or closing a busy query would let the agent work, and spend, for seconds more.
 */
export class TurnStop {
  readonly #options: TurnStopOptions;
  #query: Query | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** A person waits for it, or the money is gone: workers are stopped too, and a boundary is not waited for without limit. */
  #urgent = false;
  /** Workers that were stopped, by their id: what they said last becomes their report. */
  readonly stoppedWorkers = new Set<string>();
  reason: StopReason | null = null;

  constructor(options: TurnStopOptions) {
    this.#options = options;
  }

  /** The query that `ask` stops. */
  attach(query: Query): void {
    this.#query = query;
    this.#hurry();
  }

  /**
   * Asks for a stop. The first reason holds, and a later one can only make it more urgent; but without money no handoff can be
   * written. A handoff alone waits without limit: the context cannot grow while a tool runs.
   */
  ask(reason: Exclude<StopReason, typeof STOP.silence>): void {
    const first = this.reason === null || (this.reason === STOP.handoff && reason === STOP.budget);
    if (first) this.reason = reason;
    if (reason === STOP.handoff || this.reason === STOP.silence) return;
    this.#urgent = true;
    this.#hurry();
  }

  /** Ends a harness that has fallen silent, at once. */
  killSilent(): void {
    this.reason = STOP.silence;
    this.kill();
  }

  /** Ends the harness with everything that it started. */
  kill(): void {
    this.#options.kill();
  }

  /** The turn has ended. */
  done(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#query = null;
  }

  /**
   * The hook that answers at a boundary.
   *
   * @param options.beforeDeciding gets the tool calls that are done; the answer waits for it
   * @param options.beforeGoingOn called at a boundary of the main thread where nothing stops; the next request waits for it
   * @param options.wordsFor what a worker that goes on is told with its results
   */
  hook(options: BoundaryOptions): HookCallbackMatcher {
    const onBatch: HookCallback = async (input) => {
      if (input.hook_event_name !== 'PostToolBatch') return {};
      await options.beforeDeciding(input);
      const stops = this.#atBoundary(input);
      if (stops) return stops;
      if (!input.agent_id) {
        if (this.reason === null) await options.beforeGoingOn();
        return {};
      }
      const additionalContext = options.wordsFor(input.agent_id);
      return additionalContext === null
        ? {}
        : { hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext } };
    };
    return { hooks: [onBatch] };
  }

  /** From a worker's batch the answer ends that worker alone; the main thread has its own boundary when all of them are back. */
  #atBoundary(input: HookInput): { continue: false; stopReason: string } | null {
    if (this.reason === null || this.reason === STOP.silence) return null;
    const worker = input.agent_id;
    if (worker && !this.#urgent) return null;
    if (worker) this.stoppedWorkers.add(worker);
    return { continue: false, stopReason: text(WORDS[this.reason], {}, this.#options.locale) };
  }

  /** After its grace an urgent stop no longer waits for a boundary. */
  #hurry(): void {
    if (!this.#query || !this.#urgent || this.#timer) return;
    this.#timer = setTimeout(() => this.#interrupt(), this.#options.graceS * 1000);
  }

  #interrupt(): void {
    this.#query?.interrupt().catch(() => undefined);
    this.#timer = setTimeout(this.#options.kill, RESULT_GRACE_S * 1000);
  }
}
