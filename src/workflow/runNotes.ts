import type { RunOutcome } from '../books/types.js';
import type { Event } from '../events/event.js';
import { type Note, Notifier } from '../human/notifier.js';
import { type Locale, text } from '../locale/locale.js';

/** Picks out of a run's events what a person who is away is told. */
export class RunNotes {
  readonly #notifier: Notifier;
  readonly #run: string;
  readonly #locale: Locale;

  /** @param target URL or command; null tells nobody */
  constructor(
    target: string | null,
    options: { readonly run: string; readonly locale: Locale; readonly onFailure: (message: string) => void },
  ) {
    const { run, locale, onFailure } = options;
    this.#notifier = new Notifier(target, { onFailure, locale });
    this.#run = run;
    this.#locale = locale;
  }

  /** @param step the label of what runs, `''` for none */
  hear({ kind, payload, text: words }: Event, step: string): void {
    if (kind === 'ask' && payload.kind !== 'mail' && payload.state === 'asked') {
      const options = Array.isArray(payload.options) ? payload.options.map((option, i) => `${i + 1}. ${option}`) : [];
      this.#tell('question', [words, ...options].join('\n'), step);
    }
    if (kind === 'task' && payload.budget !== undefined) this.#tell('budget', words, step);
    if (kind === 'retry' && payload.limit === true) this.#tell('limit', words, step);
  }

  ended({ ended, verified, reason }: RunOutcome): void {
    const locale = this.#locale;
    const lines = [
      text('report.ended', { ended: text(`report.ended.${ended}`, {}, locale) }, locale),
      text('report.verified', { verified: text(`report.verified.${verified}`, {}, locale) }, locale),
      reason ? text('report.reason', { reason }, locale) : '',
    ];
    this.#tell('ended', lines.filter(Boolean).join('\n'), '');
  }

  /** The run never waits for it. */
  #tell(event: Note['event'], words: string, step: string): void {
    void this.#notifier.notify({ event, run: this.#run, step: step || null, text: words });
  }
}
