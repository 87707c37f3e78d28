import { join } from 'node:path';
import { writeDocument } from '../documents/documentFile.js';
import { FlowerError } from '../errors.js';
import { Event } from '../events/event.js';
import { exitCodeOf } from '../events/exitCode.js';
import { text } from '../locale/locale.js';
import { leaveBequest } from './bequest.js';
import type { Ctx } from './ctx.js';
import type { EventLog } from './eventLog.js';
import { DOCUMENTS_KEPT, documentsNow } from './keptDocuments.js';
import { type ReportFacts, runReport } from './report.js';
import { reportMarkdown } from './reportMarkdown.js';
import type { RuntimeLike } from './runtimeLike.js';

/** Each waits a quarter of a second. */
const LAST_TRIES = 8;

/**
 * The end of a run, after its outcome is known: books it, leaves what was asked for, writes the report, and logs the last row. None
 * of it can fail the run.
 */
export async function closeRun(
  facts: ReportFacts & { readonly runtime: RuntimeLike; readonly log: EventLog },
): Promise<void> {
  const { flow, runtime, log, outcome } = facts;
  const ctx = flow.context;
  const { books, runId } = runtime;
  const documents = documentsNow(ctx._brief?.path, ctx._goal?.path);
  // In one commit: without the documents the next start could not tell that nothing new is wanted, and would pay for another round.
  const settle = () => {
    if (runId) books?.endRun(runId, outcome);
    books?.keep(DOCUMENTS_KEPT, documents);
  };
  await harmless(() => insist(() => books?.transaction(settle, 'books.outcome')));
  const worked = facts.work !== null && outcome.ended !== 'interrupted';
  if (flow.bequest && worked) await harmless(() => leaveBequest(facts));
  if (facts.results.length > 0) await harmless(() => report(facts, ctx));
  log.write(frameEvent('run_ended', { ...outcome, exit: exitCodeOf(outcome), ...moneyOf(runtime) }));
}

/** The first or the last row of a run's event log. */
export function frameEvent(name: 'run_started' | 'run_ended', payload: Readonly<Record<string, unknown>>): Event {
  return new Event('system', { text: name, payload: { schema: 1, ...payload } });
}

async function report(facts: ReportFacts, ctx: Ctx): Promise<void> {
  const data = await runReport(facts);
  ctx._report = data;
  const bench = facts.flow.workbench ?? ctx._runtime?.workbench;
  if (!bench) return;
  const { locale } = facts.flow;
  const path = join(bench.notes, text('file.report', {}, locale));
  ctx._report_path = writeDocument(path, reportMarkdown(data, locale), 'document.report');
}

function moneyOf({ books, runId, manifestPath }: RuntimeLike): Record<string, unknown> {
  try {
    const own = books?.rows().filter(({ run }) => run === runId) ?? [];
    const spent = own.reduce((sum, row) => sum + row.cost_usd, 0);
    return { spent_usd: spent, total_usd: books?.spentUsd() ?? spent, manifest: manifestPath ?? null };
  } catch {
    return { manifest: manifestPath ?? null };
  }
}

/** Somebody who reads may have the database for a moment, and an outcome that is not booked is lost. */
function insist(write: () => void): void {
  for (let i = 1; ; i += 1) {
    try {
      write();
      return;
    } catch (error) {
      if (i === LAST_TRIES || !(FlowerError.isInstance(error) && error.code === 'database_locked')) throw error;
    }
  }
}

/** Books that cannot be written were reported when a step was booked; a report that fails is no reason to lose an outcome. */
async function harmless(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // Nothing depends on it.
  }
}
