import type { AgentSpec } from '../agent/agentSpec.js';
import { type JudgeOptions, judge } from '../agent/roles/judge.js';
import { Goal } from '../documents/goal.js';
import { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { activeLocale, type Locale, text } from '../locale/locale.js';
import type { StepResult } from '../runtime/stepResult.js';
import { askFramework } from './askFramework.js';
import { aboutOwnFolders, isAboutRunning, isLong } from './checklist.js';
import type { Ctx } from './ctx.js';
import { frozenEdit } from './frozenEdit.js';
import { beginGoalState, goalState } from './goalState.js';
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

/** Where a goal is kept, and who is asked about it. */
interface Place {
  readonly name: string;
  readonly goalPath: string;
  readonly channel: HumanChannel;
  readonly locale: Locale;
  /** The judge may run commands. */
  readonly canRun: boolean;
}

/**
 * The step that turns the brief into a goal with a checklist and freezes it. Items that nobody can verify here are put to the person
 * before any work is paid for; items about flower's own folders are sent back.
 *
 * @example
 * goalStep(channel, { goalPath: '/home/ann/.flower/notes/goal.md', canRun: true });
 */
export function goalStep(channel: HumanChannel, options: GoalStepOptions): Step {
  const { goalPath, briefKey = 'clarify', name = 'set-goal', alwaysSet = false, onFail, retries = 1 } = options;
  const locale = options.locale ?? activeLocale();
  const spec = options.spec ?? judge(name, channel, { ...options, submit: 'goal' });
  const place: Place = { name, goalPath, channel, locale, canRun: options.canRun ?? false };

  return new Step(name, spec, (ctx) => setPrompt(ctx[briefKey], locale), {
    retries,
    remark: true,
    ...(onFail && { onFail }),
    when: (ctx) => {
      if (alwaysSet) return true;
      const goal = Goal.load(goalPath, { locale });
      if (!goal?.complete()) return true;
      frozenEdit(ctx, goal, { frozen: goalState(ctx, goalPath)?.frozen ?? null, locale });
      fill(ctx, name, goal);
      return false;
    },
    gate: (result, ctx) => freeze(ctx, goalOf(result, locale), place),
    onReject: (result, ctx) => {
      if (!result.handIn && !result.text.trim()) return '';
      const goal = goalOf(result, locale);
      if (!goal.complete()) return text('goal.incomplete', { titles: goal.missing().join(', ') }, locale);
      const items = aboutOwnFolders(goal.checks, ctx._runtime).map((item) => `- ${item}`);
      return text('goal.ownFolders', { items: items.join('\n') }, locale);
    },
    reduce: (result, ctx) => ctx._goal?.promptBlock() ?? result.text,
  });
}

function setPrompt(brief: unknown, locale: Locale): string {
  const known = typeof brief === 'string' && brief ? brief : text('goal.noBrief', {}, locale);
  return text('goal.setPrompt', { brief: known, platform: platformFacts(locale) }, locale);
}

function goalOf(result: StepResult, locale: Locale): Goal {
  return result.handIn?.kind === 'goal' ? result.handIn.document : Goal.parse(result.text, { locale });
}

/** Writes the goal, unless something is missing or does not belong into it. */
async function freeze(ctx: Ctx, goal: Goal, place: Place): Promise<boolean> {
  const { name, goalPath, locale } = place;
  const own = aboutOwnFolders(goal.checks, ctx._runtime);
  ctx._goal_missing = [...goal.missing(), ...own.map((item) => text('goal.ownFolder', { item }, locale))];
  if (ctx._goal_missing.length > 0) return false;
  goal.write(goalPath);
  fill(ctx, name, goal);
  advise(ctx, goal, place);
  const agreed = await agree(ctx, goal, place);
  fill(ctx, name, agreed);
  await beginGoalState(ctx, agreed, place);
  return true;
}

/** What makes a run dear or a verdict weak, while it can still be changed. */
function advise(ctx: Ctx, goal: Goal, { goalPath, canRun, locale }: Place): void {
  const checks = goal.checks.length;
  if (isLong(goal.checks)) {
    const words = text('judging.longList', { n: checks, path: goalPath }, locale);
    ctx._on_event?.(new Event('task', { text: words, payload: { long_list: true, checks, path: goalPath } }));
  }
  const toRun = goal.checks.filter(isAboutRunning).length;
  if (!canRun && toRun > 0) {
    const words = text('goal.advice_run', { k: toRun }, locale);
    ctx._on_event?.(new Event('task', { text: words, payload: { advice: 'judge_can_run', checks: toRun } }));
  }
}

/** Shows what cannot be verified here and lets the person go on, edit the file first, or stop. Nobody there: it goes on and says so. */
async function agree(ctx: Ctx, goal: Goal, { goalPath, channel, locale }: Place): Promise<Goal> {
  const { unverifiable, checks } = goal;
  if (unverifiable.length === 0) return goal;
  const counts = { bad: unverifiable.length, total: checks.length, path: goalPath };
  const payload = { unverifiable, total: checks.length, path: goalPath };
  const notice = [text('goal.unverifiableNotice', counts, locale), ...unverifiable.map((item) => `  · ${item}`)];
  ctx._on_event?.(new Event('task', { text: notice.join('\n'), payload }));

  const choice = await askFramework(channel, text('unverifiable.question', { path: goalPath }, locale), {
    options: ['unverifiable.go', 'unverifiable.stop'],
    unclear: 'unverifiable.go',
    locale,
  });
  if (choice.option === 'unverifiable.stop') {
    const words = text('unverifiable.abort', { bad: unverifiable.length, path: goalPath }, locale);
    throw new StepAbort(words, { verified: 'unreachable' });
  }
  if (choice.option === null) {
    const words = text('unverifiable.alone', { k: unverifiable.length }, locale);
    ctx._on_event?.(new Event('task', { text: words, payload: { going_on: unverifiable.length } }));
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
  delete ctx._goal_missing;
}
