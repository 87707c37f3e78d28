/**
 * A person's requests to stop one step, from the key press to the words. What is pending waits for a turn that it can stop, and the
 * turn that it stopped waits for the words. A further request until then adds its words.
 */
export class Interrupts {
  readonly #listeners = new Set<() => void>();
  #words: Promise<string> | null = null;

  /** Stops what runs. Words that never come, or a promise that is rejected, count as none. */
  request(message: string | Promise<string> = ''): void {
    const words = Promise.resolve(message).then(
      (said) => (said.trim() ? said : ''),
      () => '',
    );
    const before = this.#words ?? '';
    this.#words = Promise.all([before, words]).then((said) => said.filter(Boolean).join('\n\n'));
    for (const listener of [...this.#listeners]) listener();
  }

  get pending(): boolean {
    return this.#words !== null;
  }

  /** Takes the request: its words once they are there, null if there is none. */
  async take(): Promise<string | null> {
    let said: string | null = null;
    for (let words = this.#words; words !== null; words = this.#words) {
      said = await words;
      if (this.#words === words) this.#words = null;
    }
    return said;
  }

  /** Calls back at each request until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
