import type { HookCallback, HookInput } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';
import { type Locale, text } from '../locale/locale.js';
import { STOP, type TurnStop } from './turnStop.js';

/**
 * Keeps the work of a worker that was stopped: the harness gives it an empty report, so its last words take that place, marked as
 * cut short. A worker that ended by itself keeps its report.
 */
export function lastWordsHooks(stop: TurnStop, locale: Locale): Hooks {
  const words = new Map<string, string>();

  const onStop: HookCallback = async (input: HookInput) => {
    if (input.hook_event_name === 'SubagentStop' && stop.stoppedWorkers.has(input.agent_id)) {
      words.set(input.agent_id, input.last_assistant_message?.trim() ?? '');
    }
    return {};
  };

  const onReport: HookCallback = async (input: HookInput) => {
    if (input.hook_event_name !== 'PostToolUse') return {};
    const report = input.tool_response as { agentId?: unknown } | null;
    if (typeof report?.agentId !== 'string' || !stop.stoppedWorkers.has(report.agentId)) return {};
    const said = words.get(report.agentId) || text('worker.noWords', {}, locale);
    const marked =
      stop.reason === STOP.budget
        ? `${text('stop.budget', {}, locale)}\n${said}`
        : text('worker.cutShort', { words: said }, locale);
    const content = [{ type: 'text', text: marked }];
    return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: { ...report, content } } };
  };

  return { SubagentStop: [{ hooks: [onStop] }], PostToolUse: [{ matcher: 'Agent', hooks: [onReport] }] };
}
