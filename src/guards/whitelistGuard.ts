import type { AgentDefinition, HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { type Locale, text } from '../locale/locale.js';
import { preToolGuard } from './preToolGuard.js';
import { DISPATCHERS, SHELLS, WRITERS } from './toolNames.js';

export interface WhitelistGuardOptions {
  /** What a refusal calls the role. @default "this role" in the active locale */
  readonly role?: string;
  /** The role's workers. Their tools are offered to the whole session, so the main thread is kept from those it lacks. @default null */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | null;
  readonly locale?: Locale;
}

/** What a worker without a tool list of its own may use. */
const DEFAULT_WORKER_TOOLS = ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep', 'WebFetch', 'WebSearch'];
/** Offered only if the session lists them, so a role with workers has them there on the workers' behalf. */
const SESSION_TOOLS = ['Grep', 'Glob', 'TodoWrite'];

/**
 * Keeps the main thread of a role to its own tools. `allowedTools` of the SDK only spares approval: a tool that is not on it is
 * still offered and still runs. Returns null when there is nothing to refuse.
 *
 * @example
 * const guard = whitelistGuard(['Read', 'Grep', 'Glob'], { role: 'clarify' });   // no shell, no writing, no dispatch
 */
export function whitelistGuard(
  allowed: readonly string[] | null | undefined,
  options: WhitelistGuardOptions = {},
): HookCallbackMatcher | null {
  const { agents = null, locale } = options;
  const banned = bannedTools(allowed ?? [], agents);
  if (banned.length === 0) return null;
  const isBanned = new Set(banned);
  const role = options.role ?? text('role.this', {}, locale);
  return preToolGuard(
    'whitelist',
    ({ tool, mainThread }) =>
      mainThread && isBanned.has(tool) ? { deny: text('guard.whitelist', { role, tool }, locale) } : 'pass',
    { matcher: banned.join('|'), locale },
  );
}

function bannedTools(allowed: readonly string[], agents: WhitelistGuardOptions['agents']): string[] {
  // `Bash(git:*)` and `Agent(coder)` list the tool, with a rule about its input.
  const names = new Set(allowed.map((entry) => entry.replace(/\(.*$/s, '')));
  const allows = (tool: string) =>
    names.has(tool) ||
    (SHELLS.includes(tool) && names.has('Bash')) ||
    [...names].some((name) => isServerOf(name, tool));
  const workers = Object.values(agents ?? {});
  const dispatch = workers.length === 0 && !DISPATCHERS.some(allows) ? DISPATCHERS : [];
  const workersOnly = workers
    .flatMap((worker) => worker.tools ?? DEFAULT_WORKER_TOOLS)
    .map((entry) => entry.replace(/\(.*$/s, ''));
  const session =
    workers.length > 0 ? [...workersOnly, ...SESSION_TOOLS].filter((tool) => !DISPATCHERS.includes(tool)) : [];
  return [...new Set([...SHELLS, ...WRITERS, ...session].filter((tool) => !allows(tool)).concat(dispatch))];
}

/** `mcp__flower` and `mcp__flower__*` stand for all tools of that server. */
function isServerOf(name: string, tool: string): boolean {
  return name.startsWith('mcp__') && tool.startsWith(`${name.replace(/__\*$/, '')}__`);
}
