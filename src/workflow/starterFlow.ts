import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { coordinator } from '../agent/roles/coordinator.js';
import { worker } from '../agent/roles/worker.js';
import { Books } from '../books/books.js';
import { Lineage } from '../books/lineage.js';
import { acquireRunLock } from '../database/runLock.js';
import { amendmentsOf } from '../documents/amendments.js';
import { Brief } from '../documents/brief.js';
import { Goal } from '../documents/goal.js';
import { Verdict } from '../documents/verdict.js';
import { FlowerError } from '../errors.js';
import { HumanChannel } from '../human/humanChannel.js';
import { type Locale, text } from '../locale/locale.js';
import { Workbench } from '../workbench/workbench.js';
import { clarifyStep } from './clarifyStep.js';
import type { Ctx } from './ctx.js';
import { goalStep } from './goalStep.js';
import { keepRequest, openRequests } from './openRequests.js';
import { type Places, placesOf } from './places.js';
import { Step } from './step.js';
import { withGoal } from './withGoal.js';
import { Workflow } from './workflow.js';

export interface StarterOptions {
  /** @default '.' */
  readonly workspace?: string;
  /** @default 'runs', against the current directory */
  readonly runDir?: string;
  /** Put brief, goal and lineage of before into the archive and begin anew. @default false */
  readonly new?: boolean;
  /** A git worktree for each worker. @default false */
  readonly isolate?: boolean;
  /** Stop after the brief. @default false */
  readonly clarifyOnly?: boolean;
  /** Set a goal and have it judged. @default true */
  readonly goal?: boolean;
  /** Work rounds in all. @default 3 */
  readonly rounds?: number;
  /** The judge may run commands. @default false */
  readonly judgeCanRun?: boolean;
  /** Questions that the agents may ask; null is no limit. @default null */
  readonly maxAsks?: number | null;
  /** Seconds that a question waits; 0 never waits, null for ever. @default 1800 */
  readonly timeoutS?: number | null;
  /** Further words for the clarifier. @default '' */
  readonly instructions?: string;
  /** What every worker is told. @default the pack's */
  readonly workerPrompt?: string;
  /** At the end write a handoff for other coding tools into CLAUDE.md and AGENTS.md of the workspace. @default false */
  readonly bequest?: boolean;
  /** URL or command that is told when a person is wanted, see `WorkflowOptions`. @default what `FLOWER_NOTIFY` says */
  readonly notify?: string | null;
  /** File name of the brief in the notes. @default 'brief.md', 需求.md in zh */
  readonly briefName?: string;
  /** File name of the goal in the notes. @default 'goal.md', 目标.md in zh */
  readonly goalName?: string;
  /** File name of the record of questions in the notes. @default 'qa-log.md', in zh its own */
  readonly logName?: string;
  /** For a directory that has no documents yet. @default the active locale */
  readonly locale?: Locale;
}

/**
 * The worked example that the `flower` program runs: clarify, set the goal, work under an independent judge. Building it already
 * writes (folders, an amendment, the archive), so it refuses a run directory that another process works in.
 *
 * @param ask the person's words; may be empty where a brief exists already, or a clarifier was cut off
 * @throws {FlowerError} `need_ask`, `isolate_needs_git`, `run_locked`
 * @example
 * const flow = starterFlow('Build me a word counter', { workspace: '/home/ann/app', timeoutS: 0 });
 * await flow.run(new Runtime({ workspace: '/home/ann/app', runDir: '/home/ann/app/runs', workbench: flow.workbench ?? false }));
 */
export function starterFlow(ask: string, options: StarterOptions = {}): Workflow {
  const { workspace = '.', runDir = 'runs', isolate = false, goal = true, rounds = 3 } = options;
  const places = placesOf(workspace, options);
  const { locale } = places;
  const said = ask.trim();
  if (isolate && !insideGit(places.workspace)) {
    throw new FlowerError('isolate_needs_git', text('starter.isolateNeedsGit', { path: places.workspace }, locale));
  }
  const fresh = options.new ?? false;
  const waking = !fresh && (Brief.load(places.brief)?.complete() ?? false);
  const open = waking || fresh ? [] : openRequests(runDir, places);
  if (!waking && !said && open.length === 0) throw new FlowerError('need_ask', text('starter.needAsk', {}, locale));

  const lock = acquireRunLock(runDir, { locale });
  try {
    if (fresh) {
      Lineage.open(runDir, places.workspace).archive(join(places.notes, 'archive'), {
        extra: [places.brief, places.goal],
      });
    }
    if (!waking) keepRequest(runDir, places, said);
    // A clarifier that was cut off goes on where it was and is not given the request again. Other words than that must not be lost.
    const mail = open.length > 0 && !open.includes(said) ? said : '';
    const workbench = new Workbench(places.workspace, { home: places.home, locale }).ensure();
    const channel = new HumanChannel({
      logPath: places.log,
      amendPath: places.brief,
      maxAsks: options.maxAsks ?? null,
      timeoutS:
        options.timeoutS === undefined ? 1800 : options.timeoutS === null ? null : Math.max(0, options.timeoutS),
      locale,
    });
    if (mail) channel.send(mail);
    const amended = waking && said !== '' && addToBrief(channel, said, places);
    const verdict = waking ? lastFeedback(runDir, places) : '';
    const steps = stepsOf({ options, places, channel, said: said || (open[0] ?? ''), amended, verdict, goal, rounds });
    const { bequest = false, notify } = options;
    return new Workflow(steps, { name: 'starter', channel, workbench, locale, bequest, notify });
  } finally {
    lock.release();
  }
}

interface StepParts {
  readonly options: StarterOptions;
  readonly places: Places;
  readonly channel: HumanChannel;
  readonly said: string;
  readonly amended: boolean;
  readonly verdict: string;
  readonly goal: boolean;
  readonly rounds: number;
}

function stepsOf({ options, places, channel, said, amended, verdict, goal, rounds }: StepParts): Step[] {
  const { locale } = places;
  const clarify = clarifyStep(channel, {
    briefPath: places.brief,
    prompt: said,
    instructions: options.instructions ?? '',
    locale,
  });
  if (options.clarifyOnly) return [clarify];

  const coder = worker(
    text('worker.description', {}, locale),
    options.workerPrompt ?? text('worker.prompt', {}, locale),
    {
      isolate: options.isolate ?? false,
      locale,
    },
  );
  const boss = coordinator(text('role.coordinator', {}, locale), '', { coder }, { channel, locale });
  const work = new Step('work', boss, (ctx) => firstPrompt(ctx, locale), {
    resumePrompt: (ctx) => resumePrompt(ctx, { said, amended, verdict, locale }),
  });
  if (!goal) return [clarify, work];

  const canRun = options.judgeCanRun ?? false;
  return [
    clarify,
    // New words change what is wanted: without a new list the judge would rule by the old one.
    goalStep(channel, { goalPath: places.goal, alwaysSet: amended, canRun, locale }),
    withGoal(work, channel, { goalPath: places.goal, briefPath: places.brief, rounds, canRun, locale }),
  ];
}

function firstPrompt(ctx: Ctx, locale: Locale): string {
  const brief = text('work.prompt', { brief: String(ctx.clarify ?? '') }, locale);
  return ctx._goal ? `${brief}\n\n---\n\n${text('work.goalPart', { goal: ctx._goal.promptBlock() }, locale)}` : brief;
}

/** The whole brief is not sent again: it would read as if the requirement had changed. */
function resumePrompt(ctx: Ctx, from: { said: string; amended: boolean; verdict: string; locale: Locale }): string {
  const { said, amended, verdict, locale } = from;
  const parts = [said || text('work.resume', {}, locale)];
  if (amended && ctx._goal) parts.push(text('work.resumeAmended', { goal: ctx._goal.promptBlock() }, locale));
  if (verdict) parts.push(text('work.resumeVerdict', { feedback: verdict }, locale));
  return parts.join('\n\n');
}

/** Words that stand in the brief already, as a whole amendment, are not added again. */
function addToBrief(channel: HumanChannel, said: string, places: Places): boolean {
  const added = amendmentsOf(Brief.load(places.brief)?.unknowns ?? '');
  if (added.some(({ words }) => asSaid(words) === asSaid(said))) return false;
  return channel.amend(said, { label: text('amend.wake', {}, places.locale) });
}

/** Words as they were said, without what writing them into a file changes. */
function asSaid(words: string): string {
  return words.replace(/\r\n?/g, '\n').replace(/^ ?#/gm, '#').trim();
}

/** What the last judge missed: a kill between a verdict and the next round must not lose it. */
function lastFeedback(runDir: string, places: Places): string {
  const { locale } = places;
  const books = Books.peek(runDir);
  const row = books?.rows().findLast(({ step }) => /·(verdict|判定)#\d+$/u.test(step));
  const settled = books?.lastOutcome()?.verified;
  books?.close();
  if (!row || settled === 'accepted') return '';
  const verdict = Verdict.parse(row.text, { locale });
  const lacking = verdict.achieved ? verdict.lacking(Goal.load(places.goal)?.checks.length ?? 0) : [];
  if (lacking.length > 0) {
    verdict.state = 'not_yet';
    verdict.reason = text('goal.verifyLacking', { numbers: lacking.join(', ') }, locale);
  }
  return verdict.ok && !verdict.achieved ? verdict.feedback() : '';
}

function insideGit(folder: string): boolean {
  try {
    const { PATH, HOME } = process.env;
    const answer = execFileSync('git', ['-C', folder, 'rev-parse', '--is-inside-work-tree'], {
      // A GIT_DIR of whoever started flower would speak for another repository.
      env: { PATH, HOME, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return answer.toString().trim() === 'true';
  } catch {
    return false;
  }
}
