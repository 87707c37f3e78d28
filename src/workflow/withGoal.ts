import type { AgentSpec } from '../agent/agentSpec.js';
import { type JudgeOptions, judge } from '../agent/roles/judge.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { activeLocale, type Locale } from '../locale/locale.js';
import { GoalGuard } from './goalGuard.js';
import type { Step } from './step.js';

export interface WithGoalOptions extends Omit<JudgeOptions, 'submit'> {
  /** The frozen goal. What stands in the file counts. */
  readonly goalPath: string;
  /** The frozen brief, named to the judge. @default the one that the clarify step has frozen */
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
 * back to the worker; what cannot be verified here goes to the person, and so do two rounds that failed alike and changed nothing;
 * only a verdict with evidence for every item passes.
 *
 * @example
 * withGoal(new Step('work', coder, prompt), channel, { goalPath, rounds: 3 });
 */
export function withGoal<Values extends object = Record<string, unknown>>(
  step: Step<Values>,
  channel: HumanChannel,
  options: WithGoalOptions,
): Step<Values> {
  const label = options.name ?? `${step.name}·verdict`;
  const locale = options.locale ?? activeLocale();
  const spec = options.spec ?? judge(label, channel, { ...options, submit: 'verdict' });
  const { goalPath, briefPath = null } = options;
  const guard = new GoalGuard({ channel, spec, label, locale, goalPath, briefPath });
  return step.with({
    guarded: true,
    retries: Math.max(0, (options.rounds ?? 3) - 1),
    gate: (result, ctx, attempt) => guard.passes(result, ctx, attempt),
    onReject: (_result, ctx) => ctx._verdict?.feedback() ?? '',
  });
}
