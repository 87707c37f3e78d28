import type { AgentDefinition, HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { type Locale, text } from '../locale/locale.js';
import { preToolGuard } from './preToolGuard.js';
import { DISPATCHERS } from './toolNames.js';

/**
 * Lets a worker dispatch only the roles that its own definition names (`Agent(<role>)` among its tools). The harness knows one list
 * of roles for the whole session, so without this every worker that may dispatch could dispatch all of them.
 *
 * @example
 * const guard = dispatchGuard({ lead: worker('Leads.', '…', { dispatch: ['coder'] }), coder });
 */
export function dispatchGuard(
  agents: Readonly<Record<string, AgentDefinition>>,
  options: { readonly locale?: Locale } = {},
): HookCallbackMatcher {
  const { locale } = options;
  return preToolGuard(
    'dispatch',
    ({ tool, input, mainThread, agentType }) => {
      if (mainThread || !DISPATCHERS.includes(tool)) return 'pass';
      const wanted = String(input.subagent_type ?? '');
      const allowed = dispatchedBy(Object.hasOwn(agents, agentType) ? agents[agentType] : undefined);
      if (allowed.includes(wanted)) return 'pass';
      const names = allowed.join(', ') || text('placeholder.none', {}, locale);
      return {
        deny: text('guard.dispatch', { role: agentType || '?', wanted: wanted || '?', allowed: names }, locale),
      };
    },
    { matcher: DISPATCHERS.join('|'), locale },
  );
}

/** The roles that a worker may dispatch. */
export function dispatchedBy(agent: AgentDefinition | undefined): string[] {
  return (agent?.tools ?? []).flatMap((tool) => /^(?:Agent|Task)\((.+)\)$/.exec(tool)?.[1] ?? []);
}
