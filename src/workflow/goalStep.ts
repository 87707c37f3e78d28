import type { AgentSpec } from '../agent/agentSpec.js';
import { type JudgeOptions, judge } from '../agent/roles/judge.js';
import { Goal } from '../documents/goal.js';
import { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { activeLocale, type Locale, text } from '../locale/locale.js';
import { askFramework } from './askFramework.js';
import type { Ctx } from './ctx.js';
import { platformFacts } from './platformFacts.js';
import { Step, StepAbort, type StepOptions } from './step.js';

export interface GoalStepOptions extends Omit<JudgeOptions, 'submit'> {
  /** Where the frozen goal lies. */
  readonly goalPath: string;
  /** The key in `ctx` that holds the brief's text. @default 'clarify' */
  readonly briefKey?: string;
  /** @default 'set-goal' */
  readonly name?: string;
  /** @default the judge, told to hand in a goal */
  readonly spec?: AgentSpec | null;
  /** Set the goal although there is a complete one. @default false */
  readonly alwaysSet?: boolean;
  readonly onFail?: StepOptions['onFail'];
  /** Further attempts for an incomplete goal. @default 1 */
  readonly retries?: number;
  readonly locale?: Locale;
}

/**
 * The step that turns the brief into a goal with a checklist and freezes it. Items that nobody can verify here are put to the person
 * before any work is paid for.
 *
 * @example
 * goalStep(channel, { goalPath: '/work/.flower/notes/goal.md', canRun: true });
 */
export function goalStep(channel: HumanChannel, options: GoalStepOptions): Step {
  const { goalPath, briefKey = 'clarify', name = 'set-goal', alwaysSet = false, onFail, retries = 1 } = options;
  const locale = options.locale ?? activeLocale();
  const spec = options.spec ?? judge(name, channel, { ...options, submit: 'goal' });
  let missing: string[] = [];

  return new Step(name, spec, (ctx) => setPrompt(ctx[briefKey], locale), {
    retries,
    remark: true,
    ...(onFail && { onFail }),
    when: (ctx) => {
      if (alwaysSet) return true;
      const goal = Goal.load(goalPath, { locale });
      if (!goal?.complete()) return true;
      fill(ctx, name, goal);
      return false;
    },
    gate: async (result, ctx) => {
      const goal = result.handIn?.kind === 'goal' ? result.handIn.document : Goal.parse(result.text, { locale });
      missing = goal.missing();
      if (!goal.complete()) return false;
      goal.write(goalPath);
      fill(ctx, name, await agreed(ctx, goal, { goalPath, channel, locale }));
      return true;
    },
    onReject: (result) =>
      result.handIn || result.text.trim() ? text('goal.incomplete', { titles: missing.join(', ') }, locale) : '',
    reduce: (result, ctx) => ctx._goal?.promptBlock() ?? result.text,
  });
}

function setPrompt(brief: unknown, locale: Locale): string {
  const known = typeof brief === 'string' && brief ? brief : text('goal.noBrief', {}, locale);
  return text('goal.setPrompt', { brief: known, platform: platformFacts(locale) }, locale);
}

/** Shows what cannot be verified here and lets the person go on, edit the file first, or stop. Nobody there: it goes on and says so. */
async function agreed(
  ctx: Ctx,
  goal: Goal,
  where: { goalPath: string; channel: HumanChannel; locale: Locale },
): Promise<Goal> {
  const { goalPath, channel, locale } = where;
  const bad = goal.unverifiable;
  if (bad.length === 0) return goal;
  const payload = { unverifiable: bad, total: goal.checks.length, path: goalPath };
  const notice = text(
    'goal.unverifiableNotice',
    { bad: bad.length, total: goal.checks.length, path: goalPath },
    locale,
  );
  ctx._on_event?.(new Event('task', { text: [notice, ...bad.map((item) => `  · ${item}`)].join('\n'), payload }));

  const choice = await askFramework(channel, text('unverifiable.question', { path: goalPath }, locale), {
    options: ['unverifiable.go', 'unverifiable.stop'],
    unclear: 'unverifiable.go',
    locale,
  });
  if (choice.option === 'unverifiable.stop') {
    throw new StepAbort(text('unverifiable.abort', { bad: bad.length, path: goalPath }, locale));
  }
  if (choice.option === null) {
    ctx._on_event?.(new Event('task', { text: text('unverifiable.alone', { k: bad.length }, locale), payload }));
    return goal;
  }
  // The file may have been edited while the question was open: what stands there now is what was agreed to.
  const edited = Goal.load(goalPath, { locale });
  if (!edited?.complete()) return goal;
  edited.write(goalPath);
  return edited;
}

function fill(ctx: Ctx, name: string, goal: Goal): void {
  ctx._goal = goal;
  if (goal.hash) ctx._goal_sha256 = goal.hash;
  ctx[name] = goal.promptBlock();
}
