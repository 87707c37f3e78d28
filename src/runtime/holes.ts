import { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import { storeKey } from '../store/storeKey.js';
import { importLiving } from './crashImport.js';
import type { HarnessProcess } from './harnessProcess.js';
import type { StepHost } from './stepHost.js';

/**
 * Sessions of which entries did not reach the store in one query. The books know of each until it is whole again, so that a kill in
 * between is no loss either.
 */
export class Holes {
  readonly #host: StepHost;
  readonly #harness: HarnessProcess;
  readonly #emit: (event: Event) => void;
  readonly #sessions = new Set<string>();

  constructor(host: StepHost, harness: HarnessProcess, emit: (event: Event) => void) {
    this.#host = host;
    this.#harness = harness;
    this.#emit = emit;
  }

  /** Something of this session is missing. Told once. */
  note(sessionId: string): void {
    if (this.#sessions.has(sessionId)) return;
    this.#sessions.add(sessionId);
    const { books, projectKey, locale } = this.#host;
    contained(() => books.markRepair(storeKey({ projectKey, sessionId }), this.#harness.configDir));
    this.#tell(text('store.notMirrored', { id: sessionId }, locale));
  }

  /** Takes what is missing from the harness's own copy. To be called while the query is open: the copy of a resumed session goes with it. */
  async fill(): Promise<void> {
    const { store, books, projectKey, locale } = this.#host;
    for (const sessionId of this.#sessions) {
      const key = { projectKey, sessionId };
      try {
        await importLiving(store, key, this.#harness.configDir ?? '');
        books.clearRepair(storeKey(key));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#tell(text('store.stillMissing', { id: sessionId, why }, locale));
      }
    }
    this.#sessions.clear();
  }

  #tell(words: string): void {
    this.#emit(new Event('error', { text: words, payload: { mirror_error: true } }));
  }
}

/** The books may be on the same full disk. */
function contained(run: () => void): void {
  try {
    run();
  } catch {
    // The event tells it.
  }
}
