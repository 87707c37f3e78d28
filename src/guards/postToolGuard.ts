import type { HookCallbackMatcher, HookJSONOutput } from '@anthropic-ai/claude-agent-sdk';
import { type ToolCall, toolCall } from './preToolGuard.js';

/**
 * A guard after a tool call. The call has happened, so a failure in here must not become the model's trouble: whatever goes
 * wrong, the result stays as it was.
 */
export function postToolGuard(
  matcher: string,
  act: (call: ToolCall, response: unknown) => HookJSONOutput | Promise<HookJSONOutput>,
): HookCallbackMatcher {
  return {
    matcher,
    hooks: [
      async (input) => {
        try {
          return await act(toolCall(input), 'tool_response' in input ? input.tool_response : undefined);
        } catch {
          return {};
        }
      },
    ],
  };
}
