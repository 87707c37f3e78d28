import type { Event } from '../events/event.js';
import { flowerVersion } from '../workflow/flowerVersion.js';
import { jsonRow } from './jsonRow.js';

/**
 * Writes the events of a run to standard output, one JSON object a line, in the form and order of the event log. A slow reader makes
 * lines wait in memory; it never holds the run up.
 */
export class JsonOut {
  readonly #step: () => string;
  #seq = 0;
  #isGone = false;

  /**
   * @param options.step the label in the books of what runs now
   * @param options.onGone called once when nobody reads any more
   */
  constructor(options: { readonly step: () => string; readonly onGone: () => void }) {
    this.#step = options.step;
    process.stdout.once('error', () => {
      this.#isGone = true;
      options.onGone();
    });
  }

  event({ kind, text, tool, payload }: Event): void {
    this.#seq += 1;
    if (this.#isGone) return;
    const isStart = kind === 'system' && text === 'run_started';
    const { schema, ...rest } = payload;
    process.stdout.write(
      jsonRow({
        ...{ seq: this.#seq, at: Date.now() / 1000, step: this.#step(), kind, text, tool },
        payload: isStart ? { schema, flower: flowerVersion(), ...rest } : payload,
      }),
    );
  }

  /** Resolves once everything is with the reader, or the reader is gone. */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isGone) resolve();
      else process.stdout.write('', () => resolve());
    });
  }
}
