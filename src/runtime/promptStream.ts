import type { UUID } from 'node:crypto';
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

interface Waiting {
  readonly message: SDKUserMessage;
  readonly written: () => void;
}

/**
 * The input of one query. It stays open while the turn runs, because in this form an API error does not end the process and further
 * words can be put into the running turn; `close` lets the query end.
 */
export class PromptStream implements AsyncIterable<SDKUserMessage> {
  readonly #waiting: Waiting[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  /**
   * Adds a message; after `close` it is dropped. Resolves when the harness has it in its input, before anything that is written
   * there later.
   *
   * @param options.uuid the harness then reports by `command_lifecycle` what becomes of the message
   */
  push(
    text: string,
    options: { readonly priority?: 'now' | 'next' | 'later'; readonly uuid?: UUID } = {},
  ): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((written) => {
      const message: SDKUserMessage = {
        type: 'user',
        message: { role: 'user', content: text },
        parent_tool_use_id: null,
        ...options,
      };
      this.#waiting.push({ message, written });
      this.#wake?.();
    });
  }

  /** Ends the input. What was pushed before is still delivered. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage> {
    while (true) {
      const next = this.#waiting.shift();
      if (next) {
        yield next.message;
        // Whoever reads on has written the message.
        next.written();
      } else if (this.#closed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
