import type { Usage } from './wire.js';

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'pause_turn' | 'refusal';

/** One block of a scripted answer. A call without an `id` gets one that no other call of the session has. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: unknown; readonly id?: string };

/** An answer given as bare HTTP: an error, or a body that is no message at all. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How far an answer gets before something breaks it: not even headers, headers only, so many blocks, so many bytes of body. */
export type Place = 'nothing' | 'headers' | { readonly blocks: number } | { readonly bytes: number };

/**
 * How an answer breaks. `reset` cuts the connection, `stall` says nothing more but keeps it open, `error` sends an error event
 * inside the stream, which the API does when it is overloaded half-way.
 */
export type Break =
  | { readonly by: 'reset' | 'stall'; readonly after: Place }
  | { readonly by: 'error'; readonly after: Exclude<Place, 'nothing'> };

interface Parts {
  readonly content: readonly ReplyBlock[];
  readonly stopReason?: StopReason;
  readonly usage?: Partial<Usage>;
  readonly http?: HttpAnswer;
  readonly delayMs?: number;
  readonly slow?: { readonly bytes: number; readonly everyMs: number };
  readonly break?: Break;
}

/**
 * What the sim answers to one request. Immutable: each method gives a new reply, so one can be kept and built upon.
 * Start one with {@link say}, {@link think}, {@link call}, {@link fail}, {@link http}, {@link reset} or {@link stall}.
 *
 * @example
 * think('Two files are enough.').say('I write them.').call('Write', { file_path: '/w/a.txt', content: 'a' }).delay(200);
 */
export class Reply {
  readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Adds a text block. */
  say(text: string): Reply {
    return this.#add({ type: 'text', text });
  }

  /** Adds a thinking block. Without a signature it gets one that is derived from the request. */
  think(thinking: string, signature?: string): Reply {
    return this.#add({ type: 'thinking', thinking, ...(signature !== undefined && { signature }) });
  }

  /** Adds a tool call. Several in one reply are parallel calls. */
  call(name: string, input: unknown = {}, id?: string): Reply {
    return this.#add({ type: 'tool_use', name, input, ...(id !== undefined && { id }) });
  }

  /** Sets the stop reason. Without it: `tool_use` when there is a call, else `end_turn`. */
  stop(stopReason: StopReason): Reply {
    return this.#with({ stopReason });
  }

  /** Replaces single figures of the usage that the sim would charge, for instance to fill a context window. */
  usage(usage: Partial<Usage>): Reply {
    return this.#with({ usage });
  }

  /** Waits so many milliseconds before the first byte. */
  delay(delayMs: number): Reply {
    return this.#with({ delayMs });
  }

  /** Sends the body in pieces of so many bytes, with a pause of `everyMs` milliseconds between them. */
  slow(bytes: number, everyMs: number): Reply {
    return this.#with({ slow: { bytes, everyMs } });
  }

  /** Breaks the answer at a place. */
  breakOff(broken: Break): Reply {
    return this.#with({ break: broken });
  }

  #add(block: ReplyBlock): Reply {
    return this.#with({ content: [...this.parts.content, block] });
  }

  #with(change: Partial<Parts>): Reply {
    return new Reply({ ...this.parts, ...change });
  }
}

const empty = new Reply({ content: [] });

/** A reply that says a text and ends the turn, unless calls follow. */
export function say(text: string): Reply {
  return empty.say(text);
}

/** A reply that starts with a thinking block. */
export function think(thinking: string, signature?: string): Reply {
  return empty.think(thinking, signature);
}

/** A reply that calls a tool. */
export function call(name: string, input: unknown = {}, id?: string): Reply {
  return empty.call(name, input, id);
}

/** A reply without any content. The harness asks again after one. */
export function silence(): Reply {
  return empty;
}

/** An API error: a status with the body that the Messages API gives for it. */
export function fail(
  status: number,
  message: string = errorOf(status).message,
  options: {
    readonly type?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly retryAfterS?: number;
  } = {},
): Reply {
  const { type = errorOf(status).type, headers = {}, retryAfterS } = options;
  return http(status, JSON.stringify({ type: 'error', error: { type, message } }), {
    'content-type': 'application/json',
    ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
    ...headers,
  });
}

/** Any HTTP answer, for instance the HTML page of a proxy, or status 200 with an empty body. */
export function http(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return new Reply({ content: [], http: { status, body, headers } });
}

/** Cuts the connection before the headers. For a cut in mid-stream: `say('…').breakOff({ by: 'reset', after: { blocks: 1 } })`. */
export function reset(): Reply {
  return empty.breakOff({ by: 'reset', after: 'nothing' });
}

/** Answers nothing and keeps the connection open. `stall('headers')` sends the headers first. */
export function stall(after: 'nothing' | 'headers' = 'nothing'): Reply {
  return empty.breakOff({ by: 'stall', after });
}

function errorOf(status: number): { type: string; message: string } {
  return errors[status] ?? { type: status >= 500 ? 'api_error' : 'invalid_request_error', message: `Status ${status}` };
}

const errors: Readonly<Record<number, { type: string; message: string }>> = {
  400: { type: 'invalid_request_error', message: 'Invalid request' },
  401: { type: 'authentication_error', message: 'invalid x-api-key' },
  403: { type: 'permission_error', message: 'Your API key does not have permission to use this resource' },
  404: { type: 'not_found_error', message: 'Not found' },
  413: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  429: { type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
  500: { type: 'api_error', message: 'Internal server error' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
};
