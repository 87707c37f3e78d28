import type { SessionKey, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { FlowerError } from '../errors.js';
import { type Locale, text } from '../locale/locale.js';
import { storeKey } from './storeKey.js';
import type { StoreFault } from './storeQueries.js';

/** Entries of one `append`, ready to be written: what can fail on their side has not failed. */
export interface Batch {
  readonly key: SessionKey;
  readonly rows: readonly Row[];
}

/** `entry` is what `payload` says, as long as it is at hand; it is not kept while a batch waits. */
export interface Row {
  readonly uid: string | null;
  readonly payload: string;
  readonly entry?: SessionStoreEntry;
}

const maxBytes = 64 * 1024 * 1024;
const retryEveryMs = 1000;
/** A lock that goes away sooner is nobody's concern. */
const busyReportedAfterMs = 30_000;

type Waiting = Batch & { readonly bytes: number; readonly since: number };

/**
 * Batches that could not be written wait here, in order over all keys, and are written before any later one: a full disk or a
 * foreign lock makes no hole in a history. Writing is tried with each new batch, once a second, and on `flush`.
 */
export class AppendQueue {
  onFault: ((fault: StoreFault | null) => void) | null = null;
  readonly #path: string;
  readonly #write: (batch: Batch) => void;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #cause: { readonly kind: StoreFault['kind']; readonly message: string; readonly at: number } | null = null;
  #reported = false;
  #timer: NodeJS.Timeout | null = null;

  /** `write` stores one batch in the file at `path`, whole, or throws. */
  constructor(path: string, write: (batch: Batch) => void) {
    this.#path = path;
    this.#write = write;
  }

  /** What has been reported and is not over yet. */
  get fault(): StoreFault | null {
    if (!this.#reported || !this.#cause) return null;
    const { kind, message } = this.#cause;
    return { kind, message, waiting: this.#waiting.length, bytes: this.#bytes };
  }

  /** Writes the batch, or keeps it. Throws only if more than 64 MiB would wait. */
  push(batch: Batch): void {
    if (this.#waiting.length === 0 || (!this.#isResting() && this.flush())) {
      try {
        this.#write(batch);
        return;
      } catch (error) {
        this.#note(error);
      }
    }
    this.#keep(batch);
    this.#report();
  }

  /** Writes what waits; true if nothing waits any more. */
  flush(): boolean {
    let written = 0;
    try {
      for (const batch of this.#waiting) {
        this.#write(batch);
        written += 1;
      }
    } catch (error) {
      this.#forget(written);
      this.#note(error);
      this.#report();
      return false;
    }
    this.#forget(written);
    this.#over();
    return true;
  }

  /** Why something else than a batch cannot be written now. */
  refusal(): FlowerError {
    return new FlowerError('store_waiting', text('store.waiting', { why: this.#cause?.message ?? '' }));
  }

  /** Payloads that wait for this key, in order. */
  waitingFor(key: SessionKey): string[] {
    const wanted = storeKey(key);
    return this.#waiting
      .filter((batch) => storeKey(batch.key) === wanted)
      .flatMap((batch) => batch.rows.map((row) => row.payload));
  }

  /** Drops what waits for the keys that `isGone` names, since they were deleted. */
  discard(isGone: (storedKey: string) => boolean): void {
    this.#waiting = this.#waiting.filter((batch) => !isGone(storeKey(batch.key)));
    this.#bytes = this.#waiting.reduce((sum, batch) => sum + batch.bytes, 0);
    if (this.#waiting.length === 0) this.#over();
  }

  /** Ends the timer; what still waits is lost to this object. */
  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** While somebody else holds the lock each try stops the event loop for the busy timeout, so it is made once a second at most. */
  #isResting(): boolean {
    return this.#cause?.kind === 'busy' && Date.now() - this.#cause.at < retryEveryMs;
  }

  #keep(batch: Batch): void {
    const bytes = batch.rows.reduce((sum, row) => sum + Buffer.byteLength(row.payload), 0);
    if (this.#bytes + bytes > maxBytes) {
      throw new FlowerError('store_queue_full', text('store.overfull', { why: this.#cause?.message ?? '' }));
    }
    const rows = batch.rows.map(({ uid, payload }) => ({ uid, payload }));
    this.#waiting.push({ key: batch.key, rows, bytes, since: Date.now() });
    this.#bytes += bytes;
    this.#timer ??= setInterval(() => this.flush(), retryEveryMs).unref();
  }

  #forget(count: number): void {
    for (const batch of this.#waiting.splice(0, count)) this.#bytes -= batch.bytes;
  }

  #note(error: unknown): void {
    const kind = faultKind(error);
    this.#cause = { kind, message: whyUnwritten(error, this.#path), at: Date.now() };
  }

  #report(): void {
    const oldest = this.#waiting[0];
    if (this.#reported || !oldest || !this.#cause) return;
    if (this.#cause.kind === 'busy' && Date.now() - oldest.since < busyReportedAfterMs) return;
    this.#reported = true;
    this.#tell(this.fault);
  }

  #over(): void {
    this.stop();
    this.#cause = null;
    if (!this.#reported) return;
    this.#reported = false;
    this.#tell(null);
  }

  #tell(fault: StoreFault | null): void {
    try {
      this.onFault?.(fault);
    } catch {
      // A listener's own fault must not become one of the store.
    }
  }
}

function faultKind(error: unknown): StoreFault['kind'] {
  const code = FlowerError.isInstance(error) ? error.code : '';
  if (code === 'database_locked') return 'busy';
  return code === 'database_full' ? 'full' : 'io';
}

/** Why a database cannot be written for now: its own errors speak of a run that cannot start, here one goes on. */
export function whyUnwritten(error: unknown, path: string, locale?: Locale): string {
  const kind = faultKind(error);
  if (kind === 'busy') return text('store.why.busy', { path }, locale);
  if (kind === 'full') return text('store.why.full', { path }, locale);
  const cause = FlowerError.isInstance(error) && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
