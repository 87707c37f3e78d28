import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { type Locale, text } from '../locale/locale.js';
import { Event } from './event.js';

/** Who works behind which `Agent` call: its id → the worker. */
export type KnownAgents = Map<string, { id?: string | undefined; type?: string | undefined }>;

/** Options of `normalize`. */
export interface NormalizeOptions {
  /** Language of the texts that normalize words itself. @default the active locale */
  readonly locale?: Locale;
  /**
   * Memory between the messages of one query. With it, a worker's message that does not name its worker gets id and type from
   * the `Agent` call it belongs to; without it the id of that call stands in. Give every query a new one. @default none
   */
  readonly agents?: KnownAgents;
}

/**
 * Turns one message of the SDK's stream into Events, none to several. Never throws: what it does not know is an `unknown` event.
 *
 * @example
 * const agents: KnownAgents = new Map();
 * for await (const message of query) for (const event of normalize(message, { agents })) show(event);
 */
export function normalize(message: unknown, options: NormalizeOptions = {}): Event[] {
  const fields = asFields(message);
  if (options.agents) remember(fields, options.agents);
  const read = readerOf.get(nameOf(fields)) ?? (fields.type === 'system' ? system : unknown);
  return read(fields, options).map((event) => Object.assign(event, { raw: message }));
}

type Fields = Readonly<Record<string, unknown>>;
type Reader = (message: Fields, options: NormalizeOptions) => Event[];

/** A message's type, or for a system message `system/` and its subtype. */
type NameOf<M> = M extends { type: 'system'; subtype: infer S extends string }
  ? `system/${S}`
  : M extends { type: infer T extends string }
    ? T
    : never;
type MessageName = NameOf<SDKMessage> | 'system/microcompact_boundary' | 'command_lifecycle';

/**
 * What becomes of every message that the SDK declares, and of two that its program sends or records undeclared. The type asks
 * for each of them: a new SDK with a new message does not compile until somebody has decided about it here.
 */
const readers: Readonly<Record<MessageName, Reader>> = {
  assistant,
  user,
  result,
  conversation_reset: () => [new Event('reset', { text: 'conversation reset' })],
  'system/compact_boundary': compaction,
  'system/microcompact_boundary': compaction,
  'system/task_started': task('TaskStartedMessage'),
  'system/task_progress': task('TaskProgressMessage'),
  'system/task_updated': task('TaskUpdatedMessage'),
  'system/task_notification': task('TaskNotificationMessage'),

  'system/api_retry': system,
  'system/background_tasks_changed': system,
  'system/commands_changed': system,
  'system/control_request_progress': system,
  'system/elicitation_complete': system,
  'system/files_persisted': system,
  'system/hook_progress': system,
  'system/hook_response': system,
  'system/hook_started': system,
  'system/informational': system,
  'system/init': system,
  'system/local_command_output': system,
  'system/memory_recall': system,
  'system/mirror_error': system,
  'system/model_refusal_fallback': system,
  'system/model_refusal_no_fallback': system,
  'system/notification': system,
  'system/permission_denied': system,
  'system/plugin_install': system,
  'system/session_state_changed': system,
  'system/session_writes_lost': system,
  'system/status': system,
  'system/thinking_tokens': system,
  'system/worker_shutting_down': system,

  // Of use to Runtime at most, which reads the message itself: nothing a person wants to see.
  auth_status: unknown,
  command_lifecycle: unknown,
  prompt_suggestion: unknown,
  rate_limit_event: unknown,
  stream_event: unknown,
  tool_progress: unknown,
  tool_use_summary: unknown,
};

const readerOf: ReadonlyMap<string, Reader> = new Map(Object.entries(readers));

/** The names of all messages that normalize decides about. */
export const normalizedMessages: readonly string[] = [...readerOf.keys()];

function assistant(message: Fields, options: NormalizeOptions): Event[] {
  const body = asFields(message.message);
  const blocks = asBlocks(body.content);
  if (isServiceError(message, body)) return [serviceError(message, blocks, options)];
  const meta = metaOf(message, body, options);
  return blocks.flatMap((block) => {
    if (block.type === 'text') return [new Event('text', { text: asText(block.text), payload: meta })];
    if (block.type === 'thinking') return [new Event('thinking', { text: asText(block.thinking), payload: meta })];
    if (block.type === 'tool_use') return [toolCall(block, meta)];
    return [];
  });
}

/** An error of the service comes as speech of the model; left as such it would flow into the step's text and the next prompt. */
function isServiceError(message: Fields, body: Fields): boolean {
  return (
    Boolean(message.error) ||
    message.isApiErrorMessage === true ||
    message.is_api_error_message === true ||
    body.model === '<synthetic>'
  );
}

function serviceError(message: Fields, blocks: readonly Fields[], options: NormalizeOptions): Event {
  const words = blocks.filter((block) => block.type === 'text').map((block) => asText(block.text));
  return new Event('error', {
    text: words.join('\n'),
    payload: present({
      synthetic: true,
      error: message.error,
      api_error: message.api_error ?? message.apiError,
      api_error_status: message.api_error_status ?? message.apiErrorStatus,
      ...workerOf(message, options),
    }),
  });
}

function toolCall(block: Fields, meta: Fields): Event {
  const input = asFields(block.input);
  const shown = [input.file_path, input.command, input.pattern].map(asText).find((value) => value !== '') ?? '';
  return new Event('tool_call', {
    tool: asText(block.name),
    text: cut(shown, 200),
    payload: { id: block.id, input: block.input, ...meta },
  });
}

function user(message: Fields, options: NormalizeOptions): Event[] {
  const body = asFields(message.message);
  const meta = metaOf(message, body, options);
  const blocks = typeof body.content === 'string' ? [{ type: 'text', text: body.content }] : asBlocks(body.content);
  return blocks.flatMap((block: Fields) => {
    if (block.type === 'text') return [new Event('prompt', { text: asText(block.text), payload: meta })];
    if (block.type !== 'tool_result') return [];
    return [
      new Event('tool_result', {
        text: cut(asText(block.content), 500),
        payload: { tool_use_id: block.tool_use_id, is_error: block.is_error === true, ...meta },
      }),
    ];
  });
}

function result(message: Fields): Event[] {
  const payload = present({
    session_id: message.session_id,
    cost_usd: message.total_cost_usd,
    num_turns: message.num_turns,
    is_error: message.is_error,
    terminal_reason: message.terminal_reason,
    api_error_status: message.api_error_status,
    errors: message.errors,
  });
  return [new Event('result', { text: asText(message.subtype), payload })];
}

function task(kind: string): Reader {
  return (message) => {
    const patch = asFields(message.patch);
    const payload = {
      kind,
      task_id: message.task_id ?? null,
      status: message.status ?? patch.status ?? null,
      description: message.description ?? patch.description ?? null,
      agent_type: message.subagent_type ?? null,
    };
    return [new Event('task', { payload })];
  };
}

function compaction(message: Fields, options: NormalizeOptions): Event[] {
  const data = asFields(message.compact_metadata ?? message.compactMetadata);
  const micro = message.subtype === 'microcompact_boundary';
  const trigger = asText(data.trigger) || '?';
  const pre = data.pre_tokens ?? data.preTokens ?? null;
  const post = data.post_tokens ?? data.postTokens ?? null;
  const words = { trigger, pre: String(pre ?? '?'), post: String(post ?? '?') };
  return [
    new Event('reset', {
      text: text(micro ? 'event.microcompact' : 'event.compact', words, options.locale),
      payload: { trigger, pre_tokens: pre, post_tokens: post, micro, subtype: message.subtype },
    }),
  ];
}

function system(message: Fields): Event[] {
  return [new Event('system', { text: asText(message.subtype), payload: message })];
}

function unknown(message: Fields): Event[] {
  return [new Event('unknown', { text: asText(message.type) })];
}

/** What every event of a message carries: whose it is, how full the context was, which model answered. */
function metaOf(message: Fields, body: Fields, options: NormalizeOptions): Fields {
  const model = asText(body.model);
  return present({
    ...workerOf(message, options),
    context: contextOf(body.usage),
    model: model === '' || model === '<synthetic>' ? undefined : model,
  });
}

function workerOf(message: Fields, options: NormalizeOptions): Fields {
  const call = asText(message.parent_tool_use_id);
  if (call === '') return { subagent: false };
  const known = options.agents?.get(call);
  return present({
    subagent: true,
    parent_tool_use_id: call,
    agent_id: message.agent_id ?? known?.id ?? call,
    agent_type: message.subagent_type ?? known?.type,
  });
}

function contextOf(usage: unknown): number | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = asFields(usage);
  return [input_tokens, cache_read_input_tokens, cache_creation_input_tokens]
    .map((count) => (typeof count === 'number' ? count : 0))
    .reduce((sum, count) => sum + count, 0);
}

/** The start of a worker and most of its messages tell who is behind an `Agent` call. */
function remember(message: Fields, agents: KnownAgents): void {
  if (nameOf(message) === 'system/task_started') learn(message.tool_use_id, message.task_id);
  else if (message.type === 'assistant' || message.type === 'user') learn(message.parent_tool_use_id, message.agent_id);

  function learn(call: unknown, id: unknown): void {
    if (typeof call !== 'string' || call === '') return;
    const known = agents.get(call);
    agents.set(call, { id: asText(id) || known?.id, type: asText(message.subagent_type) || known?.type });
  }
}

function nameOf(message: Fields): string {
  return message.type === 'system' ? `system/${asText(message.subtype)}` : asText(message.type);
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function asBlocks(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(asFields) : [];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** At most so many UTF-16 units, without half a character at the end: a lone half cannot be written as UTF-8. */
function cut(value: string, limit: number): string {
  return value.length <= limit ? value : value.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
}
