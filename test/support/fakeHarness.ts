import { randomUUID } from 'node:crypto';
import type { Options, Query, SDKMessage, SDKUserMessage, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { estimateOf, type TokenUsage } from '../../src/prices/prices.js';
import type { QueryFn } from '../../src/runtime/attempt.js';

/** What the harness does in one query. */
export type Play = (turn: FakeTurn) => AsyncIterable<SDKMessage>;

/**
 * Stands in for the Claude Code program where a test needs what the real one does not do on demand: a thousand turns in a blink, a
 * session without an id, a result at one exact moment. It keeps to the protocol that flower leans on: it loads what it resumes,
 * stores what it says, asks the boundary hook after each batch, counts its total from the saved one and saves it at its end.
 */
export class FakeHarness {
  /** Every query so far. */
  readonly turns: FakeTurn[] = [];
  readonly query: QueryFn;

  constructor(play: Play) {
    this.query = (({ prompt, options = {} }: { prompt: AsyncIterable<SDKUserMessage>; options?: Options }) => {
      const turn = new FakeTurn(prompt, options, this.turns.length);
      this.turns.push(turn);
      return Object.assign(messagesOf(turn, play), {
        interrupt: async () => turn.interrupt(),
        getContextUsage: async () => {
          if (turn.contextWindow === null) throw new Error('the harness does not know');
          return { maxTokens: turn.contextWindow };
        },
        close: () => undefined,
      }) as unknown as Query;
    }) as QueryFn;
  }

  /** Session ids that the queries resumed, null for a fresh one. */
  get resumes(): (string | null)[] {
    return this.turns.map((turn) => turn.options.resume ?? null);
  }
}

async function* messagesOf(turn: FakeTurn, play: Play): AsyncGenerator<SDKMessage> {
  await turn.begin();
  try {
    yield* play(turn);
  } finally {
    await turn.end();
  }
}

export interface FakeAnswer {
  readonly text?: string;
  /** Names of the tools that are called. */
  readonly call?: string;
  /** Tokens of the context. */
  readonly context?: number;
  readonly usage?: TokenUsage;
  readonly model?: string;
  /** Id of the worker that says it. */
  readonly worker?: string;
}

export class FakeTurn {
  readonly options: Options;
  /** Counts the queries from 0. */
  readonly n: number;
  readonly sessionId: string;
  readonly #input: AsyncIterable<SDKUserMessage>;
  readonly #resumed: boolean;
  prompt = '';
  /** What `getContextUsage` says; null: it fails. */
  contextWindow: number | null = null;
  /** The harness dies at the end of the play: nothing is saved. */
  dies = false;
  /** The play has come to a `hang`. */
  isHanging = false;
  /** Times that `interrupt` was called. */
  interrupts = 0;
  /** Resolves when `interrupt` is called. */
  readonly interrupted: Promise<void>;
  interrupt: () => void = () => undefined;
  #totalUsd = 0;
  #answers = 0;
  #promptStored = false;
  #lastEntry: SessionStoreEntry | null = null;

  constructor(input: AsyncIterable<SDKUserMessage>, options: Options, n: number) {
    this.#input = input;
    this.options = options;
    this.n = n;
    this.#resumed = Boolean(options.resume);
    this.sessionId = options.sessionId ?? options.resume ?? randomUUID();
    this.interrupted = new Promise((resolve) => {
      this.interrupt = () => {
        this.interrupts += 1;
        resolve();
      };
    });
  }

  async begin(): Promise<void> {
    const first = await this.#input[Symbol.asyncIterator]().next();
    this.prompt = String((first.value as SDKUserMessage).message.content);
    if (!this.#resumed) return;
    const loaded = (await this.options.sessionStore?.load(this.#key(this.options.resume ?? ''))) ?? [];
    const saved = loaded.findLast((entry) => entry.type === 'cost-state') as { totalCostUSD?: number } | undefined;
    this.#totalUsd = saved?.totalCostUSD ?? 0;
    if (this.options.forkSession) await this.#store(loaded.filter((entry) => entry.type !== 'cost-state'));
  }

  async end(): Promise<void> {
    if (this.dies || !this.#promptStored) return;
    await this.#store([{ type: 'cost-state', sessionId: this.sessionId, totalCostUSD: this.#totalUsd }]);
  }

  init(): SDKMessage {
    const tools = [...((this.options.tools as string[] | undefined) ?? [])].filter(
      (name) => !name.startsWith('Agent('),
    );
    return this.#message({ type: 'system', subtype: 'init', tools });
  }

  /** The model says something: into the store, onto the bill, out as a message. */
  async answer(answer: FakeAnswer = {}): Promise<SDKMessage> {
    const { model = 'claude-opus-5-5', worker, call } = answer;
    const usage = answer.usage ?? { input_tokens: answer.context ?? 1000, output_tokens: 0 };
    const id = `msg_${this.sessionId.slice(0, 8)}_${this.n}_${this.#answers}`;
    this.#answers += 1;
    this.#totalUsd += estimateOf(model, usage);
    await this.#storePrompt();
    const content = [
      ...(answer.text === undefined ? [] : [{ type: 'text', text: answer.text }]),
      ...(call === undefined ? [] : [{ type: 'tool_use', id: `toolu_${id}`, name: call, input: {} }]),
    ];
    const message = { id, role: 'assistant', model, usage, content };
    const entry = { type: 'assistant', uuid: randomUUID(), parentUuid: null, timestamp: now(), message };
    this.#lastEntry = entry as unknown as SessionStoreEntry;
    await this.#store([this.#lastEntry], worker && `subagents/agent-${worker}`);
    return this.#message({ type: 'assistant', message, parent_tool_use_id: worker ? `toolu_${worker}` : null });
  }

  /** Stores the last answer a second time, as the program does for a further block of the same reply. */
  async repeatLastEntry(): Promise<void> {
    if (this.#lastEntry) await this.#store([{ ...this.#lastEntry, uuid: randomUUID() }]);
  }

  /** A further block of the last answer, as the program would store it now; the last one has the whole usage. */
  nextBlock(usage: TokenUsage): SessionStoreEntry {
    const { message } = this.#lastEntry as unknown as { message: object };
    const entry = { ...this.#lastEntry, uuid: randomUUID(), timestamp: now(), message: { ...message, usage } };
    return entry as unknown as SessionStoreEntry;
  }

  /** Nothing comes any more: to whoever reads, this process is gone. */
  hang(): Promise<never> {
    this.isHanging = true;
    return new Promise(() => undefined);
  }

  /** An error of the service, as the harness words it. */
  async *apiError(words: string, fields: Record<string, unknown> = {}): AsyncGenerator<SDKMessage> {
    await this.#storePrompt();
    const content = [{ type: 'text', text: words }];
    const message = { role: 'assistant', model: '<synthetic>', content };
    yield this.#message({ type: 'assistant', error: 'unknown', message, parent_tool_use_id: null, ...fields });
    yield this.result({ is_error: true, result: words, terminal_reason: 'api_error', ...fields });
  }

  /** Asks the hooks at a boundary, of the main thread or a worker; gives the reason of a stop, null to go on. */
  async boundary(worker?: string): Promise<string | null> {
    const input = { hook_event_name: 'PostToolBatch', tool_calls: [], cwd: '', ...(worker && { agent_id: worker }) };
    for (const { hooks } of this.options.hooks?.PostToolBatch ?? []) {
      for (const hook of hooks) {
        const said = await hook(input as never, undefined, { signal: new AbortController().signal });
        if ('continue' in said && said.continue === false) return said.stopReason ?? '';
      }
    }
    return null;
  }

  result(fields: Record<string, unknown> = {}): SDKMessage {
    return this.#message({
      type: 'result',
      subtype: 'success',
      is_error: false,
      terminal_reason: 'completed',
      num_turns: 1,
      total_cost_usd: this.#totalUsd,
      errors: [],
      ...fields,
    });
  }

  /** The result of a turn that a hook stopped. */
  stopped(): SDKMessage {
    return this.result({ terminal_reason: 'hook_stopped' });
  }

  #message(fields: Record<string, unknown>): SDKMessage {
    return { uuid: randomUUID(), session_id: this.sessionId, ...fields } as unknown as SDKMessage;
  }

  async #storePrompt(): Promise<void> {
    if (this.#promptStored) return;
    this.#promptStored = true;
    const message = { role: 'user', content: this.prompt };
    await this.#store([
      { type: 'user', uuid: randomUUID(), parentUuid: null, timestamp: now(), message } as SessionStoreEntry,
    ]);
  }

  #key(sessionId: string, subpath?: string) {
    const projectKey = this.options.env?.CLAUDE_CODE_PROJECT_DIR_NAME ?? '';
    return { projectKey, sessionId, ...(subpath && { subpath }) };
  }

  async #store(entries: SessionStoreEntry[], subpath?: string): Promise<void> {
    await this.options.sessionStore?.append(this.#key(this.sessionId, subpath), entries);
  }
}

function now(): string {
  return new Date().toISOString();
}
