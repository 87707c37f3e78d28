import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

/**
 * The input of one query. It stays open while the turn runs, because in this form an API error does not end the process and further
 * words can be put into the running turn; `close` lets the query end.
 */
export class PromptStream implements AsyncIterable<SDKUserMessage> {
  readonly #waiting: SDKUserMessage[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  constructor(prompt: string) {
    this.push(prompt);
  }

  /** Adds a message; after `close` it is dropped. */
  push(text: string, options: { readonly priority?: 'now' | 'next' | 'later' } = {}): void {
    if (this.#closed) return;
    this.#waiting.push({
      type: 'user',
      message: { role: 'user', content: text },
      parent_tool_use_id: null,
      ...options,
    });
    this.#wake?.();
  }

  /** Ends the input. What was pushed before is still delivered. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage> {
    while (true) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#closed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
