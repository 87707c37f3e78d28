import type { HookCallback, HookInput } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { text } from '../locale/locale.js';

/**
 * Gives urgent mail to every worker that runs when it is sent, once each, with the result of its next tool call. A worker that starts
 * later is told by its task: that comes from the main thread, which gets the mail as well.
 */
export function urgentMailHooks(channel: HumanChannel): Hooks {
  const before = channel.mail.length;
  /** How much of the channel's mail each worker has been told, or was older than the worker. */
  const told = new Map<string, number>();

  const onStart: HookCallback = async (input: HookInput) => {
    if (input.hook_event_name === 'SubagentStart') told.set(input.agent_id, channel.mail.length);
    return {};
  };

  const onResult: HookCallback = async (input: HookInput) => {
    const { hook_event_name: hookEventName, agent_id: worker } = input;
    if (!worker || (hookEventName !== 'PostToolUse' && hookEventName !== 'PostToolUseFailure')) return {};
    const urgent = channel.mail.slice(told.get(worker) ?? before).filter((mail) => mail.workers);
    told.set(worker, channel.mail.length);
    if (urgent.length === 0) return {};
    const words = [text('mail.urgent', {}, channel.locale), ...urgent.map((mail) => mail.text)].join('\n');
    return { hookSpecificOutput: { hookEventName, additionalContext: words } };
  };

  return {
    SubagentStart: [{ hooks: [onStart] }],
    PostToolUse: [{ hooks: [onResult] }],
    PostToolUseFailure: [{ hooks: [onResult] }],
  };
}
