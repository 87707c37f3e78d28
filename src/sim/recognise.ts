import type { IncomingHttpHeaders } from 'node:http';
import type { AgentBook } from './agentBook.js';
import { readHistory, summaryOrder } from './history.js';
import { type PromptRow, tokensOf } from './promptRow.js';
import type { SimRequest } from './simRequest.js';
import { blocksOf, textOf, type WireBlock, type WireRequest } from './wire.js';

/** A request as it came over the wire. */
export interface Incoming {
  readonly n: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: WireRequest;
  readonly row: PromptRow;
}

/** Finds out what a request is and who sent it. */
export function recognise(incoming: Incoming, book: AgentBook): SimRequest {
  const { body, path, method } = incoming;
  const headers = flat(incoming.headers);
  const session = headers['x-claude-code-session-id'] ?? sessionOf(body) ?? '';
  const agentId = headers['x-claude-code-agent-id'] ?? null;
  const system = textOf(body.system);
  const thread = agentId !== null || system.includes('cc_is_subagent=true') ? 'worker' : 'main';
  const tools = body.tools ?? [];
  const kind = kindOf(method, path, body);
  const history = readHistory(body.messages);
  if (kind === 'message') book.learnHistory(session, body.messages);
  return {
    n: incoming.n,
    at: incoming.at,
    kind,
    method,
    path,
    headers,
    session,
    thread,
    agentId,
    agent: thread === 'worker' ? book.nameOf(session, agentId, body) : null,
    model: body.model,
    stream: body.stream === true,
    system,
    tools: tools.map((tool) => tool.name),
    toolDefinitions: tools,
    messages: body.messages,
    ...history,
    characters: charactersOf(body),
    tokens: tokensOf(incoming.row),
    usage: null,
    reply: null,
    messageId: null,
    body,
  };
}

function kindOf(method: string, path: string, body: WireRequest): SimRequest['kind'] {
  if (path === '/api/hello') return 'hello';
  if (method !== 'POST') return 'other';
  if (path === '/v1/messages/count_tokens') return 'count_tokens';
  if (path !== '/v1/messages') return 'other';
  if (asksForTitle(body)) return 'title';
  if (isProbe(body)) return 'probe';
  return summaryOrder.test(lastText(body)) ? 'summary' : 'message';
}

/** Nobody asks for work in so few tokens: it is a check that key and model are good. */
function isProbe(body: WireRequest): boolean {
  return (body.max_tokens ?? Infinity) <= 16 && (body.tools ?? []).length === 0;
}

function asksForTitle(body: WireRequest): boolean {
  const format = (body.output_config as { format?: { schema?: { properties?: object } } } | undefined)?.format;
  return (body.tools ?? []).length === 0 && 'title' in (format?.schema?.properties ?? {});
}

function lastText(body: WireRequest): string {
  return (
    body.messages
      .filter((message) => message.role === 'user')
      .flatMap((message) => blocksOf(message.content))
      .findLast((block) => block.type === 'text')?.text ?? ''
  );
}

/** The session id that the harness also puts into `metadata.user_id`, a JSON text. */
function sessionOf(body: WireRequest): string | undefined {
  const userId = (body.metadata as { user_id?: unknown } | undefined)?.user_id;
  return typeof userId === 'string' ? /"session_id":"([^"]+)"/.exec(userId)?.[1] : undefined;
}

function charactersOf(body: WireRequest): SimRequest['characters'] {
  const system = charactersOfBlocks(blocksOf(body.system));
  const tools = (body.tools ?? []).length === 0 ? 0 : JSON.stringify(body.tools).length;
  const messages = body.messages.reduce((sum, message) => sum + charactersOfBlocks(blocksOf(message.content)), 0);
  return { system, tools, messages, total: system + tools + messages };
}

function charactersOfBlocks(blocks: readonly WireBlock[]): number {
  return blocks.reduce((sum, block) => sum + charactersOfBlock(block), 0);
}

function charactersOfBlock(block: WireBlock): number {
  if (block.type === 'text') return block.text?.length ?? 0;
  if (block.type === 'tool_result') return charactersOfBlocks(blocksOf(block.content));
  return JSON.stringify(block).length;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}
