import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { AgentSpec } from '../agent/agentSpec.js';
import { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import { Bequest, isDegraded } from './bequestDocument.js';
import type { Ctx } from './ctx.js';
import type { EventLog } from './eventLog.js';
import { blockIn, withBlock } from './managedBlock.js';
import type { ReportFacts } from './report.js';

const FILES = ['CLAUDE.md', 'AGENTS.md'];
const MAX_TURNS = 12;
const MAX_BUDGET_USD = 0.5;
const GOAL_LINES = 5;

/**
 * Has a session that may only read write down what the next tool must know, and puts it as a block into CLAUDE.md and AGENTS.md of the
 * workspace. If that fails, what is known without a model stands in for it, but never in place of a good block.
 */
export async function leaveBequest(facts: ReportFacts & { readonly log: EventLog }): Promise<void> {
  const { flow, log } = facts;
  const { locale, context: ctx } = flow;
  const bench = flow.workbench ?? ctx._runtime?.workbench;
  const workspace = ctx._runtime?.workspace;
  if (!bench || !workspace) return;
  const written = await ask(facts);
  const bequest =
    written.bequest ?? withoutModel(ctx, { root: bench.root, notes: bench.notes, why: written.why, locale });
  const begin = text('bequest.begin', {}, locale);
  const body = bequest.toMarkdown(bench.notes);
  const paths = filesIn(workspace);
  for (const path of paths) {
    const old = existsSync(path) ? readFileSync(path) : null;
    // As UTF-16 a block of bytes would be garbage.
    if (old?.includes(0)) continue;
    const before = blockIn(old);
    const keeps = written.bequest === null && before !== null && !isDegraded(before);
    const next = withBlock(old, { begin, body: keeps ? withNote(before, written.why, locale) : body });
    if (!old?.equals(next)) writeFileAtomic.sync(path, next);
  }
  const words = text('bequest.done', { paths: paths.join(', ') }, locale);
  log.write(new Event('task', { text: words, payload: { bequest: paths, degraded: written.bequest === null } }));
}

/** The session. Paid from the run's account; with nothing left there is none. */
async function ask({ flow, outcome, log }: ReportFacts & { readonly log: EventLog }): Promise<{
  bequest: Bequest | null;
  why: string;
}> {
  const { locale, context: ctx } = flow;
  if (outcome.ended === 'budget_exhausted' || !ctx._runtime) return { bequest: null, why: outcome.ended };
  const spec = new AgentSpec({
    name: 'bequest',
    instructions: '',
    allowedTools: ['Read', 'Glob', 'Grep'],
    maxTurns: MAX_TURNS,
    maxBudgetUsd: MAX_BUDGET_USD,
  });
  log.step = spec.name;
  try {
    const result = await ctx._runtime.run(spec, text('bequest.prompt', {}, locale), { onEvent: log.write });
    const bequest = Bequest.parse(result.text, locale);
    return bequest.complete() ? { bequest, why: '' } : { bequest: null, why: result.error ?? 'incomplete' };
  } finally {
    log.step = '';
  }
}

/** What is known without a model. */
function withoutModel(
  ctx: Ctx,
  known: { readonly root: string; readonly notes: string; readonly why: string; readonly locale: Locale },
): Bequest {
  const { root, notes, why, locale } = known;
  const goal = ctx._goal?.statement.trim().split('\n').slice(0, GOAL_LINES).join('\n');
  const about = goal || (ctx._brief?.path ?? notes);
  const folders = ['notes', 'artifacts', 'scripts'].map((name) => `- ${join(root, name)}`);
  return new Bequest(
    { what: `${text('bequest.degraded', {}, locale)} (${why})\n${about}`, workbench: folders.join('\n') },
    locale,
  );
}

/** A good block of an earlier run stays; that this time none could be written is one line more. */
function withNote(before: string, why: string, locale: Locale): string {
  const mark = text('bequest.degraded', {}, locale);
  const lines = before.split('\n').filter((line) => !line.startsWith(`- ${mark}`));
  return `${lines.join('\n').trimEnd()}\n\n- ${mark} (${why})`;
}

/** The two files, once each: one is often a link to the other. What leads out of the workspace belongs to somebody else. */
function filesIn(workspace: string): string[] {
  const root = realpathSync(workspace);
  const files = FILES.flatMap((name) => {
    const path = join(root, name);
    try {
      return lstatSync(path).isSymbolicLink() ? [realpathSync(path)] : [path];
    } catch (error) {
      // A link that leads nowhere is left alone, a file that is missing is made.
      return (error as NodeJS.ErrnoException).code === 'ENOENT' && !isLink(path) ? [path] : [];
    }
  });
  return [...new Set(files)].filter((path) => path.startsWith(root + sep) || dirname(path) === root);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
