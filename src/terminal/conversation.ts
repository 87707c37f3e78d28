import type { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { type Locale, text } from '../locale/locale.js';
import { type Destination, type OpenQuestion, routeLine } from './routeLine.js';

/** The doors of a run that a typed line can go through. */
export type Doors = Pick<HumanChannel, 'answer' | 'decline' | 'send' | 'close' | 'asks'>;

export interface ConversationOptions {
  readonly channel: Doors | null;
  readonly locale: Locale;
  /** Shows a sentence of flower's own, as a warning or in passing. */
  readonly say: (how: 'warn' | 'remark', words: string) => void;
  /** Shows a question again. */
  readonly showAgain: (event: Event) => void;
  /** See `TerminalUiOptions`. */
  readonly autoAnswerS: number | null;
  readonly closeChannelAtEnd: boolean;
  readonly onAside?: ((question: string) => void) | undefined;
  readonly onInterrupt?: ((words: Promise<string>) => void) | undefined;
  readonly onLeave: () => void;
  readonly onNudge?: (() => void) | undefined;
}

interface Asked extends OpenQuestion {
  readonly event: Event;
  /** Answers it by itself; null where only a person may. */
  readonly settle: (() => void) | null;
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * What a person and a run have to say to each other: which questions are open, where the next line goes, whether an interrupt
 * waits for its words. It knows nothing of keys and screens.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #open: Asked[] = [];
  /** What the line that is being typed will answer. It was begun with that in sight, so nothing that opens meanwhile changes it. */
  #begun: { readonly question: OpenQuestion | null } | null = null;
  #giveWords: ((words: string) => void) | null = null;
  #hasEnded = false;
  #waitsForLimit = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Which prompt stands before the line now. */
  get prompt(): 'line.interrupt' | 'line.answer' | 'line.idle' {
    if (this.#giveWords) return 'line.interrupt';
    return this.#question() ? 'line.answer' : 'line.idle';
  }

  /** True from Ctrl-C until the sentence is in. */
  get isInterrupting(): boolean {
    return this.#giveWords !== null;
  }

  event(event: Event): void {
    const { kind, id, state, options, limit } = event.payload;
    if (event.kind !== 'ask') {
      this.#waitsForLimit = event.kind === 'retry' && limit === true;
      return;
    }
    if (kind === 'mail' || typeof id !== 'string') return;
    const wasOldest = this.#open[0]?.id === id;
    this.#forget(id);
    if (state === 'asked') {
      this.#open.push(this.#asked(event, id, Array.isArray(options) ? options.map(String) : []));
    } else if (wasOldest && this.#open[0]) {
      this.#options.showAgain(this.#open[0].event);
    }
  }

  /** Tells whether the line that is being typed is empty; one that is begun keeps where it goes. */
  typing(isEmpty: boolean): void {
    if (isEmpty) this.#begun = null;
    else this.#begun ??= { question: this.#open[0] ?? null };
  }

  enter(line: string): void {
    const question = this.#question();
    this.#begun = null;
    if (this.#giveWords) this.#finishInterrupt(line.trim());
    else this.#pass(routeLine(line, question));
  }

  #pass(destination: Destination): void {
    const { channel, locale, say, onAside, onNudge } = this.#options;
    switch (destination.to) {
      case 'nobody':
        if (this.#waitsForLimit) onNudge?.();
        break;
      case 'aside':
        if (onAside) onAside(destination.words);
        else say('remark', text('aside.off', {}, locale));
        break;
      case 'mail':
        if (channel) channel.send(destination.words, { workers: destination.workers });
        else say('warn', text('mail.nowhere', {}, locale));
        break;
      case 'answer':
        this.#answer(destination.question.id, destination.words);
        break;
      case 'decline':
        channel?.decline(destination.question.id);
    }
  }

  /** Ctrl-C: the first asks for a stop and for words, the next one, while they are awaited, leaves. */
  interrupt(): void {
    const { locale, say, onInterrupt, onLeave } = this.#options;
    if (this.#giveWords || !onInterrupt || this.#hasEnded) {
      say('warn', text('int.leaving', {}, locale));
      onLeave();
      return;
    }
    say('remark', text('int.again', {}, locale));
    onInterrupt(
      new Promise((resolve) => {
        this.#giveWords = resolve;
      }),
    );
  }

  /** Nobody will type any more. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#giveWords) this.#finishInterrupt('');
    const { channel, locale, say, autoAnswerS, closeChannelAtEnd } = this.#options;
    for (const { settle } of [...this.#open]) settle?.();
    if (!channel || autoAnswerS !== null || !closeChannelAtEnd) return;
    channel.close(text('eof.reason', {}, locale));
    say('warn', text('eof.notice', {}, locale));
  }

  /** Takes back what was planned. */
  stop(): void {
    for (const { timer } of this.#open) clearTimeout(timer);
  }

  #question(): OpenQuestion | null {
    return this.#begun ? this.#begun.question : (this.#open[0] ?? null);
  }

  #answer(id: string, words: string): void {
    const { channel, locale, say } = this.#options;
    if (!channel || channel.answer(id, words)) return;
    const state = channel.asks.find((ask) => ask.id === id)?.state;
    const becameMail = state === 'timeout' || state === 'interrupted';
    say('warn', text(becameMail ? 'ask.late' : 'ask.elsewhere', {}, locale));
  }

  #finishInterrupt(words: string): void {
    const { locale, say } = this.#options;
    this.#giveWords?.(words);
    this.#giveWords = null;
    say('warn', text('int.done', {}, locale));
    if (this.#open.length > 0) say('remark', text('int.pending', { n: this.#open.length }, locale));
  }

  #asked(event: Event, id: string, options: readonly string[]): Asked {
    const { channel, autoAnswerS } = this.#options;
    if (!channel || autoAnswerS === null) return { id, options, event, settle: null, timer: undefined };
    const answer = typeof event.payload.default === 'string' ? event.payload.default : options[0];
    const settle = () => void (answer ? channel.answer(id, answer) : channel.decline(id));
    const waitS = this.#hasEnded ? 0 : autoAnswerS;
    return { id, options, event, settle, timer: setTimeout(settle, waitS * 1000) };
  }

  #forget(id: string): void {
    const index = this.#open.findIndex((question) => question.id === id);
    if (index < 0) return;
    clearTimeout(this.#open[index]?.timer);
    this.#open.splice(index, 1);
  }
}
