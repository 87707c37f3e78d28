/** What is known of a failed attempt, structure first: words are only the fallback. */
export interface Failure {
  readonly terminalReason?: string | undefined;
  /** The harness's class of an API failure: `rate_limit`, `authentication_failed`, … */
  readonly error?: string | undefined;
  readonly apiError?: string | undefined;
  readonly apiErrorStatus?: number | undefined;
  readonly subtype?: string | undefined;
  /** Unix seconds at which a usage limit ends. */
  readonly resetsAt?: number | undefined;
  readonly text?: string | undefined;
}

/**
 * What a failure means for the run: `transient` may pass, `fatal` will not, `unknown` is tried again; `full` wants a handoff,
 * `history` a mended transcript, `limit` a wait until its time, `wall` (529, 5xx) is waited out like a dead network.
 */
export type FailureClass = 'transient' | 'fatal' | 'unknown' | 'full' | 'history' | 'limit' | 'wall';
