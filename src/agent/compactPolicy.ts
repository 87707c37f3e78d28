const SWITCH = { auto: {}, no_summary: { DISABLE_AUTO_COMPACT: '1' }, off: { DISABLE_COMPACT: '1' } } as const;

export type CompactMode = keyof typeof SWITCH;

/**
 * Whether the harness compacts a full context by itself. How it does so cannot be changed, only whether it fires. With handoff on
 * and no policy given, flower uses `no_summary`, so that one mechanism alone decides about the context.
 *
 * @example
 * new CompactPolicy({ mode: 'auto', window: 150_000 }).env(); // { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '150000' }
 */
export class CompactPolicy {
  readonly mode: CompactMode;
  readonly window: number | null;

  /**
   * @param options.mode `auto` leaves compaction on, `no_summary` switches the automatic one off, `off` the command as well. @default 'auto'
   * @param options.window tokens; the harness compacts about 33 000 below. @default null
   */
  constructor(options: { readonly mode?: CompactMode; readonly window?: number | null } = {}) {
    this.mode = options.mode ?? 'auto';
    if (!Object.hasOwn(SWITCH, this.mode)) {
      throw new TypeError(`CompactPolicy: mode must be auto, no_summary or off, got ${JSON.stringify(this.mode)}`);
    }
    this.window = options.window ?? null;
    if (this.window !== null && !(Number.isInteger(this.window) && this.window > 0)) {
      throw new TypeError(`CompactPolicy: window must be null or a positive integer (tokens), got ${this.window}`);
    }
  }

  /** The variables that tell the harness. */
  env(): Record<string, string> {
    const window: Record<string, string> =
      this.window === null ? {} : { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(this.window) };
    return { ...SWITCH[this.mode], ...window };
  }
}
