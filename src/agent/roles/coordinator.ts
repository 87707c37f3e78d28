import type { AgentDefinition } from '@anthropic-ai/claude-agent-sdk';
import type { HumanChannel } from '../../human/humanChannel.js';
import { type Locale, text } from '../../locale/locale.js';
import { AgentSpec, type Hooks, type PermissionMode } from '../agentSpec.js';
import type { CompactPolicy } from '../compactPolicy.js';
import { workerTools } from '../toolLists.js';
import { type Limits, limitsOf, roleText } from './roleText.js';

/** The coordinator's rules, in the locale active when this module was loaded. */
export const COORDINATOR_RULES: string = text('rules.coordinator');
/** What a coordinator has in any case. */
export const COORDINATOR_TOOLS: readonly string[] = ['Agent', 'TodoWrite', 'Read'];
/** What a coordinator gets as well if one of its workers has it. */
export const WEB_TOOLS: readonly string[] = ['WebFetch', 'WebSearch'];

/**
 * A coordinator waits for a worker longer than the five minutes that a prompt is kept for otherwise, and then pays for its whole context
 * anew. Keeping it for an hour costs more to write, and is written once. Its workers never wait that long.
 */
const PROMPT_CACHE = { CLAUDE_CODE_PROMPT_CACHE_TTL: '1h', CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL: '5m' };

export interface CoordinatorOptions extends Limits {
  /** Where it asks and hears the person. Without one it has neither `ask` nor `inbox`. @default null */
  readonly channel?: HumanChannel | null;
  /** May it read files itself? @default true */
  readonly canRead?: boolean;
  /** May it run Bash commands that only look? @default true */
  readonly glance?: boolean;
  /** @default 'acceptEdits', which its workers inherit */
  readonly permissionMode?: PermissionMode;
  /** The harness's own compaction. @default null: off while handoff is on */
  readonly compact?: CompactPolicy | null;
  /** @default null */
  readonly hooks?: Hooks | null;
  /** Over the built environment of the harness. @default null */
  readonly env?: Readonly<Record<string, string>> | null;
  /** The language of the rules. @default the channel's, else the active one */
  readonly locale?: Locale;
}

/**
 * The role that splits a job up, dispatches workers and decides, and never touches anything itself: what it is offered on the main
 * thread is this list and nothing of what only its workers may use.
 *
 * @param workers by the name under which they are dispatched
 * @example
 * const spec = coordinator('coordinator', '', { coder: worker('Writes code.', 'You implement.') }, { channel });
 */
export function coordinator(
  name: string,
  instructions: string,
  workers: Readonly<Record<string, AgentDefinition>>,
  options: CoordinatorOptions = {},
): AgentSpec {
  const { channel, canRead = true, glance = true } = options;
  const ofWorkers = Object.values(workers).flatMap(workerTools);
  return new AgentSpec({
    ...limitsOf(options),
    name,
    instructions: roleText('rules.coordinator', instructions, options.locale ?? channel?.locale),
    allowedTools: [
      ...COORDINATOR_TOOLS.filter((tool) => canRead || tool !== 'Read'),
      ...(glance ? ['Bash'] : []),
      ...(channel ? [channel.inboxName, channel.toolName] : []),
      ...WEB_TOOLS.filter((tool) => ofWorkers.includes(tool)),
    ],
    agents: workers,
    mcpServers: channel ? () => channel.mcpServers({ from: { role: name } }) : {},
    permissionMode: options.permissionMode ?? 'acceptEdits',
    hooks: options.hooks,
    compact: options.compact,
    env: { ...PROMPT_CACHE, ...options.env },
    glance,
    delegateOnly: true,
    preset: false,
  });
}
