import type { RunDatabase } from '../../database/database.js';
import { blocksOf, isObject, messageOf } from '../../store/curate/entry.js';
import { isApiError, isDenial } from '../../store/curate/recognise.js';
import { parsePayloads } from '../../store/parsePayloads.js';

/** One answer of a model, with what the service counted. */
export interface Turn {
  /** Unix seconds; 0 where the entry has no time. */
  readonly at: number;
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly thinking: number;
}

export interface ToolCall {
  readonly tool: string;
  /** The command of a shell call, the path of one that writes; else empty. */
  readonly subject: string;
  readonly isDenied: boolean;
}

/** One conversation of a session: its main thread, or a worker's. */
export interface Thread {
  readonly sessionId: string;
  readonly isMain: boolean;
  readonly entries: number;
  /** Of texts, thoughts, calls and results. */
  readonly characters: number;
  readonly turns: readonly Turn[];
  readonly calls: readonly ToolCall[];
}

/** Reads every thread of a database, one after the other: no more than one is in memory. */
export function* readThreads({ handle }: RunDatabase): Generator<Thread> {
  const keys = handle.prepare('SELECT DISTINCT store_key FROM entries ORDER BY store_key').pluck().all() as string[];
  const payloads = handle.prepare('SELECT payload FROM entries WHERE store_key = ? ORDER BY seq').pluck();
  for (const key of keys) yield readThread(key, parsePayloads(payloads.iterate(key)));
}

/** Tokens of context that a turn had before it. */
export function contextOfTurn({ uncached, cacheRead, cacheWrite }: Turn): number {
  return uncached + cacheRead + cacheWrite;
}

function readThread(key: string, entries: ReturnType<typeof parsePayloads>): Thread {
  const [, sessionId = '', ...below] = key.split('/');
  const turns = new Map<string, Turn>();
  const calls = new Map<string, ToolCall>();
  const denied = new Set<string>();
  let characters = 0;
  for (const entry of entries) {
    const message = messageOf(entry);
    if (message === null || isApiError(entry)) continue;
    characters += charactersIn(message.content);
    if (isObject(message.usage)) {
      // One answer is stored in several entries, each with the figures of the whole.
      const id = typeof message.id === 'string' ? message.id : String(turns.size);
      turns.set(id, turnOf(message.usage, entry.timestamp));
    }
    for (const block of blocksOf(entry)) {
      if (block.type === 'tool_use') calls.set(String(block.id), callOf(block));
    }
    const refused = isDenial(entry);
    if (refused !== null) denied.add(refused);
  }
  return {
    sessionId,
    isMain: !below.includes('subagents'),
    entries: entries.length,
    characters,
    turns: [...turns.values()],
    calls: [...calls].map(([id, call]) => ({ ...call, isDenied: denied.has(id) })),
  };
}

function turnOf(usage: Record<string, unknown>, timestamp: unknown): Turn {
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    at: typeof timestamp === 'string' ? Date.parse(timestamp) / 1000 || 0 : 0,
    uncached: number(usage.input_tokens),
    cacheRead: number(usage.cache_read_input_tokens),
    cacheWrite: number(usage.cache_creation_input_tokens),
    output: number(usage.output_tokens),
    thinking: number(details.thinking_tokens),
  };
}

function callOf(block: Readonly<Record<string, unknown>>): ToolCall {
  const input = isObject(block.input) ? block.input : {};
  const subject = input.command ?? input.file_path;
  return { tool: String(block.name), subject: typeof subject === 'string' ? subject : '', isDenied: false };
}

function charactersIn(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return content.filter(isObject).reduce((sum: number, block) => {
    if (block.type === 'tool_use') return sum + JSON.stringify(block.input ?? '').length;
    if (block.type === 'tool_result') return sum + charactersIn(block.content);
    const words = block.text ?? block.thinking;
    return sum + (typeof words === 'string' ? words.length : 0);
  }, 0);
}
