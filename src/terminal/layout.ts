import type { Locale } from '../locale/locale.js';
import { createPaint, markDim, type Paint, paintLines, type Style } from './paint.js';
import { sanitise } from './sanitise.js';
import { columnsOf, cutToWidth, usableWidth } from './width.js';
import { wrap } from './wrap.js';

export interface LayoutOptions {
  readonly columns: number | undefined;
  readonly color: boolean;
  readonly locale: Locale;
}

/** What stands before a line: nothing, two blanks, or the bar of everything that a worker does. */
export type Margin = '' | '  ' | '  | ';

const plain: Style = (text) => text;

/**
 * Puts marks, texts and colours together into lines that fit the screen. All text that goes through it loses its escape sequences
 * first. Made anew for each message, as the screen may have changed its size.
 */
export class Layout {
  readonly width: number;
  readonly paint: Paint;
  readonly locale: Locale;
  readonly #options: LayoutOptions;
  readonly #margin: Margin;

  constructor(options: LayoutOptions, margin: Margin = '  ') {
    this.width = usableWidth(options.columns);
    this.paint = createPaint(options.color);
    this.locale = options.locale;
    this.#options = options;
    this.#margin = margin;
  }

  /** The same screen with another margin. */
  behind(margin: Margin): Layout {
    return new Layout(this.#options, margin);
  }

  /** The whole text, its first line behind `mark`, the others indented as far. Nothing for a blank text. */
  hang(mark: string, text: string, style: Style = plain): string[] {
    return this.#finish(wrap(sanitise(text), this.#room, mark), style);
  }

  /** One of flower's own texts, in which ‹…› is drawn dim. */
  own(mark: string, text: string, style: Style = plain): string[] {
    return this.#finish(wrap(markDim(sanitise(text)), this.#room, mark), style);
  }

  /** One line of several parts behind `mark`, a blank between them; what does not fit is cut. */
  line(mark: string, parts: readonly (readonly [text: string, style?: Style])[], style: Style = plain): string[] {
    let room = this.#room - columnsOf(mark);
    const shown: string[] = [];
    for (const [text, partStyle = plain] of parts) {
      const part = cutToWidth(sanitise(text), room);
      if (part === '') continue;
      shown.push(partStyle(part));
      room -= columnsOf(part) + 1;
    }
    return this.#finish([style(mark) + shown.join(' ')], plain);
  }

  get #room(): number {
    return this.width - this.#margin.length;
  }

  #finish(lines: readonly string[], style: Style): string[] {
    const margin = this.#margin === '  | ' ? this.paint.dim(this.#margin) : this.#margin;
    return paintLines(lines, style, this.paint).map((line) => margin + line);
  }
}
