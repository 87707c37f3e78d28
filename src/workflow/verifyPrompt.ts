import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Brief } from '../documents/brief.js';
import type { Goal } from '../documents/goal.js';
import { type Locale, text } from '../locale/locale.js';
import type { StepResult } from '../runtime/stepResult.js';
import { changeList } from './changeList.js';
import type { Ctx } from './ctx.js';
import { frozenEdit, frozenGone } from './frozenEdit.js';
import { changesBetween, type GoalState } from './goalState.js';
import { platformFacts } from './platformFacts.js';
import type { WorkspaceState } from './workspaceState.js';

const MAX_READ = 1024 * 1024;

/** What a judge is told about one round. */
export interface Round {
  readonly work: StepResult;
  readonly goal: Goal;
  /** Its file is gone, or holds no goal any more. */
  readonly goalIsGone: boolean;
  /** The goal as it was frozen, as far as somebody knows it. */
  readonly frozen: string | null;
  readonly briefPath: string | null;
  /** What the person has added to the brief, oldest first. */
  readonly amendments: readonly string[];
  readonly state: GoalState | null;
  /** The workspace as the round left it. */
  readonly workspace: WorkspaceState | null;
}

/**
 * The order to judge a round: the goal, the worker's reply and the advice not to rely on it; and, so that a judge who may only read
 * sees what a reply can leave out, what nobody but the framework knows: edits of the frozen files, words of the person since then,
 * changed files, commands that were run.
 */
export async function verifyPrompt(ctx: Ctx, round: Round, locale: Locale): Promise<string> {
  const { work, goal, goalIsGone, frozen, briefPath, state, amendments } = round;
  const added = amendments.slice(state?.amendments.length ?? Number.POSITIVE_INFINITY);
  const changes = await changesSince(ctx, round, locale);
  const commands = ctx._commands?.shown(locale);
  const parts = [
    text(
      'goal.verifyPrompt',
      {
        goal: goal.complete() ? goal.promptBlock() : text('goal.none', {}, locale),
        reply: work.text || text('goal.noReply', {}, locale),
        platform: platformFacts(locale),
        brief: briefPath ?? text('goal.noBrief', {}, locale),
      },
      locale,
    ),
    goalIsGone ? frozenGone(ctx, goal, locale) : frozenEdit(ctx, goal, { frozen, locale }),
    briefPath &&
      frozenEdit(ctx, Brief.load(briefPath), { frozen: ctx._brief?.toMarkdown() ?? null, amendments, locale }),
    added.length > 0 && text('goal.verifyAmendments', { amendments: added.join('\n\n') }, locale),
    changes !== null && text('goal.verifyChanges', { changes }, locale),
    commands !== undefined && text('goal.verifyCommands', { commands }, locale),
  ];
  return parts.filter(Boolean).join('\n\n');
}

async function changesSince(ctx: Ctx, { state, workspace: now }: Round, locale: Locale): Promise<string | null> {
  const changes = await changesBetween(ctx._runtime, state?.start, now);
  const workspace = ctx._runtime?.workspace;
  if (!changes || !workspace) return null;
  const read = (path: string) => {
    try {
      const content = readFileSync(join(workspace, path));
      return content.length > MAX_READ || content.includes(0) ? null : content.toString();
    } catch {
      return null;
    }
  };
  return changeList(changes, { workspace, head: state?.start?.head ?? null, locale, read });
}
