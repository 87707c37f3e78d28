import {
  foldSessionSummary,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
  type SessionSummaryEntry,
} from '@anthropic-ai/claude-agent-sdk';
import type { Statement } from 'better-sqlite3';
import { openDatabase, type RunDatabase } from '../database/database.js';
import { FlowerError } from '../errors.js';
import { text } from '../locale/locale.js';
import { AppendQueue, type Batch } from './appendQueue.js';
import { contextOf } from './contextOf.js';
import { importLines } from './importLines.js';
import { parsePayloads, unreadableIn } from './parsePayloads.js';
import { keysBelow, storeKey } from './storeKey.js';
import type { StoreFault, StoreQueries } from './storeQueries.js';
import { decodeSummary, encodeSummary } from './summaryRecord.js';

/**
 * Keeps session transcripts in one SQLite file, exactly as the harness hands them over: the record. What is fed back to a model is
 * made from it at each load by the stores that stand in front (`PruningSessionStore`, `TrimmingSessionStore`).
 *
 * An entry is known by its uuid, so a batch that is sent twice is stored once. A locked or full disk loses nothing: see `onFault`.
 *
 * @example
 * const store = new SqliteSessionStore('/home/ann/app/runs/sessions.db');
 * await store.append({ projectKey: 'app', sessionId: 's1' }, [{ type: 'user', uuid: 'u1' }]);
 * store.close();
 */
export class SqliteSessionStore implements SessionStore, StoreQueries {
  readonly #database: RunDatabase;
  readonly #statements: Statements;
  readonly #queue: AppendQueue;
  /** The newest time given to anything; two writes in one millisecond, or a clock set back, must not look like one write. */
  #clock: number;
  #closed = false;

  /**
   * Opens the file, or creates it with its folders. `:memory:` keeps everything in this process.
   *
   * @throws FlowerError if the file is damaged, locked, read-only, full or from a newer flower, with what to do about it.
   */
  constructor(path: string) {
    this.#database = openDatabase(path);
    this.#statements = prepareStatements(this.#database);
    this.#clock = this.#statements.newestTime.pluck().get() as number;
    this.#queue = new AppendQueue(this.#database.path, (batch) => this.#write(batch));
  }

  /** Stores the batch whole, without the entries whose uuid is stored already. Keeps it in memory if it cannot be written now. */
  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return;
    if (this.#closed) throw new FlowerError('store_closed', text('store.closed'));
    this.#queue.push({
      key,
      rows: entries.map((entry) => ({ uid: uuidOf(entry), payload: JSON.stringify(entry), entry })),
    });
  }

  /**
   * All entries in order, also those that still wait to be written; null for a key that was never written.
   *
   * @throws FlowerError `store_unreadable` if the key is known and nothing of it can be read: an empty answer would make the
   * harness resume an old local copy.
   */
  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    this.#queue.flush();
    const stored = storeKey(key);
    try {
      const isKnown = this.#statements.meta.get(stored) !== undefined;
      const waiting = this.#queue.waitingFor(key);
      if (!isKnown && waiting.length === 0) return null;
      const entries = parsePayloads(this.#statements.payloads.pluck().iterate(stored) as Iterable<unknown>, waiting);
      if (entries.length === 0) throw new Error(text('store.nothingReadable', { n: unreadableIn(entries) }));
      return entries;
    } catch (error) {
      throw unreadable(this.#database.path, stored, error);
    }
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const { from, to } = keysBelow(`${projectKey}/`);
    const rows = this.#statements.metaBetween.all(from, to) as MetaRow[];
    return rows
      .map((row) => ({ sessionId: row.store_key.slice(from.length), mtime: row.mtime }))
      .filter((session) => !session.sessionId.includes('/'));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const texts = this.#statements.summaries.pluck().all(projectKey) as string[];
    return texts.map(decodeSummary).filter((summary) => summary !== undefined);
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const { from, to } = keysBelow(`${storeKey(key)}/`);
    return (this.#statements.metaBetween.all(from, to) as MetaRow[]).map((row) => row.store_key.slice(from.length));
  }

  /** Removes a transcript; a main one with its subagents and its summary. */
  async delete(key: SessionKey): Promise<void> {
    const stored = storeKey(key);
    const { from, to } = keysBelow(`${stored}/`);
    const isMain = key.subpath === undefined;
    this.#database.transaction(() => {
      this.#statements.deleteEntries.run(stored);
      this.#statements.deleteMeta.run(stored);
      if (!isMain) return;
      this.#statements.deleteEntriesBetween.run(from, to);
      this.#statements.deleteMetaBetween.run(from, to);
      this.#statements.deleteSummary.run(key.projectKey, key.sessionId);
    }, 'store.delete');
    this.#queue.discard((waiting) => waiting === stored || (isMain && waiting.startsWith(from)));
  }

  projects(): string[] {
    const keys = this.#statements.allKeys.pluck().all() as string[];
    return [...new Set(keys.map((key) => key.slice(0, Math.max(0, key.indexOf('/')))))].sort();
  }

  hasSession(projectKey: string, sessionId: string): boolean {
    const key = { projectKey, sessionId };
    return this.#statements.meta.get(storeKey(key)) !== undefined || this.#queue.waitingFor(key).length > 0;
  }

  lastContext(projectKey: string, sessionId: string, options: { readonly scan?: number } = {}): number {
    const { scan = 60 } = options;
    return contextOf(this.#newest({ projectKey, sessionId }, scan));
  }

  /** What keeps entries from being stored, once it has been reported; null if all is well. */
  get fault(): StoreFault | null {
    return this.#queue.fault;
  }

  /**
   * Called once when entries begin to wait in memory (a full disk or an I/O error at once, a foreign lock after 30 s) and once with
   * null when all are written.
   */
  get onFault(): ((fault: StoreFault | null) => void) | null {
    return this.#queue.onFault;
  }

  set onFault(listener: ((fault: StoreFault | null) => void) | null) {
    this.#queue.onFault = listener;
  }

  /** Writes what waits in memory; true if nothing waits any more. */
  flush(): boolean {
    return this.#queue.flush();
  }

  /**
   * Takes the lines of a local transcript file of the harness that never reached the store, each at its place, and gives their
   * number. A second import adds nothing.
   *
   * @throws FlowerError if it could not be written; then nothing was.
   */
  importTranscript(key: SessionKey, lines: Iterable<string>): number {
    if (!this.#queue.flush()) throw this.#queue.refusal();
    return importLines(this.#database, key, lines, (added) => this.#touch(key, added));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.flush();
    this.#queue.stop();
    this.#database.close();
  }

  #write({ key, rows }: Batch): void {
    if (!this.#database.isInPlace()) throw moved(this.#database.path);
    const stored = storeKey(key);
    this.#database.transaction(() => {
      const meta = this.#statements.meta.get(stored) as MetaRow | undefined;
      const first = meta?.next_seq ?? 0;
      let seq = first;
      const fresh: SessionStoreEntry[] = [];
      for (const { uid, payload, entry } of rows) {
        if (this.#statements.insert.run(stored, seq, uid, payload).changes === 0) continue;
        seq += 1;
        fresh.push(entry ?? JSON.parse(payload));
      }
      if (seq === first) return;
      this.#statements.setMeta.run(stored, meta?.mtime ?? 0, seq);
      this.#touch(key, fresh);
    }, 'store.append');
  }

  /** The newest entries, read as far as they are asked for. */
  *#newest(key: SessionKey, scan: number): Generator<SessionStoreEntry> {
    const waiting = this.#queue.waitingFor(key).reverse().slice(0, scan);
    for (const payload of waiting) yield* parsePayloads([payload]);
    const stored = this.#statements.newest.pluck().iterate(storeKey(key), scan - waiting.length);
    for (const payload of stored) yield* parsePayloads([payload]);
  }

  /** Inside a transaction: new time for the key, and the new entries folded into its summary. */
  #touch(key: SessionKey, entries: SessionStoreEntry[]): void {
    this.#clock = Math.max(
      this.#clock + 1,
      Date.now(),
      1 + (this.#statements.time.pluck().get(storeKey(key)) as number),
    );
    this.#statements.setTime.run(this.#clock, storeKey(key));
    if (key.subpath !== undefined) return;
    const known = this.#statements.summary.pluck().get(key.projectKey, key.sessionId) as string | undefined;
    const previous = known === undefined ? undefined : decodeSummary(known);
    const summary = foldSessionSummary(previous, key, entries, { mtime: this.#clock });
    this.#statements.setSummary.run(key.projectKey, key.sessionId, this.#clock, encodeSummary(summary));
  }
}

interface MetaRow {
  readonly store_key: string;
  readonly mtime: number;
  readonly next_seq: number;
}

type Statements = Readonly<Record<keyof typeof sql, Statement>>;

const sql = {
  newestTime: 'SELECT coalesce(max(mtime), 0) FROM meta',
  allKeys: 'SELECT store_key FROM meta',
  meta: 'SELECT * FROM meta WHERE store_key = ?',
  metaBetween: 'SELECT * FROM meta WHERE store_key >= ? AND store_key < ?',
  setMeta: `INSERT INTO meta (store_key, mtime, next_seq) VALUES (?, ?, ?)
    ON CONFLICT (store_key) DO UPDATE SET next_seq = excluded.next_seq`,
  time: 'SELECT mtime FROM meta WHERE store_key = ?',
  setTime: 'UPDATE meta SET mtime = ? WHERE store_key = ?',
  insert: `INSERT INTO entries (store_key, seq, uid, payload) VALUES (?, ?, ?, ?)
    ON CONFLICT (store_key, uid) WHERE uid IS NOT NULL DO NOTHING`,
  payloads: 'SELECT payload FROM entries WHERE store_key = ? ORDER BY seq',
  newest: 'SELECT payload FROM entries WHERE store_key = ? ORDER BY seq DESC LIMIT ?',
  summaries: 'SELECT data FROM summaries WHERE project_key = ?',
  summary: 'SELECT data FROM summaries WHERE project_key = ? AND session_id = ?',
  setSummary: `INSERT INTO summaries (project_key, session_id, mtime, data) VALUES (?, ?, ?, ?)
    ON CONFLICT (project_key, session_id) DO UPDATE SET mtime = excluded.mtime, data = excluded.data`,
  deleteEntries: 'DELETE FROM entries WHERE store_key = ?',
  deleteMeta: 'DELETE FROM meta WHERE store_key = ?',
  deleteEntriesBetween: 'DELETE FROM entries WHERE store_key >= ? AND store_key < ?',
  deleteMetaBetween: 'DELETE FROM meta WHERE store_key >= ? AND store_key < ?',
  deleteSummary: 'DELETE FROM summaries WHERE project_key = ? AND session_id = ?',
};

function prepareStatements(database: RunDatabase): Statements {
  const names = Object.keys(sql) as (keyof typeof sql)[];
  return Object.fromEntries(names.map((name) => [name, database.handle.prepare(sql[name])])) as Statements;
}

function uuidOf(entry: SessionStoreEntry): string | null {
  return typeof entry.uuid === 'string' ? entry.uuid : null;
}

function moved(path: string): FlowerError {
  return new FlowerError('database_unavailable', text('store.why.gone', { path }));
}

function unreadable(path: string, key: string, cause: unknown): FlowerError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new FlowerError('store_unreadable', text('store.loadFailed', { path, key, why }), { cause });
}
