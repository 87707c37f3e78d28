import type { SessionKey, SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import type { Locale } from '../locale/locale.js';
import { contextOf } from './contextOf.js';
import { callsOf } from './curate/calls.js';
import { expire } from './curate/expire.js';
import { trim } from './curate/trim.js';
import { EphemeralPolicy } from './ephemeralPolicy.js';
import type { LoadReport } from './loadReport.js';
import { looksOnly } from './looksOnly.js';
import { unreadableIn } from './parsePayloads.js';
import { spillFolder } from './spillFolder.js';
import { SqliteSessionStore } from './sqliteSessionStore.js';
import type { Awaitable, StoreExtras, StoreFault, StoreQueries } from './storeQueries.js';
import { TrimPolicy } from './trimPolicy.js';

export interface CurationOptions {
  /** Large results; null is the default policy. @default new TrimPolicy() */
  readonly policy?: TrimPolicy | null;
  /** Results that go out of date; null is the default policy. @default new EphemeralPolicy() */
  readonly ephemeral?: EphemeralPolicy | null;
  /** Language of the texts that stand for what was taken out. @default the active locale */
  readonly locale?: Locale;
}

/**
 * What the two curating stores share: everything goes to the inner store as it is, only `load` gives a curated copy. A method that
 * the inner store lacks is missing here too, as the SDK looks whether it is there.
 */
export abstract class CuratedStore implements SessionStore, StoreQueries {
  readonly inner: SessionStore & Partial<StoreQueries> & StoreExtras;
  readonly workspace: string;
  readonly policy: TrimPolicy;
  readonly ephemeral: EphemeralPolicy;
  /** What the last `load` did. */
  lastReport: LoadReport = {};
  /** Called after each `load`: resuming a session loads its subagents too, and `lastReport` is that of the last of them. */
  onLoad: ((key: SessionKey, report: LoadReport) => void) | null = null;
  declare readonly listSessions?: NonNullable<SessionStore['listSessions']>;
  declare readonly listSessionSummaries?: NonNullable<SessionStore['listSessionSummaries']>;
  declare readonly delete?: NonNullable<SessionStore['delete']>;
  declare readonly listSubkeys?: NonNullable<SessionStore['listSubkeys']>;
  declare readonly importTranscript?: NonNullable<StoreExtras['importTranscript']>;

  constructor(inner: string | SessionStore, workspace: string, options: CurationOptions = {}) {
    this.inner = typeof inner === 'string' ? new SqliteSessionStore(inner) : inner;
    this.workspace = workspace;
    this.policy = options.policy ?? new TrimPolicy({}, options.locale);
    this.ephemeral = options.ephemeral ?? new EphemeralPolicy({}, options.locale);
    for (const name of optionalMethods) {
      const method = this.inner[name];
      if (method) Object.assign(this, { [name]: method.bind(this.inner) });
    }
  }

  /** A curated copy of what is stored; null for a key that was never written. What was done to it is in `lastReport`. */
  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries = await this.inner.load(key);
    if (!entries) return null;
    const curated = this.curated(entries, unreadableIn(entries));
    this.onLoad?.(key, this.lastReport);
    return curated;
  }

  /** Curates what was loaded, and begins the report anew. */
  protected abstract curated(entries: SessionStoreEntry[], unreadable: number): SessionStoreEntry[];

  /** Marks results of commands that only look as out of date, all but the newest ones. */
  expire(entries: readonly SessionStoreEntry[]): SessionStoreEntry[] {
    return [...this.#expired(entries)];
  }

  /** Puts large results into files, all but the newest ones. */
  trim(entries: readonly SessionStoreEntry[]): SessionStoreEntry[] {
    return [...this.#trimmed(entries)];
  }

  /** Both of these, as far as the policies are enabled. */
  protected smaller(entries: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
    const calls = callsOf(entries);
    const fresh = this.ephemeral.enabled ? this.#expired(entries, calls) : entries;
    return this.policy.enabled ? this.#trimmed(fresh, calls) : fresh;
  }

  #expired(entries: readonly SessionStoreEntry[], calls = callsOf(entries)): readonly SessionStoreEntry[] {
    const { entries: left, expired } = expire(entries, this.ephemeral, looksOnly, calls);
    this.lastReport = { ...this.lastReport, expired };
    return left;
  }

  #trimmed(entries: readonly SessionStoreEntry[], calls = callsOf(entries)): readonly SessionStoreEntry[] {
    const { entries: left, ...sizes } = trim(entries, this.policy, spillFolder(this.workspace, this.policy), calls);
    this.lastReport = { ...this.lastReport, ...sizes };
    return left;
  }

  /** An empty batch is not passed on: some stores would create the key for it. */
  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length > 0) await this.inner.append(key, entries);
  }

  hasSession(projectKey: string, sessionId: string): Awaitable<boolean> {
    if (this.inner.hasSession) return this.inner.hasSession(projectKey, sessionId);
    return this.inner.load({ projectKey, sessionId }).then((entries) => (entries?.length ?? 0) > 0);
  }

  lastContext(projectKey: string, sessionId: string, options: { readonly scan?: number } = {}): Awaitable<number> {
    if (this.inner.lastContext) return this.inner.lastContext(projectKey, sessionId, options);
    const { scan = 60 } = options;
    return this.inner
      .load({ projectKey, sessionId })
      .then((entries) => contextOf(entries?.toReversed().slice(0, scan) ?? []));
  }

  projects(): Awaitable<string[]> {
    return this.inner.projects?.() ?? [];
  }

  close(): Awaitable<void> {
    return this.inner.close?.();
  }

  get fault(): StoreFault | null {
    return this.inner.fault ?? null;
  }

  get onFault(): ((fault: StoreFault | null) => void) | null {
    return this.inner.onFault ?? null;
  }

  set onFault(listener: ((fault: StoreFault | null) => void) | null) {
    this.inner.onFault = listener;
  }

  /** Writes what waits in the inner store's memory; true if nothing waits any more. */
  flush(): boolean {
    return this.inner.flush?.() ?? true;
  }
}

const optionalMethods = ['listSessions', 'listSessionSummaries', 'delete', 'listSubkeys', 'importTranscript'] as const;
