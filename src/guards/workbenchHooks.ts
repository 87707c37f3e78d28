import type { AgentDefinition, HookCallbackMatcher, HookEvent } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';
import type { Workbench } from '../workbench/workbench.js';
import { delegateGuard } from './delegateGuard.js';
import { indexGuard } from './indexGuard.js';
import { isolateGuard, wantsIsolation } from './isolate.js';
import { spillGuard } from './spillGuard.js';
import { BULKY, BULKY_UNFILED } from './toolNames.js';

export interface WorkbenchHooksOptions {
  /** The role delegates all hands-on work. @default true */
  readonly delegateOnly?: boolean;
  /** UTF-16 units from which a tool result is stored in the workbench; null or 0 stores none. @default 4000 */
  readonly spillThreshold?: number | null;
  /** The role's workers; those marked by `isolated` get a worktree. @default null */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | null;
  /** A delegating role may run commands that only look. @default false */
  readonly allowGlance?: boolean;
  /** Bring the index up to date after each file that is written; false if that is done at the boundary. @default true */
  readonly index?: boolean;
}

/**
 * The hooks of a role that has a workbench. Events without a guard are left out.
 *
 * @example
 * const hooks = workbenchHooks(workbench, { agents: { coder }, allowGlance: true });
 */
export function workbenchHooks(workbench: Workbench, options: WorkbenchHooksOptions = {}): Hooks {
  const { delegateOnly = true, spillThreshold = 4000, agents = null, allowGlance = false, index = true } = options;
  const before: HookCallbackMatcher[] = [];
  if (delegateOnly) {
    before.push(
      delegateGuard({ allowGlance, artifactsPath: workbench.show(workbench.artifacts), locale: workbench.locale }),
    );
  }
  if (agents && Object.values(agents).some(wantsIsolation)) before.push(isolateGuard(agents));
  const after = index ? [indexGuard(workbench)] : [];
  if (spillThreshold) {
    // Whoever works reads whole. A tool that no matcher names costs no round trip between the harness and flower.
    const tools = `${delegateOnly ? BULKY : BULKY_UNFILED}|mcp__.*`;
    after.push(spillGuard(workbench, { threshold: spillThreshold, tools, wholeReads: true }));
  }
  const hooks: Partial<Record<HookEvent, HookCallbackMatcher[]>> = {};
  if (after.length > 0) hooks.PostToolUse = after;
  if (before.length > 0) hooks.PreToolUse = before;
  return hooks;
}
