import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { CuratedStore } from './curatedStore.js';

/**
 * Stands in front of any session store and makes what is fed back to the model smaller: results that are out of date expire, old
 * large ones go to files. What is stored stays as it is.
 *
 * @example
 * const store = new TrimmingSessionStore('/home/ann/app/runs/sessions.db', '/home/ann/app');
 */
export class TrimmingSessionStore extends CuratedStore {
  protected override curated(entries: SessionStoreEntry[]): SessionStoreEntry[] {
    this.lastReport = {};
    return [...this.smaller(entries)];
  }
}
