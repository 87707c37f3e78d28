import type { SessionKey, SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';

export interface StoreListener {
  /** A query starts from this. */
  onLoad(key: SessionKey, entries: readonly SessionStoreEntry[]): void;
  /** A query has written this; the store may not have it yet. */
  onAppend(key: SessionKey, entries: readonly SessionStoreEntry[]): void;
}

/** A store for one query that tells what goes through it. What the other store lacks, it lacks too: the SDK looks. */
export function heardStore(store: SessionStore, { onLoad, onAppend }: StoreListener): SessionStore {
  const { listSessions, listSessionSummaries, delete: remove, listSubkeys } = store;
  return {
    append: (key, entries) => {
      onAppend(key, entries);
      return store.append(key, entries);
    },
    load: async (key) => {
      const entries = await store.load(key);
      onLoad(key, entries ?? []);
      return entries;
    },
    ...(listSessions && { listSessions: (key) => listSessions.call(store, key) }),
    ...(listSessionSummaries && { listSessionSummaries: (key) => listSessionSummaries.call(store, key) }),
    ...(remove && { delete: (key) => remove.call(store, key) }),
    ...(listSubkeys && { listSubkeys: (key) => listSubkeys.call(store, key) }),
  };
}
