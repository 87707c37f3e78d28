import type { AgentDefinition } from '@anthropic-ai/claude-agent-sdk';
import { isolated } from '../../guards/isolate.js';
import { type Locale, text } from '../../locale/locale.js';
import type { PermissionMode } from '../agentSpec.js';
import { WORKER_TOOLS } from '../toolLists.js';

/** What a worker is told beside its own prompt: how to report, reuse and wait. In the locale active when this module was loaded. */
export const WORKER_RULES: string = text('rules.worker');

export interface WorkerOptions {
  /** @default null, which gives a copy of WORKER_TOOLS */
  readonly tools?: readonly string[] | null;
  /** Workers are not downgraded: what a dispatch saves is context, not the price of a model. @default 'inherit' */
  readonly model?: string;
  /** @default null */
  readonly effort?: AgentDefinition['effort'] | null;
  /** @default null */
  readonly maxTurns?: number | null;
  /** @default null (the session's) */
  readonly permissionMode?: PermissionMode | null;
  /** Skills of the plugin; `Skill` then joins the tools. @default null */
  readonly skills?: readonly string[] | null;
  /** Append the rules for reports and reuse. @default true */
  readonly discipline?: boolean;
  /** Give each dispatch a git worktree of its own; the workspace must be a git repository. @default false */
  readonly isolate?: boolean;
  /**
   * Roles that it may dispatch itself, by the names that its coordinator knows them by. A worker of a worker of a worker can
   * dispatch none. @default []
   */
  readonly dispatch?: readonly string[];
  /** The language of the rules. @default the active one */
  readonly locale?: Locale;
}

/**
 * A subagent that does the hands-on work and answers with a report of a few lines.
 *
 * @param description what it is for; the coordinator chooses by it
 * @example
 * const coder = worker('Writes code and tests.', 'You implement. Verify after every change.', { isolate: true });
 */
export function worker(description: string, prompt: string, options: WorkerOptions = {}): AgentDefinition {
  const {
    effort,
    maxTurns,
    permissionMode,
    skills,
    discipline = true,
    isolate = false,
    dispatch = [],
    locale,
  } = options;
  const definition: AgentDefinition = {
    description,
    prompt: discipline ? `${prompt}\n\n${text('rules.worker', {}, locale)}` : prompt,
    tools: [...(options.tools ?? WORKER_TOOLS), ...dispatch.map((role) => `Agent(${role})`)],
    model: options.model ?? 'inherit',
    ...(effort != null && { effort }),
    ...(maxTurns != null && { maxTurns }),
    ...(permissionMode != null && { permissionMode }),
    ...(skills != null && { skills: [...skills] }),
  };
  return isolated(definition, isolate);
}
