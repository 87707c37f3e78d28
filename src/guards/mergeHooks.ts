import type { HookCallbackMatcher, HookEvent } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';

/**
 * Joins groups of hooks event by event, in the order of the arguments. Nothing is de-duplicated and no argument is changed.
 *
 * @example
 * const hooks = mergeHooks(spec.hooks, workbenchHooks(workbench), { SubagentStart: [workerStartHook(workbench)] });
 */
export function mergeHooks(...groups: readonly (Hooks | null | undefined)[]): Hooks {
  const merged: Partial<Record<HookEvent, HookCallbackMatcher[]>> = {};
  for (const group of groups) {
    for (const [event, matchers] of Object.entries(group ?? {}) as [HookEvent, HookCallbackMatcher[] | undefined][]) {
      if (matchers) merged[event] = [...(merged[event] ?? []), ...matchers];
    }
  }
  return merged;
}
