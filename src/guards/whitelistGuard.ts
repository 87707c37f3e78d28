import type { AgentDefinition, HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { workerTools } from '../agent/toolLists.js';
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
  const own = (allowed ?? []).map(nameOf);
  const allows = (tool: string) =>
    own.some((entry) => covers(entry, tool)) || (SHELLS.includes(tool) && own.includes('Bash'));
  const banned = offered(agents, DISPATCHERS.some(allows)).filter((entry) => !allows(entry));
  if (banned.length === 0) return null;
  const role = options.role ?? text('role.this', {}, locale);
  return preToolGuard(
    'whitelist',
    ({ tool, mainThread }) => {
      const isBanned = mainThread && !allows(tool) && banned.some((entry) => covers(entry, tool));
      return isBanned ? { deny: text('guard.whitelist', { role, tool }, locale) } : 'pass';
    },
    { matcher: banned.map(patternOf).join('|'), locale },
  );
}

/** What the session offers beyond the role's own list: hands-on tools always, and what its workers need. */
function offered(agents: WhitelistGuardOptions['agents'], mayDispatch: boolean): string[] {
  const workers = Object.values(agents ?? {});
  if (workers.length === 0) return [...SHELLS, ...WRITERS, ...(mayDispatch ? [] : DISPATCHERS)];
  const theirs = [...workers.flatMap(workerTools).map(nameOf), ...SESSION_TOOLS];
  return [...new Set([...SHELLS, ...WRITERS, ...theirs.filter((tool) => !DISPATCHERS.includes(tool))])];
}

/** `Bash(git:*)` and `Agent(coder)` list the tool, with a rule about its input. */
function nameOf(entry: string): string {
  return entry.replace(/\(.*$/s, '');
}

/** An entry of a list stands for one tool; `mcp__db` and `mcp__db__*` for all tools of that server. */
function covers(entry: string, tool: string): boolean {
  return entry === tool || (entry.startsWith('mcp__') && tool.startsWith(`${serverOf(entry)}__`));
}

/** Matches what the entry covers: a whole server by a regular expression, which a matcher may be, too. */
function patternOf(entry: string): string {
  return /^mcp__.+?__(?!\*$)/.test(entry) || !entry.startsWith('mcp__') ? entry : `${serverOf(entry)}__.*`;
}

function serverOf(entry: string): string {
  return entry.replace(/__\*$/, '');
}
