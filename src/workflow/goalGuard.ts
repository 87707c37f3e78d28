import type { AgentSpec } from '../agent/agentSpec.js';
import { Goal, isMarkedUnverifiable } from '../documents/goal.js';
import { Verdict } from '../documents/verdict.js';
import { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { type Locale, text } from '../locale/locale.js';
import type { StepResult } from '../runtime/stepResult.js';
import { STOP } from '../runtime/turnStop.js';
import type { Ctx } from './ctx.js';
import { amendmentsAt, type GoalState, goalState, lookAtWorkspace, saveGoalState } from './goalState.js';
import { type Decision, JudgeQuestions } from './judgeQuestions.js';
import { wasCutOff } from './outcome.js';
import type { RuntimeLike } from './runtimeLike.js';
import { type Attempt, StepAbort } from './step.js';
import { verdictEvent } from './verdictEvent.js';
import { verifyPrompt } from './verifyPrompt.js';
import { isSameState, type WorkspaceState } from './workspaceState.js';

export interface GoalGuardParts {
  readonly channel: HumanChannel;
  readonly spec: AgentSpec;
  /** The judge's name in the books, without its number. */
  readonly label: string;
  readonly locale: Locale;
  readonly goalPath: string;
  readonly briefPath: string | null;
}

/** What came of a round: passed, not yet, or sent on by a person, who then is not asked about going on once more. */
type Ruling = 'passed' | 'not_yet' | 'again';

/** Decides about each round of the step it guards: has a fresh judge look, rules by what that one found, and asks where no rule decides. */
export class GoalGuard {
  readonly #parts: GoalGuardParts;
  readonly #questions: JudgeQuestions;

  constructor(parts: GoalGuardParts) {
    this.#parts = parts;
    this.#questions = new JudgeQuestions(parts.channel, parts.locale);
  }

  /** True if the round passes. Throws a StepAbort where another round would not help, or nobody is there to say that it would. */
  async passes(work: StepResult, ctx: Ctx, attempt: Attempt | undefined): Promise<boolean> {
    const runtime = this.#runtime(ctx);
    const state = goalState(ctx, this.#parts.goalPath);
    const frozen = state?.frozen ?? ctx._goal?.toMarkdown() ?? null;
    const stored = Goal.load(this.#parts.goalPath, { locale: this.#parts.locale });
    const goal = this.#goal(ctx, stored);
    const goalIsGone = goal !== stored && goal.complete();
    const briefPath = this.#parts.briefPath ?? ctx._brief?.path ?? null;
    const workspace = await lookAtWorkspace(runtime);
    const amendments = amendmentsAt(briefPath, this.#parts.channel);
    const round = { work, goal, goalIsGone, frozen, briefPath, amendments, state, workspace };
    const verdict = await this.#verdict(ctx, goal, await verifyPrompt(ctx, round, this.#parts.locale));

    const ruling = await this.#rule(ctx, goal, verdict);
    const failed = ruling === 'not_yet' ? failedItems(goal, verdict) : null;
    const next = state ?? {
      start: null,
      frozen: frozen ?? goal.toMarkdown(),
      amendments,
      round: null,
    };
    const isLast = attempt !== undefined && attempt.number === attempt.of;
    if (failed && !isLast && workspace && isStuck(next.round, failed, workspace)) {
      const passes = await this.#breakOff(ctx, verdict, failed);
      // A person has decided, so the comparison begins anew. Where nobody has, a later start is asked as well.
      saveGoalState(ctx, this.#parts.goalPath, { ...next, round: null });
      return passes;
    }
    // What a judge's own commands leave behind is no progress of the work.
    const after = failed && this.#canRun() ? await lookAtWorkspace(runtime) : workspace;
    saveGoalState(ctx, this.#parts.goalPath, { ...next, round: failed && after && { failed, workspace: after } });
    return ruling === 'passed';
  }

  /** What stands in the file counts: a person may edit it. */
  #goal(ctx: Ctx, stored: Goal | null): Goal {
    const { locale } = this.#parts;
    const goal = stored?.complete() ? stored : ctx._goal?.complete() ? ctx._goal : new Goal({}, { locale });
    ctx._goal = goal;
    return goal;
  }

  /** The verdict of one judge, of a second one where the first gave no conclusion or passed items without evidence. */
  async #verdict(ctx: Ctx, goal: Goal, prompt: string): Promise<Verdict> {
    const { locale } = this.#parts;
    const first = await this.#judge(ctx, goal, prompt);
    const lacking = first.achieved ? first.lacking(goal.checks.length) : [];
    if (first.ok && lacking.length === 0) return first;
    const hint = lacking.length > 0 ? lackingText(lacking, locale) : '';
    const second = await this.#judge(ctx, goal, [prompt, hint].filter(Boolean).join('\n\n'));
    const stillLacking = second.achieved ? second.lacking(goal.checks.length) : second.ok ? [] : lacking;
    if (stillLacking.length > 0) {
      second.state = 'not_yet';
      second.reason = lackingText(stillLacking, locale);
    }
    return second;
  }

  async #rule(ctx: Ctx, goal: Goal, verdict: Verdict): Promise<Ruling> {
    const { locale } = this.#parts;
    if (!verdict.ok) {
      const decision = await this.#questions.unreadable(verdict);
      verdict.state = 'not_yet';
      verdict.reason = (decision.kind === 'again' && decision.reason) || text('verdict.vague', {}, locale);
      return this.#decided(ctx, goal, verdict, decision);
    }
    // An item that was marked as not verifiable here is never ruled as passed, whatever a judge thinks it has seen.
    if (verdict.achieved && goal.checks.some(isMarkedUnverifiable)) {
      verdict.state = 'unreachable';
      verdict.reason = text('judging.marked', { items: goal.unverifiable.join('; ') }, locale);
    }
    if (verdict.achieved) return 'passed';
    if (verdict.unreachable) return this.#decided(ctx, goal, verdict, await this.#questions.unreachable(verdict));
    verdict.reason ||= text('verdict.vague', {}, locale);
    return 'not_yet';
  }

  /** What follows from a person's decision, or from there being none. */
  async #decided(ctx: Ctx, goal: Goal, verdict: Verdict, decision: Decision): Promise<Ruling> {
    const { locale, goalPath } = this.#parts;
    switch (decision.kind) {
      case 'accept':
        ctx._accepted = true;
        return 'passed';
      case 'change':
        goal.amend(decision.goal).write(goalPath);
        if (goal.hash) ctx._goal_sha256 = goal.hash;
        this.#freezeAnew(ctx, goal);
        verdict.reason = text('goal.humanChanged', { words: goal.promptBlock() }, locale);
        return 'again';
      case 'again':
        verdict.reason = decision.reason || verdict.reason;
        return 'again';
      default: {
        if (!verdict.unreachable) return 'not_yet';
        const reason = verdict.reason || text('verdict.noReason', {}, locale);
        throw new StepAbort(text('goal.abort', { reason, ...this.#places(ctx) }, locale));
      }
    }
  }

  /** Two rounds failed at the same items and changed nothing: a person says whether a third is worth its money. */
  async #breakOff(ctx: Ctx, verdict: Verdict, failed: readonly string[]): Promise<boolean> {
    const decision = await this.#questions.breaker(failed);
    if (decision.kind === 'accept') {
      ctx._accepted = true;
      return true;
    }
    if (decision.kind !== 'again') {
      const items = failed.join('; ') || verdict.reason;
      throw new StepAbort(text('breaker.abort', { items, ...this.#places(ctx) }, this.#parts.locale));
    }
    verdict.reason = decision.reason || verdict.reason;
    return false;
  }

  /** A new session each time: a judge that is resumed defends what it said instead of looking. */
  async #judge(ctx: Ctx, goal: Goal, prompt: string): Promise<Verdict> {
    const { spec, label, locale, channel } = this.#parts;
    const n = (ctx._goal_rounds ?? 0) + 1;
    ctx._goal_rounds = n;
    const stepName = `${label}#${n}`;
    const log = ctx._log;
    const judged = log?.step ?? '';
    if (log) log.step = stepName;
    try {
      ctx._on_event?.(new Event('task', { text: text('judging.looks', { n }, locale), payload: { judging: n } }));
      const result = await this.#runtime(ctx).run(spec, prompt, {
        stepName,
        onEvent: ctx._on_event ?? null,
        checks: goal.checks,
        remark: true,
        channel,
      });
      const verdict = this.#read(result);
      ctx._verdict = verdict;
      ctx._on_event?.(verdictEvent(verdict, n, locale));
      return verdict;
    } finally {
      if (log) log.step = judged;
    }
  }

  /** A judge that failed has not judged. Reading that as "not yet" would pay for another round of work on nothing. */
  #read(result: StepResult): Verdict {
    const { locale } = this.#parts;
    const verdict = result.handIn?.kind === 'verdict' ? result.handIn.document : Verdict.parse(result.text, { locale });
    if (result.ok || (verdict.ok && result.error !== STOP.budget)) return verdict;
    const ended = result.error === STOP.budget ? 'budget_exhausted' : wasCutOff(result) ? 'interrupted' : 'aborted';
    throw new StepAbort(text('goal.judgeFailed', { error: result.error ?? '' }, locale), { ended });
  }

  /** What the person has changed is what counts as frozen from now on. */
  #freezeAnew(ctx: Ctx, goal: Goal): void {
    const { goalPath } = this.#parts;
    const state = goalState(ctx, goalPath);
    if (state) saveGoalState(ctx, goalPath, { ...state, frozen: goal.toMarkdown() });
  }

  #canRun(): boolean {
    return this.#parts.spec.allowedTools.includes('Bash');
  }

  #places(ctx: Ctx): { path: string; manifest: string } {
    return { path: this.#parts.goalPath, manifest: ctx._runtime?.manifestPath ?? '' };
  }

  #runtime(ctx: Ctx): RuntimeLike {
    if (!ctx._runtime) throw new StepAbort(text('goal.noRuntime', {}, this.#parts.locale));
    return ctx._runtime;
  }
}

/** The items that did not pass, in the words of the list, so that a changed list is another failure. */
function failedItems(goal: Goal, verdict: Verdict): string[] {
  const open = verdict.items.filter(({ state }) => state !== 'met');
  if (open.length === 0) return [...verdict.failed];
  return open.map(({ number }) => goal.checks[number - 1] ?? String(number));
}

function isStuck(last: GoalState['round'], failed: readonly string[], workspace: WorkspaceState): boolean {
  if (!last || last.failed.length !== failed.length) return false;
  return failed.every((item) => last.failed.includes(item)) && isSameState(last.workspace, workspace);
}

function lackingText(numbers: readonly number[], locale: Locale): string {
  return text('goal.verifyLacking', { numbers: numbers.join(', ') }, locale);
}
