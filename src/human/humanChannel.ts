import { Brief } from '../documents/brief.js';
import type { Event } from '../events/event.js';
import { activeLocale, type Locale, text } from '../locale/locale.js';
import { type HumanServer, humanServer } from '../tools/humanServer.js';
import { appendAmendment, newAmendment } from './amendment.js';
import { AmendmentRecord } from './amendmentRecord.js';
import { Ask, type AskFrom, type AskState } from './ask.js';
import type { AskOptions, HumanChannelOptions, HumanServerOptions } from './humanChannelOptions.js';
import { Mail, type Mailbox, type MailKept } from './mail.js';
import { logAsk, logWords } from './questionLog.js';
import { startWait, type Timers } from './wait.js';

interface Waiting {
  readonly ask: Ask;
  /** Calls off the time limit and hands the settled question to whoever awaits it. */
  readonly end: () => void;
}

/**
 * The one place where a run stops and waits for a person. The model asks through the tools of `mcpServers`, the framework through
 * `ask`; a UI answers by plain synchronous methods, callable from any callback. It hears of questions by `onEvent` (push) or
 * takes them by `nextAsk` (pull). Everything a person says unasked goes through `send`.
 *
 * @example
 * const channel = new HumanChannel({ timeoutS: 600, onEvent: show });
 * for (let ask = await channel.nextAsk(); ask; ask = await channel.nextAsk()) channel.answer(ask.id, await prompt(ask.question));
 */
export class HumanChannel {
  onEvent: ((event: Event) => void) | null;
  maxAsks: number | null;
  timeoutS: number | null;
  logPath: string | null;
  amendPath: string | null;
  overBudgetText: string;
  timeoutText: string;
  declinedText: string;
  readonly locale: Locale;
  /** Every question so far, oldest first. */
  readonly asks: Ask[] = [];
  /** Every mail known here, oldest first. */
  readonly mail: Mail[] = [];
  /** What callbacks and the mailbox have thrown. It changed no outcome. */
  readonly uiErrors: string[] = [];

  #mailbox: Mailbox | null = null;
  #timers: Timers;
  #closed = false;
  #lastId = 0;
  #counted = 0;
  #waiting = new Map<string, Waiting>();
  #unseen = new Set<Ask>();
  #pullers = new Set<(ask: Ask | null) => void>();
  #reserved = new Set<Mail>();
  #listeners = new Set<(event: Event) => void>();
  #callers = new Map<string, AskFrom>();
  #record: AmendmentRecord | null = null;

  constructor(options: HumanChannelOptions = {}) {
    this.onEvent = options.onEvent ?? null;
    this.maxAsks = checked(
      'maxAsks',
      options.maxAsks ?? null,
      'null or a whole number from 0',
      (n) => Number.isInteger(n) && n >= 0,
    );
    const timeoutS = options.timeoutS === undefined ? 1800 : options.timeoutS;
    this.timeoutS = checked('timeoutS', timeoutS, 'null or a finite number of seconds', Number.isFinite);
    this.logPath = options.logPath ?? null;
    this.amendPath = options.amendPath ?? null;
    this.locale = options.locale ?? activeLocale();
    this.overBudgetText = options.overBudgetText ?? text('reply.overBudget', {}, this.locale);
    this.timeoutText = options.timeoutText ?? text('reply.timeout', {}, this.locale);
    this.declinedText = options.declinedText ?? text('reply.declined', {}, this.locale);
    this.#timers = options.timers ?? globalThis;
    this.mailbox = options.mailbox ?? null;
  }

  get toolName(): 'mcp__human__ask' {
    return 'mcp__human__ask';
  }

  get inboxName(): 'mcp__human__inbox' {
    return 'mcp__human__inbox';
  }

  /** True after `close`. */
  get closed(): boolean {
    return this.#closed;
  }

  get mailbox(): Mailbox | null {
    return this.#mailbox;
  }

  /** Takes over what waits in the mailbox and stores what waits here; ids go on behind the largest one known. */
  set mailbox(mailbox: Mailbox | null) {
    const isNew = mailbox !== this.#mailbox;
    this.#mailbox = mailbox;
    if (mailbox === null || !isNew) return;
    const here = this.pendingMail();
    this.#contain(() => {
      this.#lastId = Math.max(this.#lastId, mailbox.lastId());
      this.mail.unshift(...mailbox.untaken().map((mail) => new Mail(mail)));
    });
    this.#contain(() => this.#amended()?.joinWith(mailbox));
    for (const mail of here) {
      mail.id = this.#nextId('m');
      this.#save(mail);
    }
  }

  /**
   * The MCP servers of one query, for its `mcpServers` option. A new instance on every call, as one can be connected only once;
   * all of them ask through this channel.
   *
   * @example
   * const options = { mcpServers: channel.mcpServers({ from: { role: 'judge' }, inbox: false }) };
   */
  mcpServers(options: HumanServerOptions = {}): { human: HumanServer } {
    return { human: humanServer(this, { ...options, locale: this.locale }) };
  }

  /** Tells that a worker makes this tool call, as a hook has seen: the call itself does not name it. Its question then carries it. */
  noteCaller(toolUseId: string, worker: AskFrom): void {
    this.#callers.set(toolUseId, worker);
  }

  /** The worker that makes this tool call; undefined for the main thread, and where no hook has seen the call. */
  callerOf(toolUseId: string): AskFrom | undefined {
    return this.#callers.get(toolUseId);
  }

  /** Adds a listener beside `onEvent`; it hears everything first. Returns how to take it away again. */
  listen(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Asks a person and waits for what becomes of it: see `state`. Never rejects, except when `signal` aborts.
   *
   * @example
   * const ask = await channel.ask('Deploy now?', ['yes', 'no'], { timeoutS: 60, default: 'no' });
   */
  async ask(question: string, options?: readonly string[] | null, how: AskOptions = {}): Promise<Ask> {
    how.signal?.throwIfAborted();
    const ask = new Ask({
      id: this.#nextId('q'),
      question: question.trim(),
      options: (options ?? []).map((option) => option.trim()).filter((option) => option !== ''),
      timeoutS: how.timeoutS === undefined ? this.timeoutS : how.timeoutS,
      default: how.default?.trim() || null,
      from: how.from ?? null,
    });
    this.asks.push(ask);
    if (!how.exempt) this.#counted += 1;
    const overBudget = !how.exempt && this.maxAsks !== null && this.#counted > this.maxAsks;

    if (ask.question === '') this.#settle(ask, 'invalid', text('reply.emptyQuestion', {}, this.locale));
    else if (overBudget) this.#settle(ask, 'over_budget', this.overBudgetText);
    else if (this.#closed || (ask.timeoutS !== null && ask.timeoutS <= 0)) this.#timeOut(ask);
    else await this.#wait(ask, how.signal);
    if (ask.state === 'interrupted') how.signal?.throwIfAborted();
    return ask;
  }

  /**
   * Answers a question. True exactly if that decided its outcome; false for a question that is unknown or settled already. A
   * blank answer decides nothing in the asker's favour: it declines. Words that come too late become mail that names the question.
   */
  answer(askId: string, words: string): boolean {
    const ask = this.#find(askId);
    if (!ask) return false;
    if (words.trim() === '') return this.decline(askId);
    if (ask.state === 'asked') return this.#settle(ask, 'answered', words);
    if (ask.state === 'timeout' || ask.state === 'interrupted') {
      this.send(text('mail.lateAnswer', { question: ask.question, words }, this.locale));
    }
    return false;
  }

  /** Skips a question; the asker is told so, with the reason if there is one. True exactly if that decided its outcome. */
  decline(askId: string, reason = ''): boolean {
    const ask = this.#find(askId);
    if (ask?.state !== 'asked') return false;
    const because = reason.trim() === '' ? '' : text('reply.declineReason', { reason }, this.locale);
    return this.#settle(ask, 'declined', this.declinedText + because);
  }

  /**
   * Whoever asks is being stopped by a person: questions of agents end without an answer, so that their turn comes to a boundary at
   * once. Those of the framework stay open.
   */
  interrupt(): void {
    for (const ask of this.pending()) {
      if (ask.from !== null) this.#settle(ask, 'interrupted', text('reply.interrupted', {}, this.locale));
    }
  }

  /**
   * Nobody will answer any more: declines what is open, ends `nextAsk`, and settles every later question at once as a timeout.
   * `send`, `note` and `amend` still work.
   */
  close(reason = ''): void {
    this.#closed = true;
    for (const ask of this.pending()) this.decline(ask.id, reason);
    for (const give of this.#pullers) give(null);
  }

  /** Questions that may still be asked: -1 = any number. */
  get remaining(): number {
    return this.maxAsks === null ? -1 : Math.max(0, this.maxAsks - this.#counted);
  }

  /** The questions that wait, oldest first. */
  pending(): Ask[] {
    return [...this.#waiting.values()].map((waiting) => waiting.ask);
  }

  /**
   * The next question that still waits and that no other call has got. Null when `timeoutS` seconds have passed (null = no
   * limit, 0 = only look) or the channel is closed.
   */
  nextAsk(timeoutS: number | null = null): Promise<Ask | null> {
    const [unseen] = this.#unseen;
    if (unseen) {
      this.#unseen.delete(unseen);
      return Promise.resolve(unseen);
    }
    if (this.#closed || (timeoutS !== null && timeoutS <= 0)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const give = (ask: Ask | null) => {
        this.#pullers.delete(give);
        stop?.();
        resolve(ask);
      };
      const stop = timeoutS === null ? null : startWait(timeoutS, () => give(null), this.#timers);
      this.#pullers.add(give);
    });
  }

  /**
   * Leaves words in the inbox and adds them to the file of `amendPath`. Interrupts nothing: the agent gets them with its next
   * tool result or when it looks; with `workers`, running workers get them too. Null for blank words.
   *
   * @example
   * const mail = channel.send('use port 8081');
   */
  send(words: string, options: { readonly workers?: boolean } = {}): Mail | null {
    if (words.trim() === '') return null;
    const kept = this.#keep(words);
    const mail = new Mail({ id: this.#nextId('m'), text: words, workers: options.workers ?? false, ...kept });
    this.mail.push(mail);
    this.#save(mail);
    this.#emit(mail.event('queued', this.amendPath));
    return mail;
  }

  /**
   * What a person added to the file of `amendPath`, as the file holds it, oldest first. What else looks like that in the file was
   * written there by somebody else. Null without a path: then nobody knows.
   */
  get amendments(): readonly string[] | null {
    return this.#amended()?.all ?? null;
  }

  /** Adds words to the file of `amendPath`, under a heading with the time. False without a path, for blank words, on a write error. */
  amend(words: string, options: { readonly label?: string } = {}): boolean {
    const record = this.#amended();
    if (record === null || words.trim() === '') return false;
    return this.#addTo(record, words, options.label ?? text('amend.running', {}, this.locale)) === null;
  }

  /** Null, or why the file could not be written. */
  #addTo(record: AmendmentRecord, words: string, label: string): string | null {
    const amendment = newAmendment(words, label, this.locale);
    this.#contain(() => record.add(amendment, this.#mailbox));
    try {
      appendAmendment(record.path, amendment, this.locale);
      return null;
    } catch (error) {
      this.#contain(() => record.takeBack(this.#mailbox));
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Keeps the words of an interrupt in file and log. No mail: they go into the resumed session themselves. Returns as `amend`. */
  note(words: string): boolean {
    if (words.trim() === '') return false;
    const amended = this.amend(words);
    logWords(this.logPath, this.#nextId('n'), words, this.locale);
    return amended;
  }

  /** Mail that the main thread does not have yet, oldest first. */
  pendingMail(): Mail[] {
    return this.mail.filter((mail) => !mail.taken);
  }

  /**
   * Hands out the mail that waits, all of it, only the urgent (`workers`) or only what `reserve` gave, and marks it as delivered.
   */
  take(options: { readonly workers?: boolean; readonly reserved?: readonly Mail[] } = {}): Mail[] {
    const wanted = options.reserved ?? this.mail.filter((mail) => !this.#reserved.has(mail));
    const taken = wanted.filter((mail) => !mail.taken && (!options.workers || mail.workers));
    for (const mail of taken) {
      mail.taken = true;
      this.#reserved.delete(mail);
      this.#save(mail);
      this.#emit(mail.event('delivered', this.amendPath));
      logWords(this.logPath, mail.id, mail.text, this.locale);
    }
    return taken;
  }

  /**
   * Mail that is about to be pushed into a turn: nobody else gets it meanwhile, but it counts as delivered only after
   * `take({ reserved })`, when it is known to have reached the model. `release` puts it back.
   */
  reserve(): Mail[] {
    const waiting = this.pendingMail().filter((mail) => !this.#reserved.has(mail));
    for (const mail of waiting) this.#reserved.add(mail);
    return waiting;
  }

  /** Puts reserved mail back that did not reach the model. */
  release(mail: readonly Mail[]): void {
    for (const one of mail) this.#reserved.delete(one);
  }

  /** Mail in words for the model, with a note whether it is in a file already. */
  mailText(mail: readonly Mail[]): string {
    if (mail.length === 0) return text('reply.noMail', {}, this.locale);
    const list = mail.map((one, i) => `${i + 1}. ${one.text}`).join('\n');
    const kept = mail.every((one) => one.amended) ? 'inbox.amended' : 'inbox.notAmended';
    return `${text('inbox.intro', {}, this.locale)}\n\n${list}\n\n${text(kept, {}, this.locale)}`;
  }

  /** All questions and answers so far, as text. */
  transcript(): string {
    return this.asks.map((ask) => `- Q: ${ask.question}\n  A: [${ask.state}] ${ask.answer}`).join('\n');
  }

  #wait(ask: Ask, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      let stopTimer: (() => void) | null = null;
      const onAbort = () => this.#settle(ask, 'interrupted', '');
      const end = () => {
        stopTimer?.();
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#waiting.set(ask.id, { ask, end });
      signal?.addEventListener('abort', onAbort);
      this.#emit(ask.event(this.remaining));
      // A listener may have answered already.
      if (ask.state !== 'asked') return;
      if (ask.timeoutS !== null) stopTimer = startWait(ask.timeoutS, () => this.#timeOut(ask), this.#timers);
      this.#offer(ask);
    });
  }

  #offer(ask: Ask): void {
    const [puller] = this.#pullers;
    if (puller) puller(ask);
    else this.#unseen.add(ask);
  }

  #timeOut(ask: Ask): void {
    const holds = ask.default === null ? '' : `\n${text('reply.defaultHolds', { default: ask.default }, this.locale)}`;
    this.#settle(ask, 'timeout', this.timeoutText + holds);
  }

  #settle(ask: Ask, state: Exclude<AskState, 'asked'>, answer: string): true {
    ask.settle(state, answer);
    const waiting = this.#waiting.get(ask.id);
    this.#waiting.delete(ask.id);
    this.#unseen.delete(ask);
    this.#emit(ask.event(this.remaining));
    logAsk(this.logPath, ask, this.locale);
    waiting?.end();
    return true;
  }

  #find(askId: string): Ask | undefined {
    return this.asks.find((ask) => ask.id === askId);
  }

  #keep(words: string): { kept: MailKept; why?: string } {
    const record = this.#amended();
    if (record === null) return { kept: 'no_brief' };
    const isFrozen = Brief.load(record.path)?.complete() ?? false;
    const why = this.#addTo(record, words, text('amend.running', {}, this.locale));
    if (why !== null) return { kept: 'failed', why };
    return { kept: isFrozen ? 'appended' : 'until_frozen' };
  }

  #amended(): AmendmentRecord | null {
    if (this.#record?.path !== this.amendPath) {
      this.#record = this.amendPath === null ? null : new AmendmentRecord(this.amendPath);
    }
    return this.#record;
  }

  #save(mail: Mail): void {
    this.#contain(() => this.#mailbox?.save(mail));
  }

  #emit(event: Event): void {
    for (const listener of [...this.#listeners, this.onEvent]) this.#contain(() => listener?.(event));
  }

  /** Runs a function of somebody else's. What it throws, or its promise rejects with, is kept and harms nothing. */
  #contain(run: () => unknown): void {
    const failed = (error: unknown) => void this.uiErrors.push(String(error));
    try {
      const returned = run();
      if (returned instanceof Promise) returned.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #nextId(prefix: 'q' | 'm' | 'n'): string {
    this.#lastId += 1;
    return `${prefix}${this.#lastId}`;
  }
}

function checked(
  name: string,
  value: number | null,
  expected: string,
  isFine: (value: number) => boolean,
): number | null {
  if (value === null || (typeof value === 'number' && isFine(value))) return value;
  throw new TypeError(`HumanChannel: ${name} must be ${expected}, got ${String(value)}`);
}
