import { createInterface, emitKeypressEvents, type Interface } from 'node:readline';
import { emptyLine, type InputLine, type Key, type LineEvent, press, takeEvents } from './inputLine.js';

/** Where lines come from: a terminal, a pipe or a file. */
export type LineInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined;
  setRawMode?(on: boolean): unknown;
};

/** A paste whose end never comes must not hold the line for ever. */
const PASTE_SILENCE_MS = 2000;

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/**
 * Reads what a person types. On a terminal it reads by key, so that unfinished text can be drawn again under new output; elsewhere,
 * or if the terminal does not allow that, by line. The terminal's mode is restored when it stops and when the process exits.
 */
export class LineReader {
  readonly #options: LineReaderOptions;
  #line: InputLine = emptyLine;
  #lines: Interface | null = null;
  #isRaw = false;
  #pasteTimer: NodeJS.Timeout | undefined;

  constructor(options: LineReaderOptions) {
    this.#options = options;
    const { input, byKey } = options;
    if (byKey && this.#setRaw(true)) {
      emitKeypressEvents(input);
      input.on('keypress', this.#onKey);
      input.on('end', this.#onEnd);
      process.on('SIGCONT', this.#onContinue);
      process.on('exit', this.#restore);
      input.resume();
    } else {
      this.#lines = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
      this.#lines.on('line', (text) => options.onEvent({ type: 'line', text }));
      this.#lines.on('close', this.#onEnd);
    }
    input.on('error', this.#onEnd);
  }

  /** True if it reads by key, so that the line can be drawn. */
  get isRaw(): boolean {
    return this.#isRaw;
  }

  get line(): InputLine {
    return this.#line;
  }

  /** Stops reading and gives the terminal back. May be called from a signal handler. */
  stop(): void {
    const { input } = this.#options;
    input.off('keypress', this.#onKey);
    input.off('end', this.#onEnd);
    input.off('error', this.#onEnd);
    process.off('SIGCONT', this.#onContinue);
    process.off('exit', this.#restore);
    clearTimeout(this.#pasteTimer);
    this.#restore();
    this.#lines?.off('close', this.#onEnd);
    this.#lines?.close();
    input.pause();
  }

  #onKey = (_character: string | undefined, key: Key): void => {
    clearTimeout(this.#pasteTimer);
    const [events, line] = takeEvents(press(this.#line, key));
    this.#line = line;
    if (line.pasted !== null) {
      this.#pasteTimer = setTimeout(() => this.#onKey(undefined, { name: 'paste-end' }), PASTE_SILENCE_MS);
    }
    for (const event of events) {
      if (event.type === 'suspend') this.#leaveWith('SIGTSTP');
      else if (event.type === 'quit') this.#leaveWith('SIGQUIT');
      else this.#options.onEvent(event);
    }
    // A long paste is drawn once, at its end.
    if (line.pasted === null) this.#options.onChange();
  };

  #onEnd = (): void => this.#options.onEvent({ type: 'end' });

  /** The terminal's own signals, which reading by key takes away. */
  #leaveWith(signal: 'SIGTSTP' | 'SIGQUIT'): void {
    this.#restore();
    process.kill(process.pid, signal);
  }

  #onContinue = (): void => {
    this.#setRaw(true);
    this.#options.onContinue();
  };

  #restore = (): void => {
    this.#setRaw(false);
  };

  #setRaw(on: boolean): boolean {
    const { input, output } = this.#options;
    if (on === this.#isRaw) return on;
    try {
      input.setRawMode?.(on);
      this.#isRaw = on && input.setRawMode !== undefined;
      output.write(this.#isRaw ? PASTE_ON : PASTE_OFF);
    } catch {
      this.#isRaw = false;
    }
    return this.#isRaw;
  }
}

export interface LineReaderOptions {
  readonly input: LineInput;
  readonly output: NodeJS.WritableStream;
  /** Try to read by key. */
  readonly byKey: boolean;
  /** Gets lines, the end of input and Ctrl-C. */
  readonly onEvent: (event: LineEvent) => void;
  /** The line may look different now. */
  readonly onChange: () => void;
  /** The process goes on after it was stopped. */
  readonly onContinue: () => void;
}
