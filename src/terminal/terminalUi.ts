import { clearLine, createInterface, cursorTo } from 'node:readline';
import type { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { type Locale, text } from '../locale/locale.js';
import { Layout } from './layout.js';
import { Renderer } from './renderer.js';
import { type OpenQuestion, routeLine } from './routeLine.js';
import { keepColours } from './sanitise.js';

export interface TerminalUiOptions {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Where answers and mail go; null if the workflow has none. */
  readonly channel: Pick<HumanChannel, 'answer' | 'decline' | 'send' | 'close' | 'asks'> | null;
  readonly locale: Locale;
  readonly verbose: boolean;
  readonly color: boolean;
  /** Columns of the screen now; 0 or undefined if unknown. */
  readonly columns: () => number | undefined;
  /** An open question is answered by its default or its first option after so many seconds, at once if nobody can type. @default null */
  readonly autoAnswerS?: number | null;
  /** Gets the words behind `?`. @default none: it is said that side questions are not available */
  readonly onAside?: (question: string) => void;
}

export interface TerminalUi {
  /** Shows an event. Never throws, never waits. */
  onEvent(event: Event): void;
  /** Shows one of flower's own texts. */
  notice(words: string): void;
  /** The next line that is typed, for use before a run; null at the end of input. */
  readLine(prompt: string): Promise<string | null>;
  /** Gives the terminal back. */
  close(): void;
}

/**
 * Connects a person at a terminal with a run: shows its events, takes answers, mail and side questions.
 *
 * @example
 * const ui = createTerminalUi({ input: process.stdin, output: process.stdout, channel, locale: 'en', verbose: false, color: true,
 *   columns: () => process.stdout.columns });
 * await workflow.run(runtime, { onEvent: ui.onEvent });
 * ui.close();
 */
export function createTerminalUi(options: TerminalUiOptions): TerminalUi {
  return new Ui(options);
}

class Ui implements TerminalUi {
  readonly #options: TerminalUiOptions;
  readonly #renderer: Renderer;
  readonly #lines;
  readonly #open: OpenQuestion[] = [];
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #waitingReader: ((line: string | null) => void) | null = null;
  #ended = false;

  constructor(options: TerminalUiOptions) {
    this.#options = options;
    const { input, output, color, verbose, locale, columns } = options;
    this.#renderer = new Renderer({ write: (words) => this.#write(words), columns, color, verbose, locale });
    const isTerminal = Boolean(input.isTTY && output.isTTY);
    this.#lines = createInterface({ input, ...(isTerminal ? { output } : {}), terminal: isTerminal, historySize: 0 });
    this.#lines.on('line', (line) => this.#typed(line));
    this.#lines.on('close', () => this.#end());
  }

  onEvent = (event: Event): void => {
    this.#renderer.event(event);
    const { kind, id, state, options } = event.payload;
    if (event.kind !== 'ask' || kind === 'mail' || typeof id !== 'string') return;
    const index = this.#open.findIndex((question) => question.id === id);
    if (index >= 0) this.#open.splice(index, 1);
    clearTimeout(this.#timers.get(id));
    if (state !== 'asked') return;
    this.#open.push({ id, options: Array.isArray(options) ? options.map(String) : [] });
    this.#planAutoAnswer(event, id);
    this.#prompt();
  };

  notice(words: string): void {
    const { color, locale, columns } = this.#options;
    this.#write(`${new Layout({ columns: columns(), color, locale }, '').own('', words).join('\n')}\n`);
  }

  readLine(prompt: string): Promise<string | null> {
    if (this.#ended) return Promise.resolve(null);
    this.notice(prompt);
    this.#lines.setPrompt('> ');
    if (this.#isTerminal) this.#lines.prompt();
    return new Promise((resolve) => {
      this.#waitingReader = resolve;
    });
  }

  close(): void {
    this.#ended = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#lines.close();
  }

  #typed(line: string): void {
    const reader = this.#waitingReader;
    this.#waitingReader = null;
    if (reader) reader(line);
    else this.#route(line);
    this.#prompt();
  }

  #route(line: string): void {
    const { channel, locale, onAside } = this.#options;
    const destination = routeLine(line, this.#open[0] ?? null);
    switch (destination.to) {
      case 'nobody':
        return;
      case 'aside':
        if (onAside) onAside(destination.words);
        else this.notice(text('aside.off', {}, locale));
        return;
      case 'mail':
        if (channel) channel.send(destination.words, { workers: destination.workers });
        else this.notice(text('mail.nowhere', {}, locale));
        return;
      case 'answer':
        channel?.answer(destination.question.id, destination.words);
        return;
      case 'decline':
        channel?.decline(destination.question.id);
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waitingReader?.(null);
    const { channel, locale, autoAnswerS } = this.#options;
    if (!channel || (autoAnswerS ?? null) !== null) return;
    channel.close(text('eof.reason', {}, locale));
    this.notice(text('eof.notice', {}, locale));
  }

  #planAutoAnswer(event: Event, id: string): void {
    const { channel, autoAnswerS = null } = this.#options;
    if (!channel || autoAnswerS === null) return;
    const answer = event.payload.default ?? this.#open.find((question) => question.id === id)?.options[0];
    const wait = this.#ended || !this.#isTerminal ? 0 : autoAnswerS * 1000;
    const settle = () => (answer ? channel.answer(id, String(answer)) : channel.decline(id));
    this.#timers.set(id, setTimeout(settle, wait));
  }

  get #isTerminal(): boolean {
    return Boolean(this.#options.input.isTTY && this.#options.output.isTTY);
  }

  #prompt(): void {
    if (this.#ended || !this.#isTerminal) return;
    this.#lines.setPrompt(
      `${text(this.#open.length > 0 ? 'line.answer' : 'line.idle', {}, this.#options.locale).replace(/[‹›]/g, '')} > `,
    );
    this.#lines.prompt(true);
  }

  #write(words: string): void {
    const { output } = this.#options;
    const live = this.#isTerminal && !this.#ended;
    if (live) {
      cursorTo(output, 0);
      clearLine(output, 0);
    }
    output.write(keepColours(words));
    if (live) this.#lines.prompt(true);
  }
}
