import type { Books } from '../books/books.js';
import type { EventRow } from '../books/types.js';
import { FlowerError } from '../errors.js';
import { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';

const COMMIT_EVERY_MS = 100;

/**
 * Writes the events of a run into its books, in order and without gaps, for readers that were not there. Rows are committed together
 * because each commit costs a disk write. A failure is reported once and never harms the run.
 */
export class EventLog {
  readonly #books: Books | null;
  readonly #run: string;
  readonly #locale: Locale;
  readonly #onEvent: ((event: Event) => void) | undefined;
  #waiting: EventRow[] = [];
  #seq = 0;
  #timer: NodeJS.Timeout | null = null;
  #broken = false;
  /** The step that later rows belong to. */
  step = '';

  constructor(
    run: string,
    options: { readonly books: Books | null; readonly locale: Locale; readonly onEvent?: (event: Event) => void },
  ) {
    this.#run = run;
    this.#books = options.books;
    this.#locale = options.locale;
    this.#onEvent = options.onEvent;
    this.#seq = options.books?.lastSeq(run) ?? 0;
  }

  /** Logs an event, then hands it on. */
  readonly write = (event: Event): void => {
    this.record(event);
    this.#onEvent?.(event);
  };

  /** Logs an event that its listener gets by another way. */
  readonly record = ({ kind, text, tool, payload }: Event): void => {
    if (!this.#books || this.#broken) return;
    this.#seq += 1;
    this.#waiting.push({ seq: this.#seq, at: Date.now() / 1000, step: this.step, kind, text, tool, payload });
    this.#timer ??= setTimeout(() => this.flush(), COMMIT_EVERY_MS);
  };

  /** Commits what waits. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length === 0 || !this.#books || this.#broken) return;
    try {
      this.#books.appendEvents(this.#run, rows);
    } catch (error) {
      if (FlowerError.isInstance(error) && error.code === 'database_locked') {
        // Somebody reads for a moment. Nothing was written, and the next commit brings these rows too.
        this.#waiting.unshift(...rows);
        return;
      }
      this.#broken = true;
      const why = error instanceof Error ? error.message : String(error);
      const complaint = text('event.logFailed', { why }, this.#locale);
      this.#onEvent?.(new Event('error', { text: complaint, payload: { event_log_failed: true } }));
    }
  }
}
