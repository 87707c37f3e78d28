import type { AgentDefinition, HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { preToolGuard } from './preToolGuard.js';
import { DISPATCHERS } from './toolNames.js';

/** An enumerable symbol: it survives spread and `Object.assign`, and JSON (what the harness gets) doesn't see it. */
const MARK = Symbol.for('flower.isolate');

/**
 * Marks an agent as one that works in a git worktree of its own, or takes the mark off. Returns the same object; a frozen one
 * is copied.
 *
 * @example
 * const coder = isolated({ description: 'Writes code', prompt: '…' });
 * wantsIsolation({ ...coder, model: 'haiku' });   // true: the mark survives copying
 */
export function isolated(agent: AgentDefinition, flag = true): AgentDefinition {
  const target: AgentDefinition & { [MARK]?: true } = Object.isExtensible(agent) ? agent : { ...agent };
  if (flag) target[MARK] = true;
  else delete target[MARK];
  return target;
}

/** True if the agent carries the mark of `isolated`. Safe for null. */
export function wantsIsolation(agent: AgentDefinition | null | undefined): boolean {
  return agent !== null && agent !== undefined && MARK in agent && agent[MARK] === true;
}

export interface IsolateGuardOptions {
  /** Called for every dispatch that was given a worktree. */
  readonly onInject?: (subagentType: string, description: string) => void;
}

/**
 * Gives every dispatch of a marked agent a git worktree. Isolation belongs to the role: a task that says "no worktree" doesn't
 * weaken it, and an explicit `isolation` or `cwd` in the call is respected.
 *
 * @example
 * const guard = isolateGuard({ coder: isolated({ description: 'Writes code', prompt: '…' }) });
 */
export function isolateGuard(
  agents: Readonly<Record<string, AgentDefinition>>,
  options: IsolateGuardOptions = {},
): HookCallbackMatcher {
  return preToolGuard(
    'isolate',
    ({ tool, input }) => {
      const { subagent_type: type, description } = input;
      if (!DISPATCHERS.includes(tool) || input.cwd || input.isolation) return 'pass';
      if (typeof type !== 'string' || !Object.hasOwn(agents, type) || !wantsIsolation(agents[type])) return 'pass';
      tell(options.onInject, type, typeof description === 'string' ? description : '');
      return { rewrite: { ...input, isolation: 'worktree' } };
    },
    { matcher: 'Agent' },
  );
}

/** A listener that throws must not cost a dispatch. */
function tell(listener: IsolateGuardOptions['onInject'], subagentType: string, description: string): void {
  try {
    listener?.(subagentType, description);
  } catch {}
}
