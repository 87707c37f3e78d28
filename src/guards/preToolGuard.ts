import type { HookCallbackMatcher, HookJSONOutput } from '@anthropic-ai/claude-agent-sdk';
import { type Locale, text } from '../locale/locale.js';

/** The call that a guard judges: the part of the hook's input that guards use. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** No agent id: the only test for the main thread. The agent type says nothing, a main thread can have one too. */
  readonly mainThread: boolean;
  readonly cwd: string;
}

/** `pass` leaves the call to the rules, `deny` stops it with words for the model, `rewrite` runs it with another input. */
export type GuardDecision =
  | 'pass'
  | { readonly deny: string }
  | { readonly rewrite: Readonly<Record<string, unknown>> };

export interface PreToolGuardOptions {
  /** Names of tools, joined by `|`; without it the guard sees every call. */
  readonly matcher?: string;
  readonly locale?: Locale;
}

/** Seconds after which the harness itself blocks the call. */
const HARNESS_TIMEOUT_S = 30;
/** Before that the guard gives up on its own decision, so that the model is told why. */
const DECISION_TIMEOUT_S = 25;

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
  const failed = () => deny(text('guard.failed', { guard: name }, options.locale));
  return {
    ...(options.matcher !== undefined && { matcher: options.matcher }),
    hooks: [
      async (input) => {
        try {
          return answer(await withinTime(decide(toolCall(input)))) ?? failed();
        } catch {
          return failed();
        }
      },
    ],
    timeout: HARNESS_TIMEOUT_S,
    onFailure: 'block',
  };
}

/** The hook's input as far as it can be trusted: a field of the wrong type counts as absent. */
export function toolCall(input: unknown): ToolCall {
  const fields = asRecord(input);
  return {
    tool: typeof fields.tool_name === 'string' ? fields.tool_name : '',
    input: asRecord(fields.tool_input),
    mainThread: !fields.agent_id,
    cwd: typeof fields.cwd === 'string' ? fields.cwd : process.cwd(),
  };
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function answer(decision: GuardDecision): HookJSONOutput | null {
  if (decision === 'pass') return {};
  if ('deny' in decision) return deny(decision.deny);
  if (!('rewrite' in decision)) return null;
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { ...decision.rewrite },
    },
  };
}

function deny(reason: string): HookJSONOutput {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
  };
}

async function withinTime<T>(decision: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the guard did not decide in time')), DECISION_TIMEOUT_S * 1000);
  });
  try {
    return await Promise.race([decision, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
