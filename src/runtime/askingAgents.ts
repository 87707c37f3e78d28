import type { HookCallback } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';
import type { HumanChannel } from '../human/humanChannel.js';

/** Tells a channel which worker a question comes from: the call that asks it does not say, only the hook before it does. */
export function askingAgentsHooks(channel: HumanChannel): Hooks {
  const onAsk: HookCallback = async (input) => {
    if (input.hook_event_name === 'PreToolUse' && input.agent_id) {
      channel.noteCaller(input.tool_use_id, { role: input.agent_type ?? '?', agentId: input.agent_id });
    }
    return {};
  };
  return { PreToolUse: [{ matcher: channel.toolName, hooks: [onAsk] }] };
}
