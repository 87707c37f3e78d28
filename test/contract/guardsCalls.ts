import type { HookCallbackMatcher, HookJSONOutput } from '@anthropic-ai/claude-agent-sdk';

type Fields = Readonly<Record<string, unknown>>;

/** Calls the hook of a matcher as the harness does before a tool. */
export function preToolUse(
  matcher: HookCallbackMatcher,
  tool: string,
  input: Fields = {},
  extra: Fields = {},
): Promise<HookJSONOutput> {
  return call(matcher, { hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, ...extra });
}

/** Calls the hook of a matcher as the harness does after a tool. */
export function postToolUse(
  matcher: HookCallbackMatcher,
  tool: string,
  response: unknown,
  input: Fields = {},
  extra: Fields = {},
): Promise<HookJSONOutput> {
  return call(matcher, {
    hook_event_name: 'PostToolUse',
    tool_name: tool,
    tool_input: input,
    tool_response: response,
    ...extra,
  });
}

/** The words of a denial; null if the answer is none. */
export function denialOf(output: HookJSONOutput): string | null {
  const answer = 'hookSpecificOutput' in output ? output.hookSpecificOutput : undefined;
  if (answer?.hookEventName !== 'PreToolUse' || answer.permissionDecision !== 'deny') return null;
  return answer.permissionDecisionReason ?? '';
}

/** What a result is replaced by; undefined if it is left alone. */
export function replacementOf(output: HookJSONOutput): unknown {
  const answer = 'hookSpecificOutput' in output ? output.hookSpecificOutput : undefined;
  return answer?.hookEventName === 'PostToolUse' ? answer.updatedToolOutput : undefined;
}

function call(matcher: HookCallbackMatcher, input: Fields): Promise<HookJSONOutput> {
  const [hook] = matcher.hooks;
  if (!hook) throw new Error('the matcher has no hook');
  const base = { session_id: 's', transcript_path: '/nowhere', cwd: '/nowhere', tool_use_id: 't' };
  return hook({ ...base, ...input } as Parameters<typeof hook>[0], 't', { signal: new AbortController().signal });
}
