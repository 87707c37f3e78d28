import type { HookCallbackMatcher, HookJSONOutput } from '@anthropic-ai/claude-agent-sdk';
import { deny, type FailClosedOptions, failClosedMatcher } from './failClosed.js';

/** The call that a guard judges: the part of the hook's input that guards use. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** No agent id: the only test for the main thread. The agent type says nothing, a main thread can have one too. */
  readonly mainThread: boolean;
  /** The role of the worker that calls, `''` if it is not named. */
  readonly agentType: string;
  readonly cwd: string;
}

/** `pass` leaves the call to the rules, `deny` stops it with words for the model, `rewrite` runs it with another input. */
export type GuardDecision =
  | 'pass'
  | { readonly deny: string }
  | { readonly rewrite: Readonly<Record<string, unknown>> };

export interface PreToolGuardOptions extends FailClosedOptions {
  /** Names of tools, joined by `|`; without it the guard sees every call. */
  readonly matcher?: string;
}

/**
 * A guard before a tool call that fails closed: if `decide` throws, never settles or answers anything else than a decision, the
 * call is denied with words that say that flower's check broke, not that a person refused. `name` is what those words call it.
 *
 * @example
 * const noForce = preToolGuard('no-force', ({ input }) => (String(input.command).includes('--force') ? { deny: 'flower: …' } : 'pass'), {
 *   matcher: 'Bash',
 * });
 */
export function preToolGuard(
  name: string,
  decide: (call: ToolCall) => GuardDecision | Promise<GuardDecision>,
  options: PreToolGuardOptions = {},
): HookCallbackMatcher {
  const { matcher, ...rest } = options;
  const hook = async (input: unknown) => answerOf(await decide(toolCall(input)));
  return failClosedMatcher({ ...(matcher !== undefined && { matcher }), hooks: [hook] }, { ...rest, name });
}

/** The hook's input as far as it can be trusted: a field of the wrong type counts as absent. */
export function toolCall(input: unknown): ToolCall {
  const fields = asRecord(input);
  return {
    tool: typeof fields.tool_name === 'string' ? fields.tool_name : '',
    input: asRecord(fields.tool_input),
    mainThread: !fields.agent_id,
    agentType: typeof fields.agent_type === 'string' ? fields.agent_type : '',
    cwd: typeof fields.cwd === 'string' ? fields.cwd : process.cwd(),
  };
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function answerOf(decision: GuardDecision): HookJSONOutput {
  if (decision === 'pass') return {};
  if ('deny' in decision) return deny(decision.deny);
  if (!('rewrite' in decision)) throw new TypeError(`expected a guard's decision, got ${JSON.stringify(decision)}`);
  const updatedInput = decision.rewrite as Record<string, unknown>;
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput } };
}
