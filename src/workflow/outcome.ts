import type { RunOutcome } from '../books/types.js';
import type { Verdict } from '../documents/verdict.js';
import { Runtime } from '../runtime/runtime.js';
import type { StepResult } from '../runtime/stepResult.js';
import { STOP } from '../runtime/turnStop.js';
import type { Ctx } from './ctx.js';
import type { AbortFacts } from './step.js';

/** What one run of a workflow knows of itself at its end. */
export interface RunFacts {
  /** The last attempt of any step. */
  readonly last: StepResult | null;
  /** The last attempt of the step whose claim counts: of the last guarded one, in a workflow without one of the last that ran. */
  readonly work: StepResult | null;
  /** The verdict on that attempt. */
  readonly verdict: Verdict | null;
  /** A person took the result in place of a verdict. */
  readonly accepted: boolean;
  readonly abort: AbortFacts | null;
  /** What was thrown. */
  readonly failure: unknown;
}

/**
 * Three facts about a run that must never be derived from each other: how it ended, whether the work claims to be done, and what an
 * independent judge, or a person in its place, found.
 */
export function outcomeOf(ctx: Ctx, run: RunFacts): RunOutcome {
  return { ended: ended(ctx, run), claimed: run.work?.ok ?? false, verified: verified(run), reason: reason(ctx, run) };
}

const CUT_OFF: readonly (string | null)[] = [STOP.interrupt, Runtime.KILLED];

/** True for a result of a turn that a person or a signal ended. */
export function wasCutOff(result: StepResult): boolean {
  return CUT_OFF.includes(result.error);
}

function ended(ctx: Ctx, { last, abort, failure }: RunFacts): RunOutcome['ended'] {
  if (abort) return abort.ended ?? 'aborted';
  if (failure !== null) return 'failed';
  if (ctx._failed_at === undefined) return 'finished';
  if (last?.error === STOP.budget) return 'budget_exhausted';
  return last && !last.ok && wasCutOff(last) ? 'interrupted' : 'failed';
}

function verified({ accepted, abort, verdict }: RunFacts): RunOutcome['verified'] {
  if (abort?.verified) return abort.verified;
  if (accepted) return 'accepted';
  return verdict?.state || 'not_judged';
}

function reason(ctx: Ctx, { last, failure, verdict }: RunFacts): string {
  if (ctx._aborted !== undefined) return ctx._aborted;
  if (failure !== null) return failure instanceof Error ? failure.message : String(failure);
  const missing = ctx._failed_at === undefined ? [] : [...(ctx._brief_missing ?? []), ...(ctx._goal_missing ?? [])];
  if (last?.ok && missing.length > 0) return missing.join(', ');
  if (last && !last.ok) return last.error ?? '';
  return verdict?.reason ?? '';
}
