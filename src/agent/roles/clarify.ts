import type { HumanChannel } from '../../human/humanChannel.js';
import { text } from '../../locale/locale.js';
import { AgentSpec } from '../agentSpec.js';
import { limitsOf, type RoleOptions, roleText } from './roleText.js';

/** The clarifier's rules, in the locale active when this module was loaded. */
export const CLARIFIER_RULES: string = text('rules.clarifier');

export interface ClarifyOptions extends RoleOptions {
  /** May it read the workspace and look things up, instead of asking what the code can tell? @default true */
  readonly canRead?: boolean;
}

/**
 * The role that asks a person until the requirement is clear and hands in a brief. It cannot write, run or dispatch. A small
 * `maxTurns` ends the asking early and silently, as each question is a turn.
 *
 * @example
 * const spec = clarify('clarify', channel, { instructions: 'The users are nurses on night shift.' });
 */
export function clarify(name: string, channel: HumanChannel, options: ClarifyOptions = {}): AgentSpec {
  const { canRead = true } = options;
  return new AgentSpec({
    ...limitsOf(options),
    name,
    instructions: roleText('rules.clarifier', options.instructions ?? '', options.locale ?? channel.locale),
    allowedTools: [channel.toolName, ...(canRead ? ['Read', 'Glob', 'Grep', 'WebFetch', 'WebSearch'] : [])],
    mcpServers: () => channel.mcpServers({ from: { role: name }, inbox: false }),
    workbench: false,
    submit: 'brief',
  });
}
