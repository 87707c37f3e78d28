import { AgentSpec } from '../agent/agentSpec.js';
import { text } from '../locale/locale.js';
import { Runtime } from '../runtime/runtime.js';
import { Step } from '../workflow/step.js';
import { Workflow } from '../workflow/workflow.js';
import { drive } from './drive.js';
import { Exit } from './exit.js';
import { openRun } from './opening.js';
import type { OnceFlags } from './program.js';
import { lookInto, storedContext } from './storedSessions.js';

/** Under this name the workflow finds the session that it goes on with. */
const GIVEN = 'given';

/** `flower once "…"`: one agent, one prompt, nobody who judges it. Gives the exit code. */
export async function once(prompt: string, flags: OnceFlags): Promise<number> {
  return openRun(flags, async (screen, places) => {
    const { resume, fork = false } = flags;
    if (resume !== undefined && lookInto(places.runDir, (found) => storedContext(found, resume)) === null) {
      throw new Exit(1, text('err.resume', { id: resume }));
    }
    const spec = new AgentSpec({
      name: 'ad-hoc',
      instructions: flags.instructions,
      allowedTools: flags.tools,
      permissionMode: flags.permissionMode,
      maxBudgetUsd: flags.budget ?? null,
    });
    const step = new Step<Record<string, unknown>>(
      'ad-hoc',
      spec,
      prompt,
      resume === undefined ? {} : { resumeFrom: GIVEN, fork },
    );
    const flow = new Workflow<Record<string, unknown>>([step], {
      name: 'once',
      continuous: false,
      ...(resume !== undefined && { context: { _sessions: { [GIVEN]: resume } } }),
    });
    const { workbench = false, trim = false, budget } = flags;
    return drive({
      flow,
      screen,
      runtime: { ...places, workbench, trim },
      // The one step is the whole run, so its budget is the run's.
      onStep: (_step, result) => {
        if (result.error?.startsWith('error_max_budget_usd')) result.error = Runtime.BUDGET_EXHAUSTED;
      },
      closing: { once: true, ...(budget !== undefined && { budgetUsd: budget, budgetSpentUsd: undefined }) },
    });
  });
}
