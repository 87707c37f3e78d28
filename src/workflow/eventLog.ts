import type { Books } from '../books/books.js';
import type { EventRow } from '../books/types.js';
import { FlowerError } from '../errors.js';
import { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';

const COMMIT_EVERY_MS = 100;
/** How often the last rows are tried, a quarter of a second each, while another program has the file. */
const LAST_TRIES = 8;

export interface EventLogOptions {
  /** Without books nothing is kept. */
  readonly books: Books | null;
  readonly locale: Locale;
  /** Gets what `write` is given, after it was recorded. */
  readonly onEvent?: (event: Event) => void;
  /** Gets every event, with the step that it belongs to. */
  readonly onRecord?: (event: Event, step: string) => void;
}

/**
 * Writes the events of a run into its books, in order and without gaps, for readers that were not there. Rows are committed together
 * because each commit costs a disk write. A failure is reported once and never harms the run.
 */
export class EventLog {
  readonly #run: string;
  readonly #options: EventLogOptions;
  #waiting: EventRow[] = [];
  #seq: number;
  #timer: NodeJS.Timeout | null = null;
  #broken: boolean;
  /** The label in the books of what runs now: later rows belong to it. */
  step = '';

  constructor(run: string, options: EventLogOptions) {
    this.#run = run;
    this.#options = options;
    this.#broken = options.books === null;
    this.#seq = options.books?.lastSeq(run) ?? 0;
  }

  /** Logs an event, then hands it on. */
  readonly write = (event: Event): void => {
    this.record(event);
    this.#options.onEvent?.(event);
  };

  /** Logs an event that its listener gets by another way. */
  readonly record = (event: Event): void => {
    this.#options.onRecord?.(event, this.step);
    if (this.#broken) return;
    this.#seq += 1;
    const { kind, text, tool, payload } = event;
    this.#waiting.push({ seq: this.#seq, at: Date.now() / 1000, step: this.step, kind, text, tool, payload });
    this.#flushSoon();
  };

  /** Commits what waits. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.#commit()) this.#flushSoon();
  }

  /** Commits what waits, as the last thing. What is written later is lost. */
  close(): void {
    for (let i = 0; i < LAST_TRIES && !this.#commit(); i += 1);
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#broken = true;
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), COMMIT_EVERY_MS);
  }

  /** False if the rows have to wait: somebody reads for a moment, nothing was written, and the next commit brings these too. */
  #commit(): boolean {
    if (this.#waiting.length === 0 || this.#broken) return true;
    try {
      this.#options.books?.appendEvents(this.#run, this.#waiting);
      this.#waiting = [];
      return true;
    } catch (error) {
      if (FlowerError.isInstance(error) && error.code === 'database_locked') return false;
      this.#broken = true;
      this.#waiting = [];
      const why = error instanceof Error ? error.message : String(error);
      const complaint = text('event.logFailed', { why }, this.#options.locale);
      this.#options.onEvent?.(new Event('error', { text: complaint, payload: { event_log_failed: true } }));
      return true;
    }
  }
}
