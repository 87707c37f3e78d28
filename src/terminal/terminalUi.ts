import type { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import { Conversation, type Doors } from './conversation.js';
import { type LineEvent, viewOf } from './inputLine.js';
import { Layout } from './layout.js';
import { type LineInput, LineReader } from './lineReader.js';
import { createPaint, markDim, paintLines, type Style } from './paint.js';
import { Progress } from './progress.js';
import { Renderer, type RendererOptions } from './renderer.js';
import { Screen } from './screen.js';
import { TerminalLock } from './terminalLock.js';
import { columnsOf, cutToWidth } from './width.js';

export interface TerminalUiOptions extends RunHooks {
  readonly input: LineInput;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly rows?: number; readonly fd?: number };
  /** Where answers and mail go; null if the workflow has none. Left out, lines are kept until `connect`. */
  readonly channel?: Doors | null;
  readonly locale: Locale;
  readonly verbose: boolean;
  readonly color: boolean;
  /** Columns of the screen now; 0 or undefined if unknown. */
  readonly columns: () => number | undefined;
  /** Draw an input line, and above it what goes on. @default whether input and output are terminals */
  readonly isTerminal?: boolean;
  /** `receipts` shows of the events only what became of words that were typed: the events themselves go to somebody else. @default 'all' */
  readonly shows?: 'all' | 'receipts';
}

/** What a run offers to whoever sits at the terminal, and what of it is shown. All can be left out. */
export interface RunHooks {
  /**
   * An open question is answered by its default or its first option after so many seconds, at once without a terminal.
   * @default null: only a person answers
   */
  readonly autoAnswerS?: number | null;
  /** Closes the channel when input ends, so that no question waits for nobody. @default true */
  readonly closeChannelAtEnd?: boolean;
  /** Gets the words behind `?`. @default it is said that side questions are not available */
  readonly onAside?: (question: string) => void;
  /** The first Ctrl-C: stop now, go on when the words are there (none: an empty string). @default Ctrl-C leaves at once */
  readonly onInterrupt?: (words: Promise<string>) => void;
  /** The second Ctrl-C. @default the process gets SIGINT */
  readonly onLeave?: () => void;
  /** An empty line while a usage limit is waited for: try at once. */
  readonly onNudge?: () => void;
  /** Tokens at which the main thread hands over, and at which that is near; for the bar. @default no bar */
  readonly threshold?: () => { readonly at: number; readonly warnAt: number } | null;
  /** Ceiling of the run in US dollars, for the progress row. @default none */
  readonly budgetUsd?: () => number | null;
  /** See `RendererOptions`. */
  readonly window?: RendererOptions['window'];
}

export interface ReadLineOptions {
  /** What stands before the line. @default '> ' */
  readonly mark?: string;
  /** Colour of the heading. @default 'plain' */
  readonly hue?: Hue;
  /** What is typed is not shown. @default false */
  readonly hidden?: boolean;
}

/** Colours for texts of flower's own. */
export type Hue = 'plain' | 'dim' | 'red' | 'green' | 'yellow';

export interface TerminalUi {
  /** Shows an event. Never throws, never waits. */
  onEvent(event: Event): void;
  /** Shows one of flower's own texts, in which ‹…› is dim, behind a mark such as `! `. */
  notice(words: string, hue?: Hue, mark?: string): void;
  /** Shows lines that are finished already, such as those of `closingLines`. */
  lines(finished: readonly string[]): void;
  /** The next line that is typed, for use outside a run; null for Ctrl-C or the end of input. */
  readLine(heading: string, options?: ReadLineOptions): Promise<string | null>;
  /** Everything up to the end of input. */
  readAll(): Promise<string>;
  /** From now on typed lines go to this channel, null = the workflow has none. `hooks` count from then on too. */
  connect(channel: Doors | null, hooks?: RunHooks): void;
  /** The run is over: no input line any more, and what is typed goes to `readLine` again. */
  disconnect(): void;
  /** Whether a person can be asked: input and output are terminals. */
  readonly isTerminal: boolean;
  /** What Ctrl-C does, for SIGINT from outside. */
  interrupt(): void;
  /** Removes the input line and gives the terminal back. Synchronous, may be called more than once and from a signal handler. */
  close(): void;
}

/**
 * Connects a person at a terminal, or a script at a pipe, with a run: shows its events, takes answers, mail, side questions and
 * interrupts.
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

/** Without a terminal a line about the progress is written after so long a silence. */
const SILENCE_MS = 300_000;

class Ui implements TerminalUi {
  readonly #options: TerminalUiOptions;
  readonly #screen: Screen;
  readonly #reader: LineReader;
  readonly #renderer: Renderer;
  readonly #progress: Progress;
  readonly isTerminal: boolean;
  readonly #lock: TerminalLock | null;
  readonly #ticker: NodeJS.Timeout;
  #hooks: RunHooks;
  #conversation: Conversation | null = null;
  #reading: { mark: string; hidden: boolean; resolve: (line: string | null) => void } | null = null;
  #kept: string[] = [];
  #inputEnded = false;
  #isClosed = false;
  #lastWriteAt = Date.now();

  constructor(options: TerminalUiOptions) {
    this.#options = options;
    const { input, output, color, verbose, locale, columns } = options;
    this.#hooks = options;
    this.isTerminal = options.isTerminal ?? Boolean(input.isTTY && output.isTTY);
    this.#lock = output.isTTY && output.fd !== undefined ? new TerminalLock(output.fd) : null;
    const height = () => output.rows;
    this.#screen = new Screen({ output, columns, height, isTerminal: this.isTerminal, lock: this.#lock });
    const write = (lines: string) => this.#write(lines);
    const window = () => this.#hooks.window?.() ?? null;
    const threshold = () => this.#hooks.threshold?.() ?? null;
    const budgetUsd = () => this.#hooks.budgetUsd?.() ?? null;
    this.#renderer = new Renderer({ write, columns, color, verbose, locale, window });
    this.#progress = new Progress({ workers: this.#renderer.workers, locale, color, threshold, budgetUsd });
    this.#reader = new LineReader({
      input,
      output,
      byKey: this.isTerminal,
      onEvent: (event) => this.#safely(() => this.#typed(event)),
      onChange: () => this.#changed(),
      onContinue: () => this.#screen.refresh(),
    });
    this.#ticker = setInterval(() => this.#tick(), 1000);
    this.#ticker.unref();
    output.on('resize', this.#resized);
    if (options.channel !== undefined) this.connect(options.channel);
  }

  onEvent = (event: Event): void =>
    this.#safely(() => {
      if (this.#isShown(event)) this.#renderer.event(event);
      this.#progress.event(event, Date.now());
      this.#conversation?.event(event);
    });

  notice(words: string, hue: Hue = 'plain', mark = ''): void {
    const layout = this.#layout();
    const style: Style = hue === 'plain' ? (line) => line : layout.paint[hue];
    this.lines(layout.own(mark, words, style));
  }

  lines(finished: readonly string[]): void {
    if (finished.length > 0) this.#write(`${finished.join('\n')}\n`);
  }

  readLine(heading: string, options: ReadLineOptions = {}): Promise<string | null> {
    const { mark = '> ', hue = 'plain', hidden = false } = options;
    if (this.#options.input.isTTY && heading !== '') this.notice(heading, hue);
    const [next, ...rest] = this.#kept;
    this.#kept = rest;
    if (next !== undefined) return Promise.resolve(next);
    if (this.#inputEnded || this.#isClosed) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#reading = { mark, hidden, resolve };
      this.#draw();
    });
  }

  async readAll(): Promise<string> {
    const lines: string[] = [];
    for (let line = await this.readLine(''); line !== null; line = await this.readLine('')) lines.push(line);
    return lines.join('\n');
  }

  connect(channel: Doors | null, hooks: RunHooks = {}): void {
    this.#hooks = { ...this.#hooks, ...hooks };
    const { locale } = this.#options;
    const { autoAnswerS = null, closeChannelAtEnd = true, onAside, onInterrupt, onNudge } = this.#hooks;
    this.#conversation = new Conversation({
      channel,
      locale,
      autoAnswerS: autoAnswerS === null || this.isTerminal ? autoAnswerS : 0,
      closeChannelAtEnd,
      say: (how, words) => this.#say(how, words),
      showAgain: (event) => this.#renderer.event(event),
      onAside,
      onInterrupt: onInterrupt && ((words) => this.#interruptWith(words, onInterrupt)),
      onLeave: () => this.#leave(),
      onNudge,
    });
    for (const line of this.#kept.splice(0)) this.#conversation.enter(line);
    if (this.#inputEnded) this.#conversation.end();
    this.#draw();
  }

  disconnect(): void {
    this.#conversation?.stop();
    this.#conversation = null;
    this.#kept = [];
    this.#draw();
  }

  interrupt(): void {
    this.#safely(() => this.#typed({ type: 'interrupt' }));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#ticker);
    this.#options.output.off('resize', this.#resized);
    this.#conversation?.stop();
    this.#screen.keep([], null);
    this.#screen.flush();
    this.#lock?.close();
    this.#reader.stop();
    this.#reading?.resolve(null);
  }

  #typed(event: LineEvent): void {
    if (event.type === 'end') {
      this.#inputEnded = true;
      this.#reader.stop();
    }
    const reading = this.#reading;
    if (reading) {
      this.#reading = null;
      if (event.type === 'line' && !reading.hidden) this.#echo(event.text, reading.mark);
      reading.resolve(event.type === 'line' ? event.text : null);
    } else if (!this.#conversation) {
      if (event.type === 'line') this.#kept.push(event.text);
      if (event.type === 'interrupt') this.#leave();
    } else if (event.type === 'line') {
      this.#echo(event.text);
      this.#conversation.enter(event.text);
    } else if (event.type === 'interrupt') {
      this.#conversation.interrupt();
    } else if (event.type === 'end') {
      this.#conversation.end();
    }
  }

  /** A fault in drawing, or in what a caller does with a line, is shown and harms nothing else. */
  #safely(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#say('warn', String(error));
    }
    this.#draw();
  }

  /** What was typed stays on the screen. Where lines are read whole, the terminal has shown them already. */
  #echo(words: string, mark = '> '): void {
    if (this.#reader.isRaw && words !== '') this.lines(this.#layout().hang(mark, words));
  }

  #changed(): void {
    if (!this.#reading) this.#conversation?.typing(this.#reader.line.text === '');
    this.#draw();
  }

  #interruptWith(words: Promise<string>, stop: (words: Promise<string>) => void): void {
    this.#progress.interrupt(true);
    const done = () => {
      this.#progress.interrupt(false);
      this.#draw();
    };
    words.then(done, done);
    stop(words);
  }

  #isShown({ kind, payload }: Event): boolean {
    return this.#options.shows !== 'receipts' || (kind === 'ask' && payload.kind === 'mail');
  }

  #leave(): void {
    if (this.#hooks.onLeave) this.#hooks.onLeave();
    else {
      this.close();
      process.kill(process.pid, 'SIGINT');
    }
  }

  #say(how: 'warn' | 'remark', words: string): void {
    const layout = this.#layout();
    this.lines(
      how === 'warn' ? layout.hang('! ', words, layout.paint.yellow) : layout.hang('', words, layout.paint.dim),
    );
  }

  #write(lines: string): void {
    this.#lastWriteAt = Date.now();
    this.#screen.write(lines);
  }

  #tick(): void {
    if (this.isTerminal) this.#draw();
    else this.#breakSilence();
  }

  #breakSilence(): void {
    if (!this.#conversation || this.#options.shows === 'receipts' || Date.now() - this.#lastWriteAt < SILENCE_MS)
      return;
    const [first] = this.#progress.rows(this.#layout().width, 1, Date.now());
    if (first !== undefined) this.lines([first]);
  }

  #resized = (): void => {
    this.#draw();
    this.#screen.refresh();
  };

  #draw(): void {
    if (this.#isClosed || !this.isTerminal) return;
    const columns = this.#options.columns() || 80;
    const height = this.#options.output.rows || 24;
    const rows = this.#conversation && !this.#reading ? this.#progress.rows(columns, height, Date.now()) : [];
    this.#screen.keep(rows, this.#cursorRow(columns));
  }

  #cursorRow(columns: number): { before: string; after: string } | null {
    const prompt = this.#prompt();
    if (prompt === null || !this.#reader.isRaw || this.#inputEnded) return null;
    const { line } = this.#reader;
    const typed = this.#reading?.hidden ? { text: '', cursor: 0 } : line;
    const paint = createPaint(this.#options.color);
    const whole = markDim(prompt.words);
    const view = viewOf(typed, whole, columns);
    const [head = ''] = paintLines([view.prompt], prompt.style, paint);
    if (typed.text !== '' || view.prompt === whole) return { before: head + view.before, after: view.after };
    // A prompt that does not fit stands behind the cursor, as far as there is room, until something is typed.
    const hint = cutToWidth(prompt.words.replace(/[‹›]| > $/g, ''), columns - 1 - columnsOf(view.prompt));
    return { before: head, after: paint.dim(hint) };
  }

  #prompt(): { words: string; style: Style } | null {
    const paint = createPaint(this.#options.color);
    if (this.#reading) return { words: this.#reading.mark, style: (words) => words };
    if (!this.#conversation) return null;
    const key = this.#conversation.prompt;
    const style = key === 'line.idle' ? paint.dim : paint.yellow;
    return { words: `${text(key, {}, this.#options.locale)} > `, style };
  }

  #layout(): Layout {
    const { columns, color, locale } = this.#options;
    return new Layout({ columns: columns(), color, locale }, '');
  }
}
