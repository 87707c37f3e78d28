import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentBook } from './agentBook.js';
import { type Answer, makeAnswer } from './answer.js';
import { CacheModel } from './cacheModel.js';
import { checkRequest } from './checkRequest.js';
import { Meter } from './meter.js';
import { type PromptRow, promptRow } from './promptRow.js';
import { recognise } from './recognise.js';
import { fail, http, Reply } from './reply.js';
import type { Script } from './script.js';
import { answerSide } from './sideReplies.js';
import type { SimRequest } from './simRequest.js';
import type { WireRequest } from './wire.js';
import { writeReply } from './writeReply.js';

export interface SimOptions {
  /** What the model answers. */
  readonly script: Script;
  /** What the model answers to side requests: kinds `title`, `summary` and `probe`. @default something plain and good */
  readonly sideScript?: Script;
  /** @default 0, any free port */
  readonly port?: number;
  /** Milliseconds since 1970: the time that the prompt cache lives by. @default Date.now */
  readonly now?: () => number;
  /** The shortest prefix that is cached, in tokens. The real API has 1,024 to 4,096, by model. @default 1024 */
  readonly minimumCacheTokens?: number;
  /** How many of the latest requests stay in `requests`: one of a full context is some megabytes. @default Infinity */
  readonly keepRequests?: number;
}

/** A request for which the script had no answer. */
export interface Fault {
  readonly n: number;
  readonly message: string;
  readonly cause: unknown;
}

/** A running sim. */
export interface Sim {
  /** What `ANTHROPIC_BASE_URL` must be. It stays the same after `close`, so that a test can start a sim there again. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, or the latest `keepRequests` of them, oldest first. */
  readonly requests: readonly SimRequest[];
  readonly meter: Meter;
  /** Empty as long as the script knew an answer. Assert that it is. */
  readonly faults: readonly Fault[];
  setScript(script: Script): void;
  /** Ends all connections, stalled ones too. */
  close(): Promise<void>;
}

/**
 * Starts a Messages API on 127.0.0.1 that answers by a script, so that the real Claude Code program runs without a network and
 * without cost.
 *
 * @example
 * const sim = await startSim({ script: turns([call('Bash', { command: 'echo hi' }), say('Done.')]) });
 * // … run something with ANTHROPIC_BASE_URL=sim.url and any ANTHROPIC_API_KEY …
 * assert.deepEqual(sim.faults, []);
 * await sim.close();
 */
export async function startSim(options: SimOptions): Promise<Sim> {
  const sim = new RunningSim(options);
  await sim.listen(options.port ?? 0);
  return sim;
}

class RunningSim implements Sim {
  port = 0;
  readonly requests: SimRequest[] = [];
  readonly faults: Fault[] = [];
  readonly meter = new Meter();
  readonly #server: Server;
  readonly #book = new AgentBook();
  readonly #cache: CacheModel;
  readonly #now: () => number;
  readonly #sideScript: Script;
  readonly #keepRequests: number;
  #received = 0;
  #script: Script;

  constructor(options: SimOptions) {
    const { script, sideScript = answerSide, now = Date.now, minimumCacheTokens = 1024 } = options;
    if (typeof script !== 'function') throw new TypeError(`startSim: script must be a function, got ${String(script)}`);
    this.#script = script;
    this.#sideScript = sideScript;
    this.#now = now;
    this.#keepRequests = options.keepRequests ?? Infinity;
    this.#cache = new CacheModel(minimumCacheTokens);
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#server.requestTimeout = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  setScript(script: Script): void {
    this.#script = script;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = parse(await read(incoming));
    const body = received ?? noBody;
    const row = promptRow(body);
    const { method = 'GET', url = '/', headers } = incoming;
    const path = new URL(url, this.url).pathname;
    this.#received += 1;
    const request = recognise({ n: this.#received, at: this.#now(), method, path, headers, body, row }, this.#book);
    this.requests.push(request);
    if (this.requests.length > this.#keepRequests) this.requests.shift();
    const { reply, answer } = await this.#decide(request, row, received !== undefined);
    request.reply = reply;
    await writeReply(response, reply, answer, request.stream);
  }

  async #decide(request: SimRequest, row: PromptRow, hasBody: boolean): Promise<Decision> {
    const own = ownReply(request, hasBody);
    if (own !== null) return { reply: own, answer: null };
    try {
      const reply = await (request.kind === 'message' ? this.#script : this.#sideScript)(request);
      if (!(reply instanceof Reply)) throw new TypeError(`the script must give a Reply, got ${String(reply)}`);
      return { reply, answer: this.#answer(request, reply, row) };
    } catch (cause) {
      const message = `Script fault in request ${request.n}: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.faults.push({ n: request.n, message, cause });
      return { reply: fail(400, message), answer: null };
    }
  }

  /** Makes the message of a reply and puts it on the bill; null for a reply that never gets so far. */
  #answer(request: SimRequest, reply: Reply, row: PromptRow): Answer | null {
    if (reply.parts.http !== undefined || reply.parts.break?.after === 'nothing') return null;
    const answer = makeAnswer(request, reply, this.#cache.charge(row, this.#now()), row.at(-1)?.hash ?? '');
    request.usage = answer.usage;
    request.messageId = answer.id;
    this.meter.add(request, answer.usage);
    this.#book.learnCalls(request.session, answer.content);
    return answer;
  }
}

/** A reply, and the message that it makes; null for one that is no message. */
interface Decision {
  readonly reply: Reply;
  readonly answer: Answer | null;
}

/** What the sim says without asking a script; null where a script must decide. */
function ownReply(request: SimRequest, hasBody: boolean): Reply | null {
  if (request.kind === 'hello') return http(200, '');
  if (request.kind === 'other') return fail(404, `The sim has no ${request.method} ${request.path}`);
  if (!hasBody) return fail(400, 'The request body is not a JSON object with messages');
  if (request.kind === 'count_tokens') {
    return http(200, JSON.stringify({ input_tokens: request.tokens }), { 'content-type': 'application/json' });
  }
  const wrong = checkRequest(request.body);
  return wrong === null ? null : fail(400, wrong);
}

const noBody: WireRequest = { model: '', messages: [] };

async function read(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function parse(text: string): WireRequest | undefined {
  try {
    const body = JSON.parse(text) as Partial<WireRequest> | null;
    return Array.isArray(body?.messages) ? ({ model: '', ...body } as WireRequest) : undefined;
  } catch {
    return undefined;
  }
}
