import type { HumanChannel } from '../../human/humanChannel.js';
import { text } from '../../locale/locale.js';
import { AgentSpec } from '../agentSpec.js';
import { limitsOf, type RoleOptions, roleText } from './roleText.js';

/** The judge's rules, in the locale active when this module was loaded. */
export const JUDGE_RULES: string = text('rules.judge');

export interface JudgeOptions extends RoleOptions {
  /** May it run commands? A verdict on a built thing needs it; but then the judge could change the workspace. @default false */
  readonly canRun?: boolean;
  /** Which of its two jobs this session has: it hands in the goal or the verdict. @default 'verdict' */
  readonly submit?: 'goal' | 'verdict';
}

/**
 * The role that sets the goal and rules on each round. It changes nothing, asks the person where looking does not help, and has no
 * part in the work.
 *
 * @throws {TypeError} for another `submit`
 * @example
 * const spec = judge('work·verdict', channel, { canRun: true });
 */
export function judge(name: string, channel: HumanChannel, options: JudgeOptions = {}): AgentSpec {
  const { canRun = false, submit = 'verdict' } = options;
  if (submit !== 'goal' && submit !== 'verdict') {
    throw new TypeError(`judge: submit must be 'goal' or 'verdict', got ${JSON.stringify(submit)}`);
  }
  return new AgentSpec({
    ...limitsOf(options),
    name,
    instructions: roleText('rules.judge', options.instructions ?? '', options.locale ?? channel.locale),
    allowedTools: [channel.toolName, 'Read', 'Glob', 'Grep', ...(canRun ? ['Bash'] : [])],
    mcpServers: () => channel.mcpServers({ from: { role: name }, inbox: false }),
    workbench: false,
    submit,
  });
}
