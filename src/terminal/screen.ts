import { keepColours } from './sanitise.js';
import { rowsTaken } from './width.js';

/** The row that the cursor stands in: what is left of it and what is right of it. Both may be coloured. */
export interface CursorRow {
  readonly before: string;
  readonly after: string;
}

/** What decides whether this process may write to the terminal now. */
export interface WriteLock {
  tryTake(): boolean;
  release(): void;
}

const LOCK_RETRY_MS = 10;
const LOCK_PATIENCE_MS = 2000;

/**
 * The only way to the screen. Output scrolls as in any program; below it some rows are kept and drawn anew behind every output.
 * Of control sequences only CR, erase to the end of the line and cursor up are used. Without a terminal it is a plain writer.
 */
export class Screen {
  readonly #output: NodeJS.WritableStream;
  readonly #columns: () => number;
  readonly #height: () => number;
  readonly #isTerminal: boolean;
  readonly #lock: WriteLock | null;
  #waiting = '';
  #waitingSince = 0;
  #retry: NodeJS.Timeout | undefined;
  #rows: readonly string[] = [];
  #cursor: CursorRow | null = null;
  /** What is on screen now, as it was drawn. */
  #drawn: { readonly rows: readonly string[]; readonly cursor: CursorRow | null } = { rows: [], cursor: null };

  constructor(options: {
    output: NodeJS.WritableStream;
    isTerminal: boolean;
    columns: () => number | undefined;
    /** Rows of the terminal. @default unknown */
    height?: () => number | undefined;
    lock?: WriteLock | null;
  }) {
    this.#output = options.output;
    this.#lock = options.lock ?? null;
    this.#isTerminal = options.isTerminal;
    this.#columns = () => options.columns() || 80;
    this.#height = () => options.height?.() || Number.POSITIVE_INFINITY;
    // A terminal that is gone must not become the reason why a run fails.
    this.#output.on('error', () => {});
  }

  /** Puts finished lines above the kept rows. */
  write(lines: string): void {
    this.#send(this.#erase() + keepColours(lines) + this.#draw());
  }

  /** Sets the kept rows, the cursor in the last one; null takes that one away. Draws only what changed. */
  keep(rows: readonly string[], cursor: CursorRow | null): void {
    if (!this.#isTerminal) return;
    const isSame = cursor?.before === this.#cursor?.before && cursor?.after === this.#cursor?.after;
    if (isSame && rows.length === this.#rows.length && rows.every((row, index) => row === this.#rows[index])) return;
    const erased = this.#erase();
    this.#rows = rows;
    this.#cursor = cursor;
    this.#send(erased + this.#draw());
  }

  /** Draws the kept rows once more, after something else has written to the terminal. */
  refresh(): void {
    this.#send(this.#erase() + this.#draw());
  }

  /**
   * Erases every screen row that the drawn ones take; on a terminal that became narrower that is more than one each, some of them
   * below the cursor.
   */
  #erase(): string {
    const { rows, cursor } = this.#drawn;
    this.#drawn = { rows: [], cursor: null };
    const columns = this.#columns();
    const typed = cursor ? rowsTaken(cursor.before + cursor.after, columns) : 0;
    const taken = rows.reduce((sum, row) => sum + rowsTaken(row, columns), typed);
    if (taken === 0) return '';
    // What has scrolled off the screen is out of reach, and asking for more of it would hit other lines.
    const reach = Math.min(taken, this.#height());
    const below = cursor ? typed - rowsTaken(cursor.before, columns) : 0;
    return `${'\n'.repeat(Math.min(below, reach - 1))}\r\u001b[K${'\u001b[1A\u001b[K'.repeat(reach - 1)}`;
  }

  #draw(): string {
    if (!this.#isTerminal) return '';
    this.#drawn = { rows: this.#rows, cursor: this.#cursor };
    const { before = '', after = '' } = this.#cursor ?? {};
    const lines = this.#cursor ? [...this.#rows, before + after] : this.#rows;
    // Writing the first part once more puts the cursor right, however wide the terminal takes the characters to be.
    return keepColours(lines.join('\n')) + (after === '' ? '' : `\r${keepColours(before)}`);
  }

  /** Writes what still waits for its turn, turn or not. */
  flush(): void {
    clearTimeout(this.#retry);
    const sequence = this.#waiting;
    this.#waiting = '';
    if (sequence !== '') this.#put(sequence, () => {});
  }

  #send(sequence: string): void {
    if (sequence === '') return;
    if (this.#waiting === '') this.#waitingSince = Date.now();
    this.#waiting += sequence;
    this.#tryWriting();
  }

  /** Waiting for another process must not hold this one up, and must not last for ever if that one hangs. */
  #tryWriting(): void {
    clearTimeout(this.#retry);
    const lock = this.#lock;
    if (!lock || Date.now() - this.#waitingSince >= LOCK_PATIENCE_MS) {
      this.flush();
    } else if (lock.tryTake()) {
      const sequence = this.#waiting;
      this.#waiting = '';
      this.#put(sequence, () => lock.release());
    } else {
      this.#retry = setTimeout(() => this.#tryWriting(), LOCK_RETRY_MS);
    }
  }

  #put(sequence: string, done: () => void): void {
    try {
      this.#output.write(sequence, done);
    } catch {
      done();
    }
  }
}
