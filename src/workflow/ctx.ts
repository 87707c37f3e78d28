import type { Lineage } from '../books/lineage.js';
import type { RunOutcome } from '../books/types.js';
import type { Brief } from '../documents/brief.js';
import type { Goal } from '../documents/goal.js';
import type { Verdict } from '../documents/verdict.js';
import type { Event } from '../events/event.js';
import type { StepResult } from '../runtime/stepResult.js';
import type { EventLog } from './eventLog.js';
import type { GoalState } from './goalState.js';
import type { RunReport } from './report.js';
import type { RoundCommands } from './roundCommands.js';
import type { RuntimeLike } from './runtimeLike.js';

export const BRIEF_KEY = '_brief';
export const BRIEF_HASH_KEY = '_brief_sha256';
export const MISSING_KEY = '_brief_missing';
export const GOAL_KEY = '_goal';
export const GOAL_HASH_KEY = '_goal_sha256';
export const VERDICT_KEY = '_verdict';
export const ROUND_KEY = '_goal_rounds';
export const STATE_KEY = '_goal_state';
export const OUTCOME_KEY = '_outcome';

/**
 * What the steps of a workflow share: under each step's name the value that it gave, under names with an underscore what the
 * framework keeps there. A name may be absent: its step was skipped or failed. With a type for the values (a type alias, not an
 * interface) the compiler knows the names.
 *
 * @example
 * const ctx = await workflow.run(runtime);
 * if (ctx._outcome?.verified === 'achieved') console.log(ctx.work);
 */
export type Ctx<Values extends object = Record<string, unknown>> = Values & FrameworkKeys;

/** What the framework keeps in `ctx`. */
export type FrameworkKeys = {
  _runtime?: RuntimeLike;
  _on_event?: (event: Event) => void;
  /** The log that `_on_event` writes to. */
  _log?: EventLog;
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
  /** What is known of the run at its end. */
  _report?: RunReport;
  /** Where it was written. */
  _report_path?: string;
  _brief?: Brief;
  _brief_sha256?: string;
  /** Titles of the brief's sections that are still empty. */
  _brief_missing?: string[];
  _goal?: Goal;
  _goal_sha256?: string;
  /** What a goal that was handed in lacks. */
  _goal_missing?: string[];
  /** How the workspace was when the goal was set, and after the last round. */
  _goal_state?: GoalState;
  _verdict?: Verdict;
  /** Judges so far. */
  _goal_rounds?: number;
  /** The commands of the work round that runs or ran last. */
  _commands?: RoundCommands;
  /** A person took the result in place of a verdict. */
  _accepted?: boolean;
  /** Edits of frozen files that the person has been told of, by path and hash. */
  _edits_told?: string[];
};
