import { text } from '../locale/locale.js';
import { drive } from './drive.js';
import { loadFlow } from './loadFlow.js';
import { checkBudget, handoffOf, openRun, warnWithoutPerson } from './opening.js';
import type { RunFlags } from './program.js';

/** `flower run flows.ts:main`: runs a workflow of the user's own. Gives the exit code. */
export async function run(target: string, flags: RunFlags): Promise<number> {
  return openRun(flags, async (screen, places) => {
    const flow = await loadFlow(target, places.workspace);
    if (flags.workbench && flow.workbench) {
      screen.ui.notice(text('notice.workbench', { path: flow.workbench.root }), 'dim', '- ');
    }
    checkBudget(screen, places.runDir, { budget: flags.budget, fresh: false });
    const handoff = handoffOf(screen, flags);
    warnWithoutPerson(screen, flow.channel);
    return drive({
      flow,
      screen,
      runtime: {
        ...places,
        workbench: flags.workbench ?? false,
        trim: flags.trim ?? false,
        ...(handoff !== undefined && { handoff }),
      },
    });
  });
}
