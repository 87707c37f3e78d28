import type { Options, Query, query, SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';
import { Event } from '../events/event.js';
import { type KnownAgents, normalize } from '../events/normalize.js';
import { type Locale, text } from '../locale/locale.js';
import type { HandInDesk } from '../tools/handIn.js';
import type { Failure } from './failure.js';
import type { Holes } from './holes.js';
import type { MailPush } from './mailPush.js';
import { compareTools } from './offeredTools.js';
import type { PromptStream } from './promptStream.js';
import type { QueryBill } from './queryBill.js';
import type { StepResult } from './stepResult.js';
import { STOP, type TurnStop } from './turnStop.js';
import { Watchdog } from './watchdog.js';

export type QueryFn = typeof query;

/** What an attempt needs from whoever makes it. */
export interface AttemptOptions {
  /** Holds the prompt already. */
  readonly input: PromptStream;
  readonly options: Options;
  /** What the main thread is meant to be offered. */
  readonly mainTools: readonly string[];
  readonly bill: QueryBill;
  readonly locale: Locale;
  readonly query: QueryFn;
  readonly result: StepResult;
  readonly desk: HandInDesk;
  readonly stop: TurnStop;
  /** Brings what a person says on the way; null where nothing may come in between. */
  readonly mail: MailPush | null;
  /** Seconds without any message after which the harness counts as dead; 0 is off. */
  readonly silenceS: number;
  emit(event: Event): void;
  onSession(sessionId: string): void;
  /** Called before a message is looked at: the place where an interrupt or a spent budget asks for a stop. */
  onMessage(): void;
  /** The main thread has answered. @param context tokens */
  onAnswer(context: number, model: string): void;
  /** The window that the harness knows for the model that answers, tokens. */
  onWindow(contextWindow: number, model: string): void;
  /** US dollars that this process has spent. */
  spentUsd(): number;
  /** False if nothing of the session has reached the store by its first result. */
  isStored(sessionId: string): Promise<boolean>;
  readonly holes: Holes;
  /** A person is being asked: a silence is theirs. */
  personIsAsked(): boolean;
  /** The last words of a harness that ended without a result. */
  lastStderr(): string;
}

/**
 * One attempt at a step is one query: sends the prompt, turns every message into events and books what the result says. Fills the
 * step's result and gives what is known of a failure; never throws for a failed turn.
 */
export async function runAttempt(options: AttemptOptions): Promise<Failure> {
  return new Attempt(options).execute();
}

class Attempt {
  readonly #o: AttemptOptions;
  readonly #agents: KnownAgents = new Map();
  readonly #said: string[] = [];
  /** Errors of the main thread in this attempt: an old one of the step must not be read as new. */
  readonly #errors: string[] = [];
  #initSeen = false;
  #windowAsked = false;
  /** The turn that began last has its result. */
  #turnEnded = false;
  #failure: Failure = {};

  constructor(options: AttemptOptions) {
    this.#o = options;
  }

  async execute(): Promise<Failure> {
    const { result, stop } = this.#o;
    result.ok = false;
    result.error = null;
    const query = this.#o.query({ prompt: this.#o.input, options: this.#o.options });
    stop.attach(query);
    const watchdog = new Watchdog(this.#o.silenceS, {
      isAlive: () => this.#o.personIsAsked(),
      onSilent: () => stop.killSilent(),
    });
    try {
      for await (const message of query) {
        watchdog.touch();
        if (!(await this.#take(message, query))) break;
      }
    } catch (error) {
      // The SDK throws after a failed result as well; the result said it better.
      if (result.error === null) this.#fail(describe(error, this.#o.lastStderr()));
      result.ok = false;
    } finally {
      watchdog.stop();
      stop.done();
      this.#o.input.close();
      await this.#o.holes.fill();
      query.close();
    }
    this.#settle();
    return this.#failure;
  }

  /** One message; false ends the attempt. */
  async #take(message: SDKMessage, query: Query): Promise<boolean> {
    this.#noteSession(message);
    if (!this.#checkFirstInit(message)) return false;
    // A turn that has ended is not stopped any more.
    if (message.type !== 'result') this.#o.onMessage();
    if (message.type === 'assistant' && !message.parent_tool_use_id) this.#turnEnded = false;
    if (message.type === 'rate_limit_event') this.#noteLimit(message);
    if (message.type === 'system' && message.subtype === 'mirror_error') this.#o.holes.note(message.key.sessionId);
    for (const event of normalize(message, { locale: this.#o.locale, agents: this.#agents })) {
      if (event.kind === 'result') await this.#bookResult(message as SDKResultMessage, event);
      this.#o.emit(event);
      this.#collect(event, query);
    }
    this.#o.mail?.note(message);
    if (message.type === 'result' && !this.#pushLastMail()) this.#o.input.close();
    return true;
  }

  /** What came with the last words gets a turn of its own, unless the turn failed or something else is to come next. */
  #pushLastMail(): boolean {
    const { result, stop, mail } = this.#o;
    return result.ok && stop.reason === null && Boolean(mail?.push());
  }

  #noteSession(message: SDKMessage): void {
    const id = 'session_id' in message ? message.session_id : undefined;
    if (!id || id === this.#o.result.sessionId) return;
    this.#o.result.sessionId = id;
    this.#o.onSession(id);
  }

  /** The wall has a lock in front of it: a session that offers its main thread more than was meant is ended before it can work. */
  #checkFirstInit(message: SDKMessage): boolean {
    if (this.#initSeen || message.type !== 'system' || message.subtype !== 'init') return true;
    this.#initSeen = true;
    const { locale, mainTools } = this.#o;
    const { tooMany, missing } = compareTools(message.tools, mainTools);
    const lacks = text('init.missing', { tools: missing.join(', ') }, locale);
    if (tooMany.length > 0) return this.#refuse(text('init.tooMany', { tools: tooMany.join(', ') }, locale));
    if (missing.some((tool) => tool.startsWith('mcp__human__'))) return this.#refuse(lacks);
    if (missing.length > 0) this.#o.emit(new Event('error', { text: lacks, payload: { missing_tools: missing } }));
    return true;
  }

  /** Ends the attempt for good: the same tools would come again. */
  #refuse(why: string): false {
    this.#fail(why);
    this.#failure = { ...this.#failure, error: 'invalid_request' };
    return false;
  }

  #noteLimit(message: Extract<SDKMessage, { type: 'rate_limit_event' }>): void {
    const { status, resetsAt } = message.rate_limit_info;
    // While requests are allowed it only tells when the current span ends.
    if (status === 'rejected' && resetsAt !== undefined) this.#failure = { ...this.#failure, resetsAt };
  }

  /** A result counts only if the harness says that the turn was completed; `subtype: success` also stands on failures and stops. */
  async #bookResult(message: SDKResultMessage, event: Event): Promise<void> {
    const { result, stop, bill } = this.#o;
    const spent = bill.book(message.total_cost_usd);
    this.#turnEnded = true;
    result.costUsd += spent.usd;
    result.costEstimated ||= spent.estimated;
    result.numTurns += message.num_turns;
    event.payload.cost_usd = spent.usd;
    event.payload.spent_usd = this.#o.spentUsd();

    const completed = message.terminal_reason === undefined || message.terminal_reason === 'completed';
    result.ok = message.subtype === 'success' && !message.is_error && completed;
    result.error = result.ok ? null : (stop.reason ?? failureOf(message));
    if (!result.ok && stop.reason) event.payload.stopped = stop.reason;
    if (!result.ok) this.#noteFailure(message, result.error ?? '');
    // The reply that passes the limit ends the turn, and no hook is asked any more: workers beside it would go on, and spend.
    if (message.terminal_reason === 'budget_exhausted') stop.kill();
    await this.#checkStored();
  }

  #noteFailure(message: SDKResultMessage, words: string): void {
    const structured = message as { api_error_status?: number | null; api_error?: string | null };
    this.#failure = {
      ...this.#failure,
      subtype: message.subtype,
      terminalReason: message.terminal_reason,
      apiErrorStatus: structured.api_error_status ?? this.#failure.apiErrorStatus,
      apiError: structured.api_error ?? this.#failure.apiError,
      text: words,
    };
  }

  async #checkStored(): Promise<void> {
    const { sessionId } = this.#o.result;
    if (sessionId && !(await this.#o.isStored(sessionId))) this.#o.holes.note(sessionId);
  }

  /** Only the main thread speaks for the step: what its workers say and what goes wrong in them stays in their transcripts. */
  #collect(event: Event, query: Query): void {
    const { payload } = event;
    if (payload.subagent) return;
    if (event.kind === 'text') this.#said.push(event.text);
    if (event.kind === 'error' && payload.synthetic) this.#noteError(event);
    if (typeof payload.context === 'number' && payload.context > 0) {
      const model = typeof payload.model === 'string' ? payload.model : '';
      this.#o.onAnswer(payload.context, model);
      this.#askWindow(query, model);
    }
  }

  #noteError({ text: words, payload }: Event): void {
    this.#errors.push(words);
    this.#o.result.errors.push(words);
    this.#failure = {
      ...this.#failure,
      error: stringOr(payload.error, this.#failure.error),
      apiError: stringOr(payload.api_error, this.#failure.apiError),
      apiErrorStatus:
        typeof payload.api_error_status === 'number' ? payload.api_error_status : this.#failure.apiErrorStatus,
    };
  }

  /** Asked once, after the first answer; it sends no request. */
  #askWindow(query: Query, model: string): void {
    if (this.#windowAsked) return;
    this.#windowAsked = true;
    query.getContextUsage({ detail: 'summary' }).then(
      ({ maxTokens }) => this.#o.onWindow(maxTokens, model),
      () => undefined,
    );
  }

  #settle(): void {
    const { result, stop, desk, locale, bill } = this.#o;
    const unnamedUsd = bill.rest();
    result.costUsd += unnamedUsd;
    if (unnamedUsd > 0) result.costEstimated = true;
    if (!result.ok) {
      if (!this.#turnEnded && stop.reason) result.error = stop.reason;
      result.error ??= this.#errors.at(-1) ?? text('attempt.noResult', {}, locale);
      this.#failure = { ...this.#failure, text: this.#failure.text ?? result.error };
    }
    if (stop.reason === STOP.silence) this.#failure = { text: STOP.silence };
    const spoken = this.#said.join('\n').trim();
    result.handIn = desk.last;
    if (result.handIn) result.text = result.handIn.document.toMarkdown();
    else if (spoken) result.text = spoken;
  }

  #fail(words: string): void {
    this.#o.result.error = words;
    this.#failure = { ...this.#failure, text: words };
  }
}

function failureOf(message: SDKResultMessage): string {
  if (message.subtype !== 'success') return [message.subtype, message.errors.join('; ')].filter(Boolean).join(': ');
  return message.is_error && message.result ? message.result : (message.terminal_reason ?? message.subtype);
}

function describe(error: unknown, stderr: string): string {
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return stderr.trim() && !words.includes(stderr.trim()) ? `${words}\n${stderr.trim()}` : words;
}

function stringOr(value: unknown, otherwise: string | undefined): string | undefined {
  return typeof value === 'string' && value ? value : otherwise;
}
