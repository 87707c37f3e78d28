import type { SessionKey, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import type { RunDatabase } from '../database/database.js';
import { isDerived } from './curate/madeUp.js';
import { parsePayloads } from './parsePayloads.js';
import { storeKey } from './storeKey.js';

/** Lines that the harness keeps for itself and never hands to a store. */
const localTypes = new Set(['api-request', 'api-request-shape', 'api-request-blob']);

/**
 * Puts the lines of a transcript file that are missing in the store at their place, in one transaction, and gives their number.
 * The order of the list is the history, so each goes behind the stored entry that precedes it in the file. `added` is called
 * inside the transaction with the new entries.
 *
 * A file of a resumed session was written from a curated copy, so entries that curation made up stand in it; they are made anew at
 * each load and are not part of the record.
 */
export function importLines(
  database: RunDatabase,
  key: SessionKey,
  lines: Iterable<string>,
  added: (entries: SessionStoreEntry[]) => void,
): number {
  const { handle } = database;
  const stored = storeKey(key);
  return database.transaction(() => {
    const rows = handle
      .prepare(
        'SELECT seq, uid, iif(uid IS NULL, payload, NULL) AS payload FROM entries WHERE store_key = ? ORDER BY seq',
      )
      .iterate(stored);
    const places = new Map<string, number>();
    const withoutUuid = new Set<string>();
    for (const row of rows as Iterable<{ seq: number; uid: string | null; payload: string | null }>) {
      if (row.uid !== null) places.set(row.uid, row.seq);
      else if (row.payload !== null) withoutUuid.add(row.payload);
    }

    const missing: Missing[] = [];
    let behind = -1;
    for (const line of lines) {
      const [entry] = parsePayloads([line]);
      if (!entry || localTypes.has(entry.type) || isDerived(entry)) continue;
      const payload = JSON.stringify(entry);
      const uid = typeof entry.uuid === 'string' ? entry.uuid : null;
      const place = uid === null ? undefined : places.get(uid);
      if (place !== undefined) behind = place;
      else if (uid !== null || !withoutUuid.has(payload)) {
        missing.push({ behind, uid, payload, entry });
        if (uid === null) withoutUuid.add(payload);
        else places.set(uid, behind);
      }
    }
    if (missing.length === 0) return 0;

    insertBehind(database, stored, missing);
    added(missing.map((row) => row.entry));
    return missing.length;
  }, 'store.import');
}

interface Missing {
  /** `seq` of the stored row that this one follows; -1 for the very beginning. */
  readonly behind: number;
  readonly uid: string | null;
  readonly payload: string;
  readonly entry: SessionStoreEntry;
}

/** Raises the `seq` of the rows behind each place by as many as are put there. They pass through negative numbers, as a key may not clash on the way. */
function insertBehind({ handle }: RunDatabase, stored: string, missing: readonly Missing[]): void {
  const ordered = missing.map((row, i) => ({ ...row, i })).sort((a, b) => a.behind - b.behind || a.i - b.i);
  const insert = handle.prepare('INSERT INTO entries (store_key, seq, uid, payload) VALUES (?, ?, ?, ?)');
  const lift = handle.prepare('UPDATE entries SET seq = -1 - seq - ? WHERE store_key = ? AND seq > ? AND seq <= ?');
  const land = handle.prepare('UPDATE entries SET seq = -1 - seq WHERE store_key = ? AND seq < 0');
  const last = handle
    .prepare('SELECT coalesce(max(seq), -1) FROM entries WHERE store_key = ?')
    .pluck()
    .get(stored) as number;
  ordered.forEach((row, i) => {
    const next = ordered[i + 1]?.behind ?? last;
    if (next > row.behind) lift.run(i + 1, stored, row.behind, next);
  });
  land.run(stored);
  ordered.forEach((row, i) => {
    insert.run(stored, row.behind + 1 + i, row.uid, row.payload);
  });
  handle
    .prepare(
      `INSERT INTO meta (store_key, mtime, next_seq) VALUES (?, 0, ?)
       ON CONFLICT (store_key) DO UPDATE SET next_seq = max(next_seq + ?, excluded.next_seq)`,
    )
    .run(stored, last + 1 + ordered.length, ordered.length);
}
