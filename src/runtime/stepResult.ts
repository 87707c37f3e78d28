import type { ManifestRow } from '../books/types.js';
import type { HandIn } from '../documents/handIn.js';

/**
 * What one step of a run gave: filled while the step runs, kept in the books when it ends.
 *
 * @example
 * const result = await runtime.run(spec, 'Write the parser.');
 * if (!result.ok) console.error(result.step, result.error);
 */
export class StepResult {
  step: string;
  /** The session that a later run goes on with; always the last successor. */
  sessionId: string | null;
  ok: boolean;
  /** US dollars, workers included. */
  costUsd: number;
  numTurns: number;
  /** What the main thread said, or the Markdown of the document that it handed in. */
  text: string;
  error: string | null;
  /** Unix seconds; `endedAt` is 0 while the step runs. */
  startedAt: number;
  endedAt: number;
  attempts: number;
  errors: string[];
  /** True if the step went on with a session after a break. */
  resumed: boolean;
  /** Sessions whose context was full, oldest first. */
  retired: string[];
  /** Tokens: the largest context of the main thread. */
  context: number;
  /** The last document that was accepted by tool. */
  handIn: HandIn | null;
  /** True if a part of `costUsd` is estimated: from the usage of a killed attempt, or because a model has no list price. */
  costEstimated: boolean;

  constructor(init: { step: string } & Partial<StepResult>) {
    this.step = init.step;
    this.sessionId = init.sessionId ?? null;
    this.ok = init.ok ?? false;
    this.costUsd = init.costUsd ?? 0;
    this.numTurns = init.numTurns ?? 0;
    this.text = init.text ?? '';
    this.error = init.error ?? null;
    this.startedAt = init.startedAt ?? 0;
    this.endedAt = init.endedAt ?? 0;
    this.attempts = init.attempts ?? 0;
    this.errors = init.errors ?? [];
    this.resumed = init.resumed ?? false;
    this.retired = init.retired ?? [];
    this.context = init.context ?? 0;
    this.handIn = init.handIn ?? null;
    this.costEstimated = init.costEstimated ?? false;
  }

  /** Seconds, two digits; 0 while the step runs. */
  get durationS(): number {
    return this.endedAt === 0 ? 0 : Math.round((this.endedAt - this.startedAt) * 100) / 100;
  }

  /** The row of `manifest.json` without its run. */
  toJSON(): Omit<ManifestRow, 'run'> {
    return {
      step: this.step,
      session_id: this.sessionId,
      ok: this.ok,
      cost_usd: this.costUsd,
      num_turns: this.numTurns,
      text: this.text,
      error: this.error,
      started_at: this.startedAt,
      ended_at: this.endedAt,
      attempts: this.attempts,
      errors: [...this.errors],
      resumed: this.resumed,
      retired: [...this.retired],
      context: this.context,
      duration_s: this.durationS,
      ...(this.costEstimated && { cost_estimated: true as const }),
      ...(this.handIn && { hand_in: { kind: this.handIn.kind, document: this.handIn.document } }),
    };
  }
}
