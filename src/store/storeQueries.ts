/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/**
 * What flower asks a session store beside the SDK's own protocol. SQLite answers at once, other stores may answer with a
 * promise: callers await each of them.
 *
 * @example
 * if (await store.hasSession(key, sessionId)) console.log(await store.lastContext(key, sessionId));
 */
export interface StoreQueries {
  /** True if something was stored for this main transcript. Reads no entry. */
  hasSession(projectKey: string, sessionId: string): Awaitable<boolean>;
  /** Context size in tokens that the newest reply reported, looked for in the newest `scan` entries (default 60); 0 if none did. */
  lastContext(projectKey: string, sessionId: string, options?: { readonly scan?: number }): Awaitable<number>;
  /** All project keys, sorted. */
  projects(): Awaitable<string[]>;
  /** Writes what waits and lets go of the store. Safe to call twice. */
  close(): Awaitable<void>;
}

/** Why entries wait in memory instead of being stored. `waiting` counts batches, `bytes` their size. */
export interface StoreFault {
  readonly kind: 'busy' | 'full' | 'io';
  readonly message: string;
  readonly waiting: number;
  readonly bytes: number;
}

/** What a store may offer beyond the protocol and the queries; a decorator passes it on where its inner store has it. */
export interface StoreExtras {
  readonly fault?: StoreFault | null;
  onFault?: ((fault: StoreFault | null) => void) | null;
  flush?(): boolean;
  importTranscript?(key: import('@anthropic-ai/claude-agent-sdk').SessionKey, lines: Iterable<string>): number;
}
