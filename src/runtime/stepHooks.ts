import type { AgentSpec, Hooks } from '../agent/agentSpec.js';
import { delegateGuard } from '../guards/delegateGuard.js';
import { dispatchGuard } from '../guards/dispatchGuard.js';
import { failClosed } from '../guards/failClosed.js';
import { isolateGuard, wantsIsolation } from '../guards/isolate.js';
import { mergeHooks } from '../guards/mergeHooks.js';
import { whitelistGuard } from '../guards/whitelistGuard.js';
import { workbenchHooks } from '../guards/workbenchHooks.js';
import { workerStartHook } from '../guards/workerStart.js';
import type { Locale } from '../locale/locale.js';
import type { Workbench } from '../workbench/workbench.js';

/**
 * The hooks of one step: the spec's own, which must not open a gate by failing, the walls, and what the workbench brings, but for
 * its index, which is seen to at the boundary. The walls do not depend on a workbench: a coordinator without one is held just the
 * same.
 */
export function stepHooks(
  spec: AgentSpec,
  place: { readonly workbench: Workbench | null; readonly spillThreshold: number | null; readonly locale: Locale },
): Hooks {
  const { workbench, spillThreshold, locale } = place;
  const agents = spec.agents ? { ...spec.agents } : null;
  const bench = workbench
    ? mergeHooks(
        workbenchHooks(workbench, {
          delegateOnly: spec.delegateOnly,
          spillThreshold,
          agents,
          allowGlance: spec.glance,
          index: false,
        }),
        { SubagentStart: [workerStartHook(workbench)] },
      )
    : null;
  const own = spec.hooks && failClosed(spec.hooks, { locale });
  const nested = agents && { PreToolUse: [dispatchGuard(agents, { locale })] };
  return mergeHooks(own, bench, workbench ? null : bareWalls(spec, locale), nested, whitelist(spec, locale));
}

function bareWalls(spec: AgentSpec, locale: Locale): Hooks {
  const marked = Object.values(spec.agents ?? {}).some(wantsIsolation);
  const guards = [
    ...(spec.delegateOnly ? [delegateGuard({ allowGlance: spec.glance, locale })] : []),
    ...(marked ? [isolateGuard({ ...spec.agents })] : []),
  ];
  return guards.length > 0 ? { PreToolUse: guards } : {};
}

/** A delegate-only role has the delegate guard; two guards on the same tools would give two pieces of advice. */
function whitelist(spec: AgentSpec, locale: Locale): Hooks | null {
  if (spec.delegateOnly) return null;
  const guard = whitelistGuard([...spec.allowedTools], {
    role: spec.name,
    locale,
    agents: spec.agents ? { ...spec.agents } : null,
  });
  return guard && { PreToolUse: [guard] };
}
