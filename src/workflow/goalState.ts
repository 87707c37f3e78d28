import { relative, resolve, sep } from 'node:path';
import { amendmentsOf, amendmentText } from '../documents/amendments.js';
import { Brief } from '../documents/brief.js';
import type { Goal } from '../documents/goal.js';
import type { HumanChannel } from '../human/humanChannel.js';
import type { Ctx } from './ctx.js';
import type { RuntimeLike } from './runtimeLike.js';
import { changedFiles, type FileChange, type WorkspaceState, workspaceState } from './workspaceState.js';

/** What a goal guard compares a round with. Kept in the books, so that a restarted run compares with the same. */
export interface GoalState {
  /** The workspace when the goal was set; null where nobody saw that moment. */
  readonly start: WorkspaceState | null;
  /** The goal as it was frozen, without its hash line. */
  readonly frozen: string;
  /** What the person had added to the brief by then. */
  readonly amendments: readonly string[];
  /** The last round that was not achieved, until a person decides about going on. */
  readonly round: { readonly failed: readonly string[]; readonly workspace: WorkspaceState } | null;
}

/** Takes the state of things when a goal is frozen. */
export async function beginGoalState(
  ctx: Ctx,
  goal: Goal,
  about: { readonly goalPath: string; readonly channel: HumanChannel },
): Promise<void> {
  const state = {
    start: await lookAtWorkspace(ctx._runtime),
    frozen: goal.toMarkdown(),
    amendments: amendmentsAt(ctx._brief?.path ?? null, about.channel),
    round: null,
  };
  saveGoalState(ctx, about.goalPath, state);
}

/** The state of this goal; null if it was never taken. */
export function goalState(ctx: Ctx, goalPath: string): GoalState | null {
  if (ctx._goal_state) return ctx._goal_state;
  const name = nameOf(ctx._runtime, goalPath);
  const kept = name && (contained(() => ctx._runtime?.books?.kept(name)) as GoalState | undefined);
  if (kept) ctx._goal_state = kept;
  return kept || null;
}

/** Puts the state into `ctx` and the books. That a restart cannot compare is no reason to stop. */
export function saveGoalState(ctx: Ctx, goalPath: string, state: GoalState): void {
  ctx._goal_state = state;
  const name = nameOf(ctx._runtime, goalPath);
  if (name) contained(() => ctx._runtime?.books?.keep(name, state));
}

/** The state of the workspace now; null without one, or if it cannot be read. */
export async function lookAtWorkspace(runtime: RuntimeLike | undefined): Promise<WorkspaceState | null> {
  if (!runtime?.workspace) return null;
  return workspaceState(runtime.workspace, ownFolders(runtime)).catch(() => null);
}

/** The files that differ between two states of the workspace; null where one is not known. */
export async function changesBetween(
  runtime: RuntimeLike | undefined,
  then: WorkspaceState | null | undefined,
  now: WorkspaceState | null,
): Promise<FileChange[] | null> {
  if (!runtime?.workspace || !then || !now) return null;
  return changedFiles(runtime.workspace, then, now, ownFolders(runtime)).catch(() => null);
}

/** What the person has added to a brief, heading and words to the letter, oldest first; from the file where nobody keeps a record. */
export function amendmentsAt(briefPath: string | null, channel: HumanChannel | null): readonly string[] {
  if (!briefPath) return [];
  return (
    amendmentsOnRecord(briefPath, channel) ?? amendmentsOf(Brief.load(briefPath)?.unknowns ?? '').map(amendmentText)
  );
}

/** As `amendmentsAt`; null where nobody keeps a record, so that nobody can say what in the file is not the person's. */
export function amendmentsOnRecord(briefPath: string, channel: HumanChannel | null): readonly string[] | null {
  return channel?.amendPath && resolve(channel.amendPath) === resolve(briefPath) ? channel.amendments : null;
}

/** One name for each goal: by its place in the workspace, which a moved workspace keeps; with the workspace if that shares a run directory. */
function nameOf(runtime: RuntimeLike | undefined, goalPath: string): string | null {
  const { workspace, runDir } = runtime ?? {};
  if (!workspace || !runDir) return null;
  const isOwn = runDir.startsWith(workspace + sep);
  return `goal ${isOwn ? '' : workspace} ${relative(workspace, goalPath)}`;
}

function ownFolders({ runDir, workbench }: RuntimeLike): string[] {
  return [runDir, workbench?.root].filter((path) => path !== undefined);
}

function contained<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
