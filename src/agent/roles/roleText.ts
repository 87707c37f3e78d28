import { type Locale, type LocaleKey, text } from '../../locale/locale.js';
import type { Effort } from '../agentSpec.js';

/** What every role may be limited by; null stands for no limit of its own. */
export interface Limits {
  /** @default null (the endpoint's own) */
  readonly model?: string | null;
  /** @default null */
  readonly effort?: Effort | null;
  /** Model turns of one query. Each question to the person is a turn. */
  readonly maxTurns?: number | null;
  /** US dollars for one step. */
  readonly maxBudgetUsd?: number | null;
}

/** What every role takes beside its limits. */
export interface RoleOptions extends Limits {
  /** Appended to the rules of the role. @default '' */
  readonly instructions?: string;
  /** The language of the rules. @default the channel's, else the active one */
  readonly locale?: Locale;
}

type RulesKey = Extract<LocaleKey, `rules.${string}`>;

/** The rules of a role, read from the pack now, and what this one is told beside them. */
export function roleText(rules: RulesKey, own: string, locale: Locale | undefined): string {
  return `${text(rules, {}, locale)}\n${own}`.trim();
}

/** The limits alone, out of a role's options. */
export function limitsOf({ model, effort, maxTurns, maxBudgetUsd }: Limits): Limits {
  return { model, effort, maxTurns, maxBudgetUsd };
}
