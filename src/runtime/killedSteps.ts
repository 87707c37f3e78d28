import type { SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import type { Books } from '../books/books.js';
import type { ManifestRow } from '../books/types.js';
import { lastStoredAt, readTranscripts, replyCosts, storedAt } from './transcripts.js';

/** The error of a step that was cut off by the end of its process. */
export const KILLED = 'killed-by-signal';

/**
 * Puts onto the bill what killed steps spent between their last booking and their end: the usage that their sessions stored in that
 * time, workers included. Each row that gets something is marked as estimated. Doing it twice adds nothing.
 */
export async function billKilledSteps(books: Books, store: SessionStore, projectKey: string): Promise<void> {
  const rows = books.rows();
  const settled = new Map<ManifestRow, ManifestRow>();
  for (const row of rows) {
    if (row.error !== KILLED || row.session_id === null || !isLastOf(row.session_id, row, rows)) continue;
    const { main, workers } = await readTranscripts(store, { projectKey, sessionId: row.session_id });
    const entries = [main, ...workers].flat();
    const late = entries.filter((entry) => storedAt(entry) > row.ended_at);
    const usd = addedBy(late, { to: entries.filter((entry) => storedAt(entry) <= row.ended_at) });
    if (usd > 0) settled.set(row, lengthened(row, usd, late));
  }
  for (const run of new Set([...settled.keys()].map((row) => row.run))) {
    const own = rows.filter((row) => row.run === run);
    books.putSteps(
      run,
      own.map((row) => settled.get(row) ?? row),
    );
  }
}

/** A later step that went on with the session has the rest of it on its own bill. */
function isLastOf(sessionId: string, row: ManifestRow, rows: readonly ManifestRow[]): boolean {
  const own = rows.filter((other) => other.session_id === sessionId || other.retired?.includes(sessionId));
  return own.every((other) => other === row || other.ended_at < row.ended_at);
}

function lengthened(row: ManifestRow, usd: number, late: readonly SessionStoreEntry[]): ManifestRow {
  const endedAt = lastStoredAt(late);
  const durationS = Math.round((endedAt - row.started_at) * 100) / 100;
  return { ...row, cost_usd: row.cost_usd + usd, ended_at: endedAt, duration_s: durationS, cost_estimated: true };
}

/** A harness that is ended goes on to write the reply that it is at: of one that is counted already only the rest is due. */
function addedBy(late: readonly SessionStoreEntry[], { to: counted }: { to: readonly SessionStoreEntry[] }): number {
  const before = replyCosts(counted);
  return [...replyCosts(late)].reduce((sum, [id, { usd }]) => sum + Math.max(0, usd - (before.get(id)?.usd ?? 0)), 0);
}
