/**
 * flower: long coding-agent work on the Claude Agent SDK. The public names of the library, one by one. The scripted model is
 * `flower-agent/sim`, the terminal's layer `flower-agent/terminal`.
 */

// Agents
export { AgentSpec, type AgentSpecInit, type Hooks } from './agent/agentSpec.js';
export { type BuildOptions, buildOptions } from './agent/buildOptions.js';
export { CompactPolicy } from './agent/compactPolicy.js';
export { HandoffPolicy } from './agent/handoffPolicy.js';
export { CLARIFIER_RULES, type ClarifyOptions, clarify } from './agent/roles/clarify.js';
export {
  COORDINATOR_RULES,
  COORDINATOR_TOOLS,
  type CoordinatorOptions,
  coordinator,
  WEB_TOOLS,
} from './agent/roles/coordinator.js';
export { JUDGE_RULES, type JudgeOptions, judge } from './agent/roles/judge.js';
export { ORACLE_RULES, oracle } from './agent/roles/oracle.js';
export { WORKER_RULES, type WorkerOptions, worker } from './agent/roles/worker.js';
export { WORKER_TOOLS } from './agent/toolLists.js';
// What is kept
export { Books } from './books/books.js';
export { Lineage } from './books/lineage.js';
export type { EventRow, ManifestRow, RunOutcome, RunOutcome as Outcome } from './books/types.js';
// Credentials
export { checkCredentials } from './credentials/checkCredentials.js';
export { describeEnv } from './credentials/describeEnv.js';
export { loadDotenv } from './credentials/loadDotenv.js';
export { userEnvPath } from './credentials/userEnvPath.js';
export { pathProjectKey } from './database/projectKey.js';
export { acquireRunLock, lockHolder, type RunLock } from './database/runLock.js';
// Documents
export { Brief } from './documents/brief.js';
export { Goal } from './documents/goal.js';
export { HAND_IN_TOOLS, type HandIn, type HandInKind } from './documents/handIn.js';
export { degraded, Handoff, handoffPrompt } from './documents/handoff.js';
export { isOverflow } from './documents/isOverflow.js';
export { ACHIEVED, NOT_YET, UNREACHABLE, Verdict } from './documents/verdict.js';
// Errors and events
export { FlowerError } from './errors.js';
export { Event, type EventInit, type EventKind } from './events/event.js';
export { normalize } from './events/normalize.js';
// Guards
export { delegateGuard } from './guards/delegateGuard.js';
export { indexGuard } from './guards/indexGuard.js';
export { isolated, isolateGuard, wantsIsolation } from './guards/isolate.js';
export { mergeHooks } from './guards/mergeHooks.js';
export { spillGuard } from './guards/spillGuard.js';
export { BULKY, HANDS_ON, WRITE_ONLY } from './guards/toolNames.js';
export { whitelistGuard } from './guards/whitelistGuard.js';
export { workbenchHooks } from './guards/workbenchHooks.js';
// The person
export { Ask, type AskState } from './human/ask.js';
export { HumanChannel } from './human/humanChannel.js';
export type { AskOptions, HumanChannelOptions } from './human/humanChannelOptions.js';
export { interruptWithWords } from './human/interruptWithWords.js';
export { Mail, type Mailbox, type MailKept } from './human/mail.js';
export { type Note, Notifier } from './human/notifier.js';
// Language
export { activeLocale, type Locale, localeOf, setLocale } from './locale/locale.js';
export { Aside, type AsideAnswer } from './runtime/aside.js';
// Running
export { Resilience, type ResilienceOptions } from './runtime/resilience.js';
export type { RoleUsage } from './runtime/roleUsage.js';
export { Runtime } from './runtime/runtime.js';
export type { RuntimeOptions } from './runtime/runtimeOptions.js';
export { StepResult } from './runtime/stepResult.js';
export type { RunOptions } from './runtime/stepRun.js';
export { ephemeralVerdict, isEphemeral } from './shell/isEphemeral.js';
export { dropBlocks } from './store/curate/dropBlocks.js';
export { heal, healOrphans } from './store/curate/heal.js';
export type { Mended } from './store/curate/mended.js';
export { isApiError, isDenial, isInterruptResult } from './store/curate/recognise.js';
export { relink } from './store/curate/relink.js';
export { validate } from './store/curate/validate.js';
export type { CurationOptions } from './store/curatedStore.js';
export { EphemeralPolicy } from './store/ephemeralPolicy.js';
export type { LoadReport } from './store/loadReport.js';
export { trimReport } from './store/loadReport.js';
export { PrunePolicy } from './store/prunePolicy.js';
export type { PruningOptions } from './store/pruningSessionStore.js';
export { PruningSessionStore } from './store/pruningSessionStore.js';
export { SqliteSessionStore } from './store/sqliteSessionStore.js';
export type { StoreFault, StoreQueries } from './store/storeQueries.js';
export { TrimmingSessionStore } from './store/trimmingSessionStore.js';
export { TrimPolicy } from './store/trimPolicy.js';
export { Workbench, type WorkbenchOptions } from './workbench/workbench.js';
// Workflows
export { CLARIFY_RESUME, type ClarifyStepOptions, clarifyStep } from './workflow/clarifyStep.js';
export {
  BRIEF_HASH_KEY,
  BRIEF_KEY,
  type Ctx,
  GOAL_HASH_KEY,
  GOAL_KEY,
  MISSING_KEY,
  OUTCOME_KEY,
  ROUND_KEY,
  STATE_KEY,
  VERDICT_KEY,
} from './workflow/ctx.js';
export { type GoalStepOptions, goalStep } from './workflow/goalStep.js';
export type { CostRow, ReportItem, RunReport } from './workflow/report.js';
export type { RuntimeLike } from './workflow/runtimeLike.js';
export { type StarterOptions, starterFlow } from './workflow/starterFlow.js';
export { type AbortFacts, type Attempt, Step, StepAbort, type StepOptions } from './workflow/step.js';
export { type WakeOptions, type WakeState, wakeState } from './workflow/wakeState.js';
export { type WithGoalOptions, withGoal } from './workflow/withGoal.js';
export { Workflow, type WorkflowOptions, type WorkflowRunOptions } from './workflow/workflow.js';
