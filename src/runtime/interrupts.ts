/**
 * A person's requests to stop one step, from the key press to the words. One is pending at a time; it waits for a turn that it can
 * stop, and the turn that it stopped waits for the words.
 */
export class Interrupts {
  readonly #listeners = new Set<() => void>();
  #words: Promise<string> | null = null;

  /** Stops what runs. Words that never come, or a promise that is rejected, count as none. */
  request(message: string | Promise<string> = ''): void {
    this.#words = Promise.resolve(message).then(
      (words) => (words.trim() ? words : ''),
      () => '',
    );
    for (const listener of [...this.#listeners]) listener();
  }

  get pending(): boolean {
    return this.#words !== null;
  }

  /** Takes the request: its words once they are there, null if there is none. */
  async take(): Promise<string | null> {
    const words = this.#words;
    if (words === null) return null;
    const said = await words;
    if (this.#words === words) this.#words = null;
    return said;
  }

  /** Calls back at each request until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
