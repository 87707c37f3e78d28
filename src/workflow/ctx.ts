import type { Lineage } from '../books/lineage.js';
import type { RunOutcome } from '../books/types.js';
import type { Brief } from '../documents/brief.js';
import type { Goal } from '../documents/goal.js';
import type { Verdict } from '../documents/verdict.js';
import type { Event } from '../events/event.js';
import type { StepResult } from '../runtime/stepResult.js';
import type { RuntimeLike } from './runtimeLike.js';

export const BRIEF_KEY = '_brief';
export const BRIEF_HASH_KEY = '_brief_sha256';
export const MISSING_KEY = '_brief_missing';
export const GOAL_KEY = '_goal';
export const GOAL_HASH_KEY = '_goal_sha256';
export const VERDICT_KEY = '_verdict';
export const ROUND_KEY = '_goal_rounds';
export const OUTCOME_KEY = '_outcome';

/**
 * What the steps of a workflow share: under each step's name the value that it gave, under names with an underscore what the
 * framework keeps there. A name may be absent: its step was skipped or failed.
 *
 * @example
 * const ctx = await workflow.run(runtime);
 * if (ctx._outcome?.verified === 'achieved') console.log(ctx.work);
 */
export interface Ctx {
  [step: string]: unknown;
  _runtime?: RuntimeLike;
  _on_event?: (event: Event) => void;
  /** Step name to the session that goes on. */
  _sessions?: Record<string, string>;
  _results?: Record<string, StepResult>;
  _lineage?: Lineage;
  /** How often work began in this directory, this time included. */
  _woke?: number;
  /** The message of a StepAbort. */
  _aborted?: string;
  /** The step at which the workflow ended. */
  _failed_at?: string;
  _outcome?: RunOutcome;
  _brief?: Brief;
  _brief_sha256?: string;
  _brief_missing?: string[];
  _goal?: Goal;
  _goal_sha256?: string;
  _verdict?: Verdict;
  _goal_rounds?: number;
  /** A person took the result in place of a verdict. */
  _accepted?: boolean;
  /** The run's budget is used up. */
  _out_of_budget?: boolean;
}
