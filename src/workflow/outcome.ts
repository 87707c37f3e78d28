import type { RunOutcome } from '../books/types.js';
import { Runtime } from '../runtime/runtime.js';
import type { StepResult } from '../runtime/stepResult.js';
import { STOP } from '../runtime/turnStop.js';
import type { Ctx } from './ctx.js';

/**
 * Three facts about a run that must never be derived from each other: how it ended, whether the work claims to be done, and what an
 * independent judge, or a person in its place, found.
 */
export function outcomeOf(ctx: Ctx, run: { readonly last: StepResult | null; readonly failure: unknown }): RunOutcome {
  return {
    ended: ended(ctx, run),
    claimed: run.last?.ok ?? false,
    verified: verified(ctx),
    reason: reason(ctx, run),
  };
}

const CUT_OFF: readonly (string | null)[] = [STOP.interrupt, Runtime.KILLED];

function ended(ctx: Ctx, run: { readonly last: StepResult | null; readonly failure: unknown }): RunOutcome['ended'] {
  if (ctx._out_of_budget) return 'budget_exhausted';
  if (run.last && !run.last.ok && CUT_OFF.includes(run.last.error)) return 'interrupted';
  if (ctx._aborted !== undefined) return 'aborted';
  return run.failure !== null || ctx._failed_at !== undefined ? 'failed' : 'finished';
}

function verified(ctx: Ctx): RunOutcome['verified'] {
  if (ctx._accepted) return 'accepted';
  const verdict = ctx._verdict;
  if (!verdict?.ok) return 'not_judged';
  return verdict.state === '' ? 'not_judged' : verdict.state;
}

function reason(ctx: Ctx, run: { readonly last: StepResult | null; readonly failure: unknown }): string {
  if (ctx._aborted !== undefined) return ctx._aborted;
  if (run.failure !== null) return run.failure instanceof Error ? run.failure.message : String(run.failure);
  if (ctx._failed_at !== undefined && ctx._brief_missing?.length) return ctx._brief_missing.join(', ');
  if (run.last && !run.last.ok) return run.last.error ?? '';
  return ctx._verdict?.reason ?? '';
}
