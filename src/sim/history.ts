import type { ToolCall, ToolResult } from './simRequest.js';
import { blocksOf, textOf, type WireBlock, type WireMessage } from './wire.js';

/** What a script may ask about the conversation so far. All of it is read from the messages, so a restarted sim knows it too. */
export interface History {
  readonly prompt: string;
  readonly pushed: readonly string[];
  readonly turn: number;
  readonly results: readonly ToolResult[];
  readonly calls: readonly ToolCall[];
}

/** Reads a message list. */
export function readHistory(messages: readonly WireMessage[]): History {
  const calls = readCalls(messages);
  const promptAt = messages.findLastIndex((message) => message.role === 'user' && saidText(message) !== '');
  const since = messages.slice(promptAt + 1);
  const lastAnswer = messages.findLastIndex((message) => message.role === 'assistant');
  const newest = new Set(
    messages.slice(lastAnswer + 1).flatMap((message) => resultBlocks(message).map((block) => block.tool_use_id)),
  );
  const prompt = messages[promptAt];
  return {
    prompt: prompt === undefined ? '' : saidText(prompt),
    pushed: since.flatMap(pushedTexts),
    turn:
      since.filter((message) => message.role === 'assistant').length +
      (prompt === undefined ? 0 : (carriedIn(prompt)?.turn ?? 0)),
    results: calls.flatMap(({ result, ...rest }) =>
      result !== null && newest.has(rest.id) ? [{ ...rest, ...result }] : [],
    ),
    calls,
  };
}

/**
 * A line for the summary of a compaction, which drops the prompt from the history: from it the prompt and the turn are known
 * again afterwards.
 */
export function carry({ prompt, turn }: Pick<History, 'prompt' | 'turn'>): string {
  return `[carried over: ${JSON.stringify({ turn, prompt })}]`;
}

/** The first thing that was said to a thread: for a worker, the prompt of the Agent call that made it. */
export function firstSaid(messages: readonly WireMessage[]): string {
  return (
    messages
      .filter((message) => message.role === 'user')
      .map(saidText)
      .find((text) => text !== '') ?? ''
  );
}

function readCalls(messages: readonly WireMessage[]): ToolCall[] {
  const results = new Map<string, { text: string; isError: boolean }>();
  for (const block of messages.flatMap(resultBlocks)) {
    results.set(block.tool_use_id ?? '', { text: textOf(block.content), isError: block.is_error === true });
  }
  return messages
    .filter((message) => message.role === 'assistant')
    .flatMap((message) => blocksOf(message.content))
    .filter((block) => block.type === 'tool_use')
    .map(({ id = '', name = '', input }) => ({ id, tool: name, input: input ?? {}, result: results.get(id) ?? null }));
}

function resultBlocks(message: WireMessage): WireBlock[] {
  return message.role === 'user' ? blocksOf(message.content).filter((block) => block.type === 'tool_result') : [];
}

/** The words of a user message that a person or a program chose, without what the harness puts in between. */
function saidText(message: WireMessage): string {
  const carried = carriedIn(message);
  if (carried !== undefined) return carried.prompt;
  return blocksOf(message.content)
    .flatMap((block) => (block.type === 'text' ? [(block.text ?? '').replace(reminder, '').trim()] : []))
    .filter((text) => text !== '' && !notSaid.some((pattern) => pattern.test(text)))
    .join('\n');
}

function carriedIn(message: WireMessage): Pick<History, 'prompt' | 'turn'> | undefined {
  const text = textOf(message.content);
  const line = continued.test(text) ? /^\[carried over: (\{.*\})\]$/m.exec(text)?.[1] : undefined;
  return line === undefined ? undefined : (JSON.parse(line) as Pick<History, 'prompt' | 'turn'>);
}

function pushedTexts(message: WireMessage): string[] {
  if (message.role === 'assistant') return [];
  return blocksOf(message.content).flatMap((block) => {
    const text = pushed.exec(block.text ?? '')?.[1]?.trim();
    return text === undefined ? [] : [text];
  });
}

const reminder = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

const pushed = /The user sent a new message while you were working:\n([\s\S]*?)\n\nThis is how Claude Code surfaces/;

const continued = /^This session is being continued from a previous conversation/;

/** How the request for the summary of a compaction starts. */
export const summaryOrder = /^CRITICAL: Respond with TEXT ONLY\. Do NOT call any tools\./;

/** Texts that the harness sends in the user's name. */
const notSaid = [
  pushed,
  /^\[Request interrupted by user/,
  /^Output token limit hit\./,
  /^Your response above was cut off mid-stream\./,
  /^\[Your previous response had no visible output/,
  continued,
  summaryOrder,
  /^\(no content\)$/,
  /^<(local-command-\w+|command-(name|message|args))>/,
];
