/**
 * Calls back when nothing has been heard for so long. Time in which something else counts as life, a question that waits for a
 * person, starts the count anew.
 */
export class Watchdog {
  readonly #seconds: number;
  readonly #isAlive: () => boolean;
  readonly #onSilent: () => void;
  #timer: NodeJS.Timeout | null = null;

  /** @param seconds 0 is off */
  constructor(seconds: number, options: { readonly isAlive: () => boolean; readonly onSilent: () => void }) {
    this.#seconds = seconds;
    this.#isAlive = options.isAlive;
    this.#onSilent = options.onSilent;
    this.touch();
  }

  /** Something was heard. */
  touch(): void {
    this.stop();
    if (this.#seconds > 0) this.#timer = setTimeout(() => this.#fire(), Math.min(this.#seconds * 1000, LONGEST_MS));
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #fire(): void {
    if (this.#isAlive()) this.touch();
    else this.#onSilent();
  }
}

/** A timer takes 31 bits; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;
