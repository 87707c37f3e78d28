import type { AgentDefinition } from '@anthropic-ai/claude-agent-sdk';
import type { AgentSpec } from './agentSpec.js';

/** What a worker may use when its definition names no tools. */
export const WORKER_TOOLS = ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep', 'WebFetch', 'WebSearch'];

/** Who may use what in one session. */
export interface ToolLists {
  /** The main thread's own, MCP tools by full name; of a role that runs under `agent` exactly what it is offered. */
  readonly main: readonly string[];
  /** The built-in tools that exist in the session at all: those of the main role and of every worker. */
  readonly session: readonly string[];
  /** What runs without an approval: everything that anybody may use, so that nothing ever waits for one. */
  readonly approved: readonly string[];
}

/**
 * Works out the three lists. They differ because the harness's `tools` and `allowedTools` count for the whole session: a worker
 * lacks what they lack, and the main thread would get all they hold. What the main thread may do is therefore decided by its agent
 * definition, or by the whitelist guard.
 *
 * @param extra tools of the main role that the spec itself does not list (the hand-in tools)
 */
export function toolLists(spec: AgentSpec, extra: readonly string[] = []): ToolLists {
  const workers = Object.entries(spec.agents ?? {});
  const own = unique([...spec.allowedTools, ...extra]);
  const ofWorkers = workers.flatMap(([, definition]) => workerTools(definition));
  const everybody = unique([...own, ...ofWorkers.map(sessionTool)]);
  const main = spec.runsUnderAgent
    ? own.flatMap((tool) => (tool === 'Agent' ? workers.map(([name]) => `Agent(${name})`) : [tool]))
    : own;
  return { main, session: everybody.filter(isBuiltIn), approved: everybody };
}

/** The tools of one worker: its own list, else {@link WORKER_TOOLS}, and `Skill` if it has skills. */
export function workerTools(definition: AgentDefinition): readonly string[] {
  const tools = definition.tools ?? WORKER_TOOLS;
  return definition.skills?.length ? unique([...tools, 'Skill']) : tools;
}

/** A tool as the session knows it: which roles somebody may dispatch is told by their own list. */
function sessionTool(tool: string): string {
  return /^(?:Agent|Task)\(/.test(tool) ? 'Agent' : tool;
}

function isBuiltIn(tool: string): boolean {
  return !tool.startsWith('mcp__');
}

function unique(tools: readonly string[]): string[] {
  return [...new Set(tools)];
}
