import type { HookCallback, HookCallbackMatcher, HookJSONOutput } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';
import { type Locale, text } from '../locale/locale.js';

export interface FailClosedOptions {
  /** Told which guard failed, and how. */
  readonly onFailure?: (guard: string, error: unknown) => void;
  readonly locale?: Locale;
}

/** Seconds that a guard without a time of its own has. */
export const GUARD_TIMEOUT_S = 30;
/** So much earlier than the harness a guard gives up, so that the model is told why. */
const AHEAD_S = 1;

/**
 * Makes the hooks before a tool call fail closed. By itself the harness lets a call through when a hook throws or answers
 * something invalid. Here that, and an answer that never comes, denies the call, with words that say that a check failed, not
 * that a person refused. Hooks of other events stay as they are.
 *
 * @example
 * const hooks = failClosed({ PreToolUse: [{ matcher: 'Bash', hooks: [myGuard] }] }, { onFailure: report });
 */
export function failClosed(hooks: Hooks, options: FailClosedOptions = {}): Hooks {
  const { PreToolUse: before } = hooks;
  return before ? { ...hooks, PreToolUse: before.map((matcher) => failClosedMatcher(matcher, options)) } : hooks;
}

/** The same for one matcher; `name` is what the refusal calls the guard. */
export function failClosedMatcher(
  matcher: HookCallbackMatcher,
  options: FailClosedOptions & { readonly name?: string } = {},
): HookCallbackMatcher {
  const { timeout = GUARD_TIMEOUT_S } = matcher;
  const protect =
    (hook: HookCallback): HookCallback =>
    async (...args) => {
      const name = options.name ?? (hook.name || 'PreToolUse');
      try {
        return checked(await withinTime(hook(...args), Math.max(timeout - AHEAD_S, timeout / 2)));
      } catch (error) {
        tell(options.onFailure, name, error);
        return deny(text('guard.failed', { guard: name }, options.locale));
      }
    };
  return { ...matcher, hooks: matcher.hooks.map(protect), timeout, onFailure: 'block' };
}

/** The answer that stops a call, with words for the model. */
export function deny(reason: string): HookJSONOutput {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
  };
}

const DECISIONS: readonly unknown[] = [undefined, 'allow', 'deny', 'ask', 'defer'];
const LEGACY_DECISIONS: readonly unknown[] = [undefined, 'approve', 'block'];

/** The answer, if the harness would take it for one. `async` is none: the tool would run at once. */
function checked(answer: HookJSONOutput): HookJSONOutput {
  const output: unknown = answer;
  if (isRecord(output) && !output.async && LEGACY_DECISIONS.includes(output.decision)) {
    const specific = output.hookSpecificOutput;
    if (specific === undefined) return answer;
    const { permissionDecision, permissionDecisionReason, updatedInput } = isRecord(specific)
      ? specific
      : { permissionDecision: null };
    const isValid =
      DECISIONS.includes(permissionDecision) &&
      (permissionDecisionReason === undefined || typeof permissionDecisionReason === 'string') &&
      (updatedInput === undefined || isRecord(updatedInput));
    if (isValid) return answer;
  }
  throw new TypeError(`a hook before a tool call: expected a decision of the SDK, got ${JSON.stringify(answer)}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function withinTime<T>(answer: Promise<T>, seconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no decision within ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** A listener that throws must not open the gate. */
function tell(listener: FailClosedOptions['onFailure'], guard: string, error: unknown): void {
  try {
    listener?.(guard, error);
  } catch {}
}
