import { documentFault } from '../documents/documentFile.js';
import { checkIsolation } from '../guards/worktrees/checkIsolation.js';
import { text } from '../locale/locale.js';
import { placesOf } from '../workflow/places.js';
import { type StarterOptions, starterFlow } from '../workflow/starterFlow.js';
import { type WakeState, wakeState } from '../workflow/wakeState.js';
import { drive } from './drive.js';
import { Exit } from './exit.js';
import { greet } from './greeting.js';
import { checkBudget, handoffOf, openRun, warnWithoutPerson } from './opening.js';
import { type CliPlaces, oldRunsNotice } from './places.js';
import type { GoFlags } from './program.js';
import { type Request, requestOf } from './request.js';
import type { Screen } from './screen.js';

/** `flower "…"`: clarify, set the goal, work under an independent judge; in a directory used before, go on. Gives the exit code. */
export async function go(words: string, flags: GoFlags): Promise<number> {
  return openRun(flags, async (screen, places) => {
    notices(screen, places, flags);
    const { workspace, runDir } = places;
    const isolate = flags.isolate ?? false;
    if (isolate) await mustIsolate(screen, workspace);
    mustReadDocuments(workspace, isolate);
    const state = wakeState(workspace, { runDir, isolate });
    const request = await requestOf(screen, words, { fresh: flags.new ?? false, state });
    if (request === null) return 0;
    const waking = state.waking && !request.fresh;
    if (flags.clarifyOnly && waking) return alreadyClear(screen, request, { state, places, flags });
    if (waking) greet(screen, places, state);
    else if (!request.fresh) greetClarifier(screen, state, request);
    if (waking && request.words && state.checks > 0 && !flags.noGoal && !flags.clarifyOnly) {
      screen.ui.notice(text('wake.rederive'), 'dim', '- ');
    }
    checkBudget(screen, runDir, { budget: flags.budget, fresh: request.fresh });
    const handoff = handoffOf(screen, flags);
    const flow = starterFlow(request.words, starterOptions(request, places, flags));
    warnWithoutPerson(screen, flow.channel);
    return drive({
      flow,
      screen,
      runtime: {
        workspace,
        runDir,
        trim: !flags.noTrim,
        ...(handoff !== undefined && { handoff }),
      },
      ...(!flags.noGoal && !flags.clarifyOnly && { rounds: flags.rounds }),
      closing: flags.clarifyOnly ? { clarified: state.brief } : {},
    });
  });
}

/** Says before anything is paid whether workers can get worktrees of their own, and what will be missing there. */
async function mustIsolate(screen: Screen, workspace: string): Promise<void> {
  const { problem, warnings } = await checkIsolation(workspace);
  if (problem) throw new Exit(1, problem.text);
  for (const warning of warnings) screen.ui.notice(warning.text, 'yellow', '! ');
}

/** Says what is still being clarified; other words join it, unless they begin something else. */
function greetClarifier({ ui }: Screen, { clarifying }: WakeState, { words }: Request): void {
  if (clarifying === null) return;
  const [first = ''] = clarifying.split('\n');
  ui.notice(text('clarify.goesOn', { request: first }), 'plain', '<- ');
  if (words !== '' && words !== clarifying) ui.notice(text('clarify.joins'), 'dim', '- ');
}

/** What stands where brief and goal belong must not be taken for missing: it would be replaced. */
function mustReadDocuments(workspace: string, isolate: boolean): void {
  const { brief, goal } = placesOf(workspace, { isolate });
  const fault = documentFault(brief) ?? documentFault(goal);
  if (fault) throw fault;
}

function starterOptions(request: Request, places: CliPlaces, flags: GoFlags): StarterOptions {
  return {
    ...places,
    new: request.fresh,
    goal: !flags.noGoal,
    rounds: flags.rounds,
    judgeCanRun: flags.judgeCanRun ?? false,
    maxAsks: flags.asks < 0 ? null : flags.asks,
    timeoutS: Number.isFinite(flags.timeout) ? flags.timeout : null,
    isolate: flags.isolate ?? false,
    clarifyOnly: flags.clarifyOnly ?? false,
    bequest: flags.bequest ?? false,
  };
}

/** The brief is there, and no more was asked for. What was said is added to it; nothing is run and nothing is paid. */
function alreadyClear(
  screen: Screen,
  request: Request,
  { state, places, flags }: { state: WakeState; places: CliPlaces; flags: GoFlags },
): number {
  // Building the flow adds the words.
  if (request.words) starterFlow(request.words, starterOptions(request, places, flags));
  screen.ui.notice(text('clarify.already', { path: state.brief }), 'green', '+ ');
  return 0;
}

function notices({ ui }: Screen, places: CliPlaces, flags: GoFlags): void {
  const home = placesOf(places.workspace, { isolate: flags.isolate ?? false }).home;
  if (flags.workbench) ui.notice(text('notice.workbench', { path: home }), 'dim', '- ');
  if (flags.trim) ui.notice(text('notice.trim'), 'dim', '- ');
  const old = oldRunsNotice(places, flags);
  if (old !== null) ui.notice(old, 'yellow', '! ');
}
