import { knownWindow, type WindowSettings, type WindowSource } from './window.js';

export interface HandoffPolicyOptions {
  /** @default true */
  readonly enabled?: boolean;
  /** Tokens of the model's context. @default learnt, else guessed by name */
  readonly window?: number;
  /** Tokens kept free for the round that writes the handoff; 0 or less counts as absent. @default 50000 */
  readonly headroom?: number;
  /** Sessions that one step may retire: a brake against runaways, not a plan. @default 8 */
  readonly maxGenerations?: number;
}

/**
 * When a session whose context is nearly full hands over to a fresh one. One formula, here; every text computes from it.
 *
 * @example
 * new HandoffPolicy({ window: 200_000 }).at; // 150000
 */
export class HandoffPolicy {
  static readonly HEADROOM_FRACTION = 0.25;
  static readonly HEADROOM_FLOOR = 50_000;
  /** Tokens that a coordinator needs to start, as measured. A threshold below it hands over at every start. */
  static readonly STARTUP_FLOOR = 34_000;

  readonly enabled: boolean;
  readonly window: number;
  readonly windowSource: WindowSource;
  readonly headroom: number;
  readonly maxGenerations: number;

  /** @param settings where `FLOWER_WINDOW`, address and model are looked up; default: the environment */
  constructor(options: HandoffPolicyOptions = {}, settings: WindowSettings = process.env) {
    const known = knownWindow(settings);
    this.enabled = options.enabled ?? true;
    this.window = positive('window', options.window) ?? known.window;
    this.windowSource = options.window === undefined ? known.source : 'option';
    this.headroom =
      options.headroom !== undefined && options.headroom > 0 ? options.headroom : HandoffPolicy.HEADROOM_FLOOR;
    this.maxGenerations = positive('maxGenerations', options.maxGenerations) ?? 8;
  }

  /**
   * Tokens kept free. A window that an overflow taught is smaller than its name promised: there a quarter of it at least, or the
   * round that writes the handoff would not fit.
   */
  get room(): number {
    const least = this.windowSource === 'overflow' ? Math.floor(this.window * HandoffPolicy.HEADROOM_FRACTION) : 0;
    return Math.max(this.headroom, least);
  }

  /** Tokens of context from which a handoff is due. */
  get at(): number {
    return Math.max(10_000, this.window - this.room);
  }

  /** Tokens of context from which the person is told that it will be. */
  get warnAt(): number {
    return Math.max(1_000, this.at - 20_000);
  }

  /**
   * The policy for a session whose harness names its window. An explicit window holds; of two learnt ones the smaller does.
   *
   * @param contextWindow tokens; counts only for a model that the harness has a list price for
   */
  learn(contextWindow: number): HandoffPolicy {
    if (this.windowSource === 'option' || this.windowSource === 'env') return this;
    if (this.windowSource === 'overflow' && this.window <= contextWindow) return this;
    return Object.create(HandoffPolicy.prototype, {
      ...Object.getOwnPropertyDescriptors(this),
      window: { value: contextWindow, enumerable: true },
      windowSource: { value: 'harness', enumerable: true },
    }) as HandoffPolicy;
  }
}

function positive(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return value;
  throw new TypeError(`HandoffPolicy: ${option} must be a positive integer, got ${value}`);
}
