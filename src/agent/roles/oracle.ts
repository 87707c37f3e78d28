import { activeLocale, text } from '../../locale/locale.js';
import { AgentSpec } from '../agentSpec.js';
import { limitsOf, type RoleOptions, roleText } from './roleText.js';

/** The oracle's rules, in the locale active when this module was loaded. */
export const ORACLE_RULES: string = text('rules.oracle');

/**
 * The role that answers a question beside a run: it reads, answers and is discarded. It has no channel, since it never asks. Run it
 * on a Runtime of its own, or its rows and sessions get among those of the run. Unless told otherwise it stops after 12 turns or 0.5 US
 * dollars.
 *
 * @param name @default the locale's word for it
 * @example
 * const spec = oracle();
 */
export function oracle(name?: string, options: RoleOptions = {}): AgentSpec {
  const locale = options.locale ?? activeLocale();
  return new AgentSpec({
    ...limitsOf(options),
    maxTurns: options.maxTurns === undefined ? 12 : options.maxTurns,
    maxBudgetUsd: options.maxBudgetUsd === undefined ? 0.5 : options.maxBudgetUsd,
    name: name ?? text('role.oracle', {}, locale),
    instructions: roleText('rules.oracle', options.instructions ?? '', locale),
    allowedTools: ['Read', 'Glob', 'Grep'],
  });
}
