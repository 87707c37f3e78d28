import type { AgentSpec } from '../agent/agentSpec.js';
import { type JudgeOptions, judge } from '../agent/roles/judge.js';
import { Goal } from '../documents/goal.js';
import { Verdict } from '../documents/verdict.js';
import { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { activeLocale, type Locale, text } from '../locale/locale.js';
import type { StepResult } from '../runtime/stepResult.js';
import { STOP } from '../runtime/turnStop.js';
import { askFramework } from './askFramework.js';
import type { Ctx } from './ctx.js';
import { platformFacts } from './platformFacts.js';
import { type Step, StepAbort } from './step.js';

export interface WithGoalOptions extends Omit<JudgeOptions, 'submit'> {
  /** The frozen goal. What stands in the file counts. */
  readonly goalPath: string;
  /** The frozen brief, named to the judge. */
  readonly briefPath?: string | null;
  /** @default the judge */
  readonly spec?: AgentSpec | null;
  /** Work rounds in all, the first one included. @default 3 */
  readonly rounds?: number;
  /** The judge's label. @default '<step>·verdict' */
  readonly name?: string;
  readonly locale?: Locale;
}

/**
 * Puts a step under an independent judge: after each round a fresh session looks at the work itself and rules. What is missing goes
 * back to the worker; what cannot be verified here goes to the person; only a verdict with evidence for every item passes.
 *
 * @example
 * withGoal(new Step('work', coder, prompt), channel, { goalPath, rounds: 3 });
 */
export function withGoal(step: Step, channel: HumanChannel, options: WithGoalOptions): Step {
  const label = options.name ?? `${step.name}·verdict`;
  const locale = options.locale ?? activeLocale();
  const spec = options.spec ?? judge(label, channel, { ...options, submit: 'verdict' });
  const guard = new GoalGuard({
    channel,
    spec,
    label,
    locale,
    goalPath: options.goalPath,
    briefPath: options.briefPath ?? null,
  });
  return step.with({
    retries: Math.max(0, (options.rounds ?? 3) - 1),
    gate: (result, ctx) => guard.passes(result, ctx),
    onReject: (_result, ctx) => ctx._verdict?.feedback() ?? '',
  });
}

interface GuardParts {
  readonly channel: HumanChannel;
  readonly spec: AgentSpec;
  readonly label: string;
  readonly locale: Locale;
  readonly goalPath: string;
  readonly briefPath: string | null;
}

class GoalGuard {
  readonly #parts: GuardParts;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  async passes(work: StepResult, ctx: Ctx): Promise<boolean> {
    const { locale, goalPath } = this.#parts;
    if (!ctx._runtime) throw new StepAbort(text('goal.noRuntime', {}, locale));
    const stored = Goal.load(goalPath, { locale });
    const goal = stored?.complete() ? stored : ctx._goal?.complete() ? ctx._goal : new Goal({}, { locale });
    ctx._goal = goal;

    const prompt = this.#prompt(goal, work);
    let verdict = await this.#judge(ctx, goal, prompt);
    const lacking = verdict.achieved ? verdict.lacking(goal.checks.length) : [];
    if (!verdict.ok || lacking.length > 0) {
      // At most one second look a round: either nothing could be read, or items were passed without evidence.
      const hint = lacking.length > 0 ? text('goal.verifyLacking', { numbers: lacking.join(', ') }, locale) : '';
      verdict = await this.#judge(ctx, goal, [prompt, hint].filter(Boolean).join('\n\n'));
    }
    return this.#rule(ctx, goal, verdict);
  }

  async #rule(ctx: Ctx, goal: Goal, verdict: Verdict): Promise<boolean> {
    const { locale } = this.#parts;
    if (!verdict.ok) return this.#askUnreadable(ctx, verdict);
    if (verdict.unreachable) return this.#askUnreachable(ctx, goal, verdict);
    if (verdict.achieved) {
      const lacking = verdict.lacking(goal.checks.length);
      if (lacking.length === 0) return true;
      verdict.state = 'not_yet';
      verdict.reason = text('goal.verifyLacking', { numbers: lacking.join(', ') }, locale);
    }
    verdict.reason ||= text('verdict.vague', {}, locale);
    return false;
  }

  /** A new session each time: a judge that is resumed defends what it said instead of looking. */
  async #judge(ctx: Ctx, goal: Goal, prompt: string): Promise<Verdict> {
    const { spec, label, locale, channel } = this.#parts;
    const n = (ctx._goal_rounds ?? 0) + 1;
    ctx._goal_rounds = n;
    ctx._on_event?.(new Event('task', { text: text('judging.looks', { n }, locale), payload: { judging: n } }));
    const result = await this.#runtime(ctx).run(spec, prompt, {
      stepName: `${label}#${n}`,
      onEvent: ctx._on_event ?? null,
      checks: goal.checks,
      remark: true,
      channel,
    });
    if (result.error === STOP.budget) {
      ctx._out_of_budget = true;
      throw new StepAbort(text('goal.judgeFailed', { error: STOP.budget }, locale));
    }
    const verdict = result.handIn?.kind === 'verdict' ? result.handIn.document : Verdict.parse(result.text, { locale });
    if (!result.ok && !verdict.ok) throw new StepAbort(text('goal.judgeFailed', { error: result.error ?? '' }, locale));
    ctx._verdict = verdict;
    ctx._on_event?.(verdictEvent(verdict, n, locale));
    return verdict;
  }

  #prompt(goal: Goal, work: StepResult): string {
    const { locale, briefPath, goalPath } = this.#parts;
    const parts = [
      text(
        'goal.verifyPrompt',
        {
          goal: goal.complete() ? goal.promptBlock() : text('goal.none', {}, locale),
          reply: work.text || text('goal.noReply', {}, locale),
          platform: platformFacts(locale),
          brief: briefPath ?? text('goal.noBrief', {}, locale),
        },
        locale,
      ),
      goal.edited ? text('goal.verifyEdited', { path: goalPath }, locale) : '',
    ];
    return parts.filter(Boolean).join('\n\n');
  }

  async #askUnreadable(ctx: Ctx, verdict: Verdict): Promise<boolean> {
    const { channel, locale } = this.#parts;
    const shown = verdict.reason || text('verdict.noReason', {}, locale);
    const answer = await askFramework(channel, text('unreadable.question', { text: shown }, locale), {
      options: ['unreadable.met', 'unreadable.notMet'],
      unclear: 'unreadable.notMet',
      locale,
    });
    if (answer.option === 'unreadable.met') return accept(ctx);
    verdict.reason = answer.words || text('verdict.vague', {}, locale);
    return false;
  }

  async #askUnreachable(ctx: Ctx, goal: Goal, verdict: Verdict): Promise<boolean> {
    const { channel, locale, goalPath } = this.#parts;
    const reason = verdict.reason || text('verdict.noReason', {}, locale);
    const answer = await askFramework(channel, text('unreachable.question', { reason }, locale), {
      options: ['unreachable.accept', 'unreachable.change', 'unreachable.misjudged'],
      unclear: 'unreachable.misjudged',
      locale,
    });
    if (answer.option === null) {
      const manifest = this.#runtime(ctx).manifestPath ?? '';
      throw new StepAbort(text('goal.abort', { reason, path: goalPath, manifest }, locale));
    }
    if (answer.option === 'unreachable.accept') return accept(ctx);
    if (answer.option === 'unreachable.change') {
      const wanted = await channel.ask(text('unreachable.newGoal', {}, locale), null, { exempt: true });
      if (wanted.state === 'answered' && wanted.answer.trim()) {
        goal.amend(wanted.answer).write(goalPath);
        if (goal.hash) ctx._goal_sha256 = goal.hash;
        verdict.reason = text('goal.humanChanged', { words: goal.promptBlock() }, locale);
      }
      return false;
    }
    verdict.reason = text('goal.humanDisagrees', { words: answer.words }, locale);
    return false;
  }

  #runtime(ctx: Ctx): NonNullable<Ctx['_runtime']> {
    if (!ctx._runtime) throw new StepAbort(text('goal.noRuntime', {}, this.#parts.locale));
    return ctx._runtime;
  }
}

function accept(ctx: Ctx): true {
  ctx._accepted = true;
  return true;
}

/** What the judge found, for the person: the ruling with its reason, then each item with its evidence. */
function verdictEvent(verdict: Verdict, n: number, locale: Locale): Event {
  const state = text(STATE_WORDS[verdict.state || 'not_yet'], {}, locale);
  const { reason, items } = verdict;
  const head = reason
    ? text('judging.reason', { n, state, reason }, locale)
    : text('judging.ruled', { n, state }, locale);
  const lines = items.map(({ number, state: found, evidence }) =>
    text('judging.item', { number, state: text(`verdict.item.${found}`, {}, locale), evidence }, locale),
  );
  return new Event('task', {
    text: [head, ...lines].join('\n'),
    payload: { verdict: verdict.state, n, items, reason },
  });
}

const STATE_WORDS = {
  achieved: 'verdict.state.achieved',
  not_yet: 'verdict.state.notYet',
  unreachable: 'verdict.state.unreachable',
} as const;
