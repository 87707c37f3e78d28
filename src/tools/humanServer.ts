import { createSdkMcpServer, type McpSdkServerConfigWithInstance, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import type { Ask } from '../human/ask.js';
import type { HumanChannel } from '../human/humanChannel.js';
import type { HumanServerOptions } from '../human/humanChannelOptions.js';
import { type Locale, text } from '../locale/locale.js';

/** An in-process MCP server, ready for the `mcpServers` option of one query. */
export type HumanServer = McpSdkServerConfigWithInstance;

/**
 * The tools by which the model reaches a person: `ask` waits for the answer, `inbox` reads what was said unasked. Build a new one
 * for every query.
 *
 * @example
 * const options = { mcpServers: { human: humanServer(channel, { from: { role: 'clarify' } }) } };
 */
export function humanServer(
  channel: HumanChannel,
  options: HumanServerOptions & { readonly locale?: Locale } = {},
): HumanServer {
  const { from, inbox = true, locale } = options;

  const ask = tool(
    'ask',
    text('tool.ask.description', {}, locale),
    {
      question: z.string().describe(text('tool.ask.question', {}, locale)),
      options: z
        .array(z.string())
        .optional()
        .describe(text('tool.ask.options', {}, locale)),
      default: z
        .string()
        .optional()
        .describe(text('tool.ask.default', {}, locale)),
    },
    async (given, extra) => {
      const { callId, signal } = callOf(extra);
      const worker = callId === undefined ? undefined : channel.callerOf(callId);
      const asked = await askOnce(channel, callId, given.question, () =>
        channel.ask(given.question, given.options, {
          signal,
          default: given.default,
          from: worker ?? from,
        }),
      );
      return said(asked.answer);
    },
    // Calls of tools that only read run side by side, so several questions of one message are open together.
    { annotations: { readOnlyHint: true } },
  );

  const look = tool('inbox', text('tool.inbox.description', {}, locale), {}, async () =>
    said(channel.mailText(channel.take())),
  );

  return createSdkMcpServer({
    name: 'human',
    version: '1',
    tools: inbox ? [ask, look] : [ask],
    alwaysLoad: true,
    timeout: LONGEST_CALL_MS,
  });
}

/** How long a person takes is for the channel to say. The program would give up after a day; this is the most that it can wait. */
const LONGEST_CALL_MS = 2_147_483_647;

const askedBefore = new WeakMap<HumanChannel, Map<string, Promise<Ask>>>();

/** After an abort the program may send a call once more. The same call is the same question: a person is not asked twice. */
function askOnce(
  channel: HumanChannel,
  callId: string | undefined,
  question: string,
  ask: () => Promise<Ask>,
): Promise<Ask> {
  if (callId === undefined) return ask();
  const key = `${callId}\n${question}`;
  const known = askedBefore.get(channel) ?? new Map<string, Promise<Ask>>();
  askedBefore.set(channel, known);
  const before = known.get(key);
  if (before) return before;
  const asked = ask();
  known.set(key, asked);
  asked.catch(() => known.delete(key));
  return asked;
}

/** The parts of a handler's second argument that count here; the SDK declares it as unknown. */
function callOf(extra: unknown): { callId: string | undefined; signal: AbortSignal | undefined } {
  const { signal, _meta } = (extra ?? {}) as { signal?: AbortSignal; _meta?: Record<string, unknown> };
  const id = _meta?.['claudecode/toolUseId'];
  return { callId: typeof id === 'string' ? id : undefined, signal };
}

function said(words: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: words }] };
}
