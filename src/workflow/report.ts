import type { RunOutcome } from '../books/types.js';
import { splitAmendments } from '../documents/amendments.js';
import { Brief } from '../documents/brief.js';
import { saysNone } from '../documents/placeholders.js';
import type { Verdict } from '../documents/verdict.js';
import type { WorktreeReport } from '../guards/worktrees/inspectWorktree.js';
import { leftWorktrees } from '../guards/worktrees/leftWorktrees.js';
import { text } from '../locale/locale.js';
import type { RoleUsage } from '../runtime/roleUsage.js';
import type { StepResult } from '../runtime/stepResult.js';
import { isTestFile } from './changeList.js';
import type { Ctx } from './ctx.js';
import { amendmentsAt, changesBetween, goalState, lookAtWorkspace } from './goalState.js';
import type { Workflow } from './workflow.js';
import type { FileChange } from './workspaceState.js';

/** What is known of a run at its end: plain facts, for the report and for a screen. Money is US dollars. */
export interface RunReport {
  readonly outcome: RunOutcome;
  /** What was wanted, as the brief has it; `''` without one. */
  readonly asked: string;
  /** What the person added while the work went on, heading and words. */
  readonly said: readonly string[];
  /** The last words of the work. What it claims is verified by nothing here. */
  readonly work: string;
  /** Files changed since the goal was set; null where nobody saw that moment. */
  readonly changes: readonly FileChange[] | null;
  readonly items: readonly ReportItem[];
  /** The items were judged before the last round. */
  readonly itemsAreOld: boolean;
  /** Items that are not there as met, in words. */
  readonly unverified: readonly string[];
  /** What was assumed, as the brief has it. */
  readonly assumed: string;
  /** What a person should look at, in words. */
  readonly look: readonly string[];
  readonly cost: readonly CostRow[];
  readonly totalUsd: number;
  readonly estimated: boolean;
  /** Worktrees of isolated workers that hold what is nowhere else. */
  readonly left: readonly WorktreeReport[];
}

export interface ReportItem {
  readonly number: number;
  readonly item: string;
  readonly state: 'met' | 'failed' | 'unverifiable' | 'unchecked';
  readonly evidence: string;
}

/** What one role cost in one step. `usage` is null where no transcript tells it. */
export interface CostRow {
  readonly step: string;
  /** The worker's name; null for the main thread. */
  readonly role: string | null;
  readonly usd: number;
  readonly usage: RoleUsage | null;
}

/** What only the run itself knows. */
export interface ReportFacts {
  readonly flow: Workflow;
  readonly outcome: RunOutcome;
  readonly work: StepResult | null;
  /** The last verdict of this run, and whether work went on after it. */
  readonly verdict: Verdict | null;
  readonly verdictIsOld: boolean;
  /** Results of the steps, in order, for a runtime without books. */
  readonly results: readonly StepResult[];
}

/** Gathers the facts. Asks no model. */
export async function runReport(facts: ReportFacts): Promise<RunReport> {
  const { flow, outcome, work, verdict } = facts;
  const ctx = flow.context;
  const items = itemsOf(ctx, verdict);
  const changes = await changesOf(ctx);
  const worktrees = ctx._runtime?.workspace ? await leftWorktrees(ctx._runtime.workspace) : [];
  const brief = briefOf(ctx);
  const unverified =
    outcome.verified === 'achieved' ? [] : items.filter(({ state }) => state !== 'met' && state !== 'failed');
  const assumed = splitAmendments(brief?.unknowns ?? '').body.trim();
  return {
    outcome,
    asked: [brief?.goal, brief?.accept].filter(Boolean).join('\n\n'),
    said: amendmentsAt(ctx._brief?.path ?? null, flow.channel),
    work: work?.text ?? '',
    changes,
    items,
    itemsAreOld: facts.verdictIsOld,
    unverified: unverified.map(({ number, item }) => `${number}. ${item}`),
    assumed: saysNone(assumed) ? '' : assumed,
    look: toLookAt({ flow, outcome, items, changes }),
    ...(await costOf(facts)),
    left: worktrees.filter(({ state }) => state !== 'clean' && state !== 'missing'),
  };
}

/** What stands in the file counts: words were added to it while the work went on. */
function briefOf(ctx: Ctx): Brief | null {
  return (ctx._brief?.path && Brief.load(ctx._brief.path)) || (ctx._brief ?? null);
}

function itemsOf(ctx: Ctx, verdict: Verdict | null): ReportItem[] {
  return (ctx._goal?.checks ?? []).map((item, i) => {
    const found = verdict?.items.find(({ number }) => number === i + 1);
    return { number: i + 1, item, state: found?.state ?? 'unchecked', evidence: found?.evidence ?? '' };
  });
}

async function changesOf(ctx: Ctx): Promise<FileChange[] | null> {
  const goalPath = ctx._goal?.path;
  const start = goalPath ? goalState(ctx, goalPath)?.start : null;
  return start ? changesBetween(ctx._runtime, start, await lookAtWorkspace(ctx._runtime)) : null;
}

function toLookAt(known: {
  flow: Workflow;
  outcome: RunOutcome;
  items: readonly ReportItem[];
  changes: readonly FileChange[] | null;
}): string[] {
  const { flow, outcome, items, changes } = known;
  const { locale, channel, context: ctx } = flow;
  const look: string[] = [];
  const open = items.filter(({ state }) => state !== 'met').map(({ number }) => number);
  if (outcome.verified === 'accepted' && open.length > 0) {
    look.push(text('report.look.accepted', { numbers: open.join(', ') }, locale));
  }
  if (outcome.verified === 'not_judged' && outcome.claimed) look.push(text('report.look.notJudged', {}, locale));
  const tests = (changes ?? []).filter(({ path, kind }) => kind !== 'new' && isTestFile(path)).map(({ path }) => path);
  if (tests.length > 0) look.push(text('report.look.tests', { files: tests.join(', ') }, locale));
  for (const path of new Set((ctx._edits_told ?? []).map((change) => change.slice(0, change.lastIndexOf(' '))))) {
    look.push(text('report.look.edited', { path }, locale));
  }
  for (const ask of channel?.asks ?? []) {
    if (ask.state === 'timeout') look.push(text('report.look.question', { question: oneLine(ask.question) }, locale));
  }
  for (const mail of channel?.pendingMail() ?? []) {
    look.push(text('report.look.mail', { words: oneLine(mail.text) }, locale));
  }
  return look;
}

/** The bill of this run, each step's divided among the roles by what they used at list price. */
async function costOf({ flow, results }: ReportFacts): Promise<Pick<RunReport, 'cost' | 'totalUsd' | 'estimated'>> {
  const { books, runId, usageByRole } = flow.context._runtime ?? {};
  const booked = books?.rows().filter(({ run }) => run === runId);
  const rows = booked ?? results.map((result) => result.toJSON());
  const usages = usageByRole ? await usageByRole.call(flow.context._runtime) : [];
  const cost = rows.flatMap((row): CostRow[] => {
    const used = usages.filter(({ step }) => step === row.step);
    const sum = used.reduce((total, { usd }) => total + usd, 0);
    if (sum === 0) return [{ step: row.step, role: null, usd: row.cost_usd, usage: used[0] ?? null }];
    return used.map((usage) => ({ step: row.step, role: usage.role, usd: (row.cost_usd * usage.usd) / sum, usage }));
  });
  return {
    cost,
    totalUsd: rows.reduce((total, row) => total + row.cost_usd, 0),
    estimated: rows.some((row) => row.cost_estimated === true),
  };
}

function oneLine(words: string): string {
  return words.replace(/\s+/g, ' ').trim();
}
