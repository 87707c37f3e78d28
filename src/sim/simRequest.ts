import type { Reply } from './reply.js';
import type { Usage, WireMessage, WireRequest, WireTool } from './wire.js';

/** A tool call of the history, with what came back, if anything has yet. */
export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly result: { readonly text: string; readonly isError: boolean } | null;
}

/** A tool result that came back in the newest user message. */
export interface ToolResult {
  readonly id: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
  readonly input: unknown;
}

/** One request that the sim received: what a script decides on, and what a test asserts on. */
export interface SimRequest {
  /** 1 for the first request, of any kind. */
  readonly n: number;
  /** Milliseconds since 1970, by the sim's clock. */
  readonly at: number;
  /**
   * `message` is work, and the script's. The sim answers by itself what nobody writes a script for: `title` (naming a session),
   * `summary` (compaction), `probe` (is this key, is this model good?), `count_tokens`, `hello`; `other` is a path it hasn't got.
   */
  readonly kind: 'message' | 'title' | 'summary' | 'probe' | 'count_tokens' | 'hello' | 'other';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The harness's session id; empty for a client that sends none. */
  readonly session: string;
  readonly thread: 'main' | 'worker';
  /** The worker's id in the harness, null on the main thread. */
  readonly agentId: string | null;
  /** The worker's name (`subagent_type`); null on the main thread, and for a worker whose Agent call nobody saw. */
  readonly agent: string | null;
  readonly model: string;
  readonly stream: boolean;
  /** The text of the system prompt. */
  readonly system: string;
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
  readonly toolDefinitions: readonly WireTool[];
  readonly messages: readonly WireMessage[];
  /** What a person or a program said last: no tool results, no system reminders, no nudges of the harness. */
  readonly prompt: string;
  /** Messages that were pushed in since then, while the model was working. */
  readonly pushed: readonly string[];
  /** How many times the model has answered since the prompt: 0 for the first answer. */
  readonly turn: number;
  /** Tool results of the newest user message. */
  readonly results: readonly ToolResult[];
  /** Every tool call of the history, oldest first. */
  readonly calls: readonly ToolCall[];
  /** Characters of the prompt: the text of system and messages, the JSON of the tools. */
  readonly characters: {
    readonly system: number;
    readonly tools: number;
    readonly messages: number;
    readonly total: number;
  };
  /** Tokens of the whole prompt, cached or not. */
  readonly tokens: number;
  /** What was charged; null until the answer is made, and for an answer that is no message. */
  usage: Usage | null;
  /** What was answered; null until then. */
  reply: Reply | null;
  /** The id of the message that was made of it, as transcripts hold it; null until then, and for an answer that is no message. */
  messageId: string | null;
  /** The request's body as it came. */
  readonly body: WireRequest;
}
