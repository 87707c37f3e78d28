import type { AgentDefinition, McpServerConfig, Options } from '@anthropic-ai/claude-agent-sdk';
import type { CompactPolicy } from './compactPolicy.js';

/** Hook callbacks by event, in the SDK's own form. */
export type Hooks = NonNullable<Options['hooks']>;
/** In-process and external MCP servers by name. */
export type McpServers = Record<string, McpServerConfig>;
export type Effort = NonNullable<Options['effort']>;
export type PermissionMode = NonNullable<Options['permissionMode']>;
/** The document that a role hands in by tool. */
export type SubmitKind = 'brief' | 'goal' | 'verdict';

export interface AgentSpecInit {
  /** Default step name, and what the role calls itself in a refusal. */
  readonly name: string;
  /** Appended to the native prompt; for a delegate-only role the whole prompt. */
  readonly instructions: string;
  /** What the main role may use; what its workers may use stands in `agents`. @default ['Read', 'Glob', 'Grep'] */
  readonly allowedTools?: readonly string[];
  /** Removed for the whole session, workers included. @default [] */
  readonly disallowedTools?: readonly string[];
  /** @default null (the endpoint's own) */
  readonly model?: string | null;
  /** @default null */
  readonly effort?: Effort | null;
  /** Model turns of one query; 0 is a limit, null is none. @default null */
  readonly maxTurns?: number | null;
  /** US dollars for one step, over all its attempts. @default null */
  readonly maxBudgetUsd?: number | null;
  /** @default 'default' */
  readonly permissionMode?: PermissionMode;
  /** Workers by name. @default null */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | null;
  /** A function is called once for each query: an in-process server serves one query only. @default {} */
  readonly mcpServers?: McpServers | (() => McpServers);
  /** @default null */
  readonly hooks?: Hooks | null;
  /** The harness's own compaction. @default null: off while handoff is on */
  readonly compact?: CompactPolicy | null;
  /** Over the built environment; can override every switch in it. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** A delegate-only role may run Bash commands that only look. @default false */
  readonly glance?: boolean;
  /** Gets the workbench's index in the first message of a session. @default true */
  readonly workbench?: boolean;
  /** Never works itself: the request offers nothing but `allowedTools`, a guard stands behind. @default false */
  readonly delegateOnly?: boolean;
  /** Keep Claude Code's native prompt. @default true */
  readonly preset?: boolean;
  /** @default null */
  readonly submit?: SubmitKind | null;
}

/**
 * The full declaration of one agent. Immutable; `with` gives a changed copy.
 *
 * @example
 * const reader = new AgentSpec({ name: 'reader', instructions: 'Answer questions about this repository.' });
 * const thorough = reader.with({ effort: 'high' });
 */
export class AgentSpec {
  readonly name: string;
  readonly instructions: string;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly permissionMode: PermissionMode;
  readonly agents: Readonly<Record<string, AgentDefinition>> | null;
  readonly mcpServers: McpServers | (() => McpServers);
  readonly hooks: Hooks | null;
  readonly compact: CompactPolicy | null;
  readonly env: Readonly<Record<string, string>>;
  readonly glance: boolean;
  readonly workbench: boolean;
  readonly delegateOnly: boolean;
  readonly preset: boolean;
  readonly submit: SubmitKind | null;

  constructor(init: AgentSpecInit) {
    this.name = nonEmpty('name', init.name);
    this.instructions = init.instructions;
    this.allowedTools = [...(init.allowedTools ?? ['Read', 'Glob', 'Grep'])];
    this.disallowedTools = [...(init.disallowedTools ?? [])];
    this.model = init.model ?? null;
    this.effort = init.effort ?? null;
    this.maxTurns = limit('maxTurns', init.maxTurns);
    this.maxBudgetUsd = limit('maxBudgetUsd', init.maxBudgetUsd);
    this.permissionMode = init.permissionMode ?? 'default';
    // The definitions themselves are kept: a copy of the map is enough, and marks on them must survive.
    this.agents = init.agents ? { ...init.agents } : null;
    this.mcpServers = typeof init.mcpServers === 'function' ? init.mcpServers : { ...init.mcpServers };
    this.hooks = init.hooks ? { ...init.hooks } : null;
    this.compact = init.compact ?? null;
    this.env = { ...init.env };
    this.glance = init.glance ?? false;
    this.workbench = init.workbench ?? true;
    this.delegateOnly = init.delegateOnly ?? false;
    this.preset = init.preset ?? true;
    this.submit = init.submit ?? null;
  }

  /** A copy with every field carried over and the patched ones changed. */
  with(patch: Partial<AgentSpecInit>): AgentSpec {
    return new AgentSpec({ ...this, ...patch });
  }

  /** The session runs under an agent definition of its own, which is the whole prompt and the whole tool list of its main thread. */
  get runsUnderAgent(): boolean {
    return this.delegateOnly || !this.preset;
  }
}

function nonEmpty(option: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new TypeError(`AgentSpec: ${option} must be a non-empty string, got ${JSON.stringify(value)}`);
}

function limit(option: string, value: number | null | undefined): number | null {
  if (value === null || value === undefined) return null;
  if (Number.isFinite(value) && value >= 0) return value;
  throw new TypeError(`AgentSpec: ${option} must be null or a number of at least 0, got ${value}`);
}
