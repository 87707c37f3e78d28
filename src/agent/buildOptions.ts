import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentDefinition, Options, SessionStore } from '@anthropic-ai/claude-agent-sdk';
import type { AgentSpec, McpServers } from './agentSpec.js';
import { toolLists, workerTools } from './toolLists.js';

/** The key under which a role that runs under `agent` is defined. No worker may have this name. */
export const MAIN_AGENT = 'coordinator';

export interface BuildOptions {
  /** Where the session works. */
  readonly cwd?: string | null;
  readonly sessionStore?: SessionStore | null;
  /** Session id to go on with. */
  readonly resume?: string | null;
  /** Branch off the resumed session instead of going on with it. @default false */
  readonly fork?: boolean;
  /** The id of a new session or branch. @default the harness draws one */
  readonly sessionId?: string | null;
  /** Go on from this message of the resumed session. */
  readonly resumeAt?: string | null;
  /** `false` keeps a plugin away that a worker's skills would bring. @default true */
  readonly usePlugin?: boolean;
  /** Read no Claude configuration of host or project. @default true */
  readonly portable?: boolean;
  /** Further folders that the session may read and write. */
  readonly addDirs?: readonly string[] | null;
  /** @default 'eager': a crash must not lose a turn that took half an hour */
  readonly flush?: 'eager' | 'batched';
  /** Appended to the instructions, for those who drive the SDK themselves. */
  readonly prelude?: string;
  readonly pluginDir?: string;
  /** The base of the child's environment, which the SDK replaces as a whole. @default process.env */
  readonly env?: Readonly<Record<string, string>>;
  /** Tools of the main role beside the spec's own. */
  readonly tools?: readonly string[];
  /** Servers beside the spec's own. */
  readonly mcpServers?: McpServers;
}

/**
 * Compiles a spec into the options of the SDK's `query`: adds to Claude Code's native prompt and never replaces it (a delegate-only
 * role excepted), reads no configuration of the host, and leaves nothing to a permission prompt that nobody would answer.
 *
 * @throws {TypeError} for `fork` or `resumeAt` without `resume`, and for a worker that is named like the main agent
 * @example
 * for await (const message of query({ prompt: 'What is in here?', options: buildOptions(spec, { cwd: '/work' }) })) …
 */
export function buildOptions(spec: AgentSpec, options: BuildOptions = {}): Options {
  const { resume, fork = false, resumeAt, sessionId } = options;
  if (!resume && (fork || resumeAt)) {
    throw new TypeError(`buildOptions: ${fork ? 'fork' : 'resumeAt'} needs resume, a session to start from; got none`);
  }
  const instructions = [spec.instructions, options.prelude].filter(Boolean).join('\n\n');
  const lists = toolLists(spec, options.tools);
  const agents = definitions(spec, instructions, lists.main);
  const plugin = pluginOf(spec, options);
  const servers = {
    ...(typeof spec.mcpServers === 'function' ? spec.mcpServers() : spec.mcpServers),
    ...options.mcpServers,
  };

  return {
    systemPrompt: systemPrompt(spec, instructions),
    ...(spec.runsUnderAgent && { agent: MAIN_AGENT }),
    tools: [...lists.session],
    allowedTools: [...lists.approved],
    disallowedTools: [...spec.disallowedTools],
    permissionMode: spec.permissionMode,
    permissionPrompts: 'none',
    settings: { worktree: { baseRef: 'head' } },
    settingSources: (options.portable ?? true) ? [] : ['project'],
    strictMcpConfig: true,
    forwardSubagentText: true,
    // Otherwise the harness runs `/help …` itself, and reads the file of `@path` into a main thread that may read none.
    verbatimPrompts: true,
    ...(plugin ? { plugins: [{ type: 'local', path: plugin }] } : { skills: [] }),
    ...(options.cwd && { cwd: options.cwd }),
    ...(options.addDirs?.length && { additionalDirectories: [...options.addDirs] }),
    ...(options.sessionStore && { sessionStore: options.sessionStore, sessionStoreFlush: options.flush ?? 'eager' }),
    ...(spec.model && { model: spec.model }),
    ...(spec.effort && { effort: spec.effort }),
    ...(Object.keys(agents).length > 0 && { agents }),
    ...(Object.keys(servers).length > 0 && { mcpServers: servers }),
    ...(spec.hooks && Object.keys(spec.hooks).length > 0 && { hooks: spec.hooks }),
    ...(spec.maxTurns !== null && { maxTurns: spec.maxTurns }),
    ...(spec.maxBudgetUsd !== null && { maxBudgetUsd: spec.maxBudgetUsd }),
    ...environment(spec, options),
    ...(resume && { resume, ...(fork && { forkSession: true }), ...(resumeAt && { resumeSessionAt: resumeAt }) }),
    ...(sessionId && (!resume || fork) && { sessionId }),
  };
}

/** The harness records a prompt and sends the record on a resume; `snapshot: false` makes newer rules reach an older session. */
function systemPrompt(spec: AgentSpec, instructions: string): Options['systemPrompt'] {
  // Beside an agent's prompt a custom one with text would displace it; an empty one only takes the preset away.
  if (!spec.preset) return { type: 'custom', prompt: '', snapshot: false };
  const append = spec.runsUnderAgent ? '' : instructions;
  return { type: 'preset', preset: 'claude_code', ...(append && { append }), snapshot: false };
}

function definitions(
  spec: AgentSpec,
  instructions: string,
  mainTools: readonly string[],
): Record<string, AgentDefinition> {
  const workers: Record<string, AgentDefinition> = {};
  for (const [name, definition] of Object.entries(spec.agents ?? {})) {
    if (name === MAIN_AGENT && spec.runsUnderAgent) {
      throw new TypeError(
        `buildOptions: a worker must not be named '${MAIN_AGENT}'; the main role is defined under that name`,
      );
    }
    workers[name] = definition.skills?.length ? { ...definition, tools: [...workerTools(definition)] } : definition;
  }
  if (!spec.runsUnderAgent) return workers;
  return { [MAIN_AGENT]: { description: spec.name, prompt: instructions, tools: [...mainTools] }, ...workers };
}

/** The folder of the plugin that comes with flower. */
export const SHIPPED_PLUGIN = fileURLToPath(new URL('../../plugin', import.meta.url));

function pluginOf(spec: AgentSpec, options: BuildOptions): string | null {
  const skilled = Object.values(spec.agents ?? {}).some((definition) => definition.skills?.length);
  if (options.usePlugin === false || !(skilled || options.pluginDir)) return null;
  const folder = options.pluginDir ?? SHIPPED_PLUGIN;
  return existsSync(folder) ? folder : null;
}

function environment(spec: AgentSpec, options: BuildOptions): { env?: Record<string, string> } {
  const own = { ...spec.env, ...spec.compact?.env() };
  if (Object.keys(own).length === 0 && !options.sessionStore && !options.env) return {};
  return { env: { ...(options.env ?? (process.env as Record<string, string>)), ...own } };
}
