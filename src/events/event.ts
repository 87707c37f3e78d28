/** What an Event can be. Kinds may be added, so whoever draws them needs an else branch. */
export type EventKind =
  | 'text'
  | 'thinking'
  | 'tool_call'
  | 'tool_result'
  | 'task'
  | 'system'
  | 'reset'
  | 'result'
  | 'error'
  | 'prompt'
  | 'unknown'
  | 'retry'
  | 'step'
  | 'handoff'
  | 'ask';

/** What an Event is made of. Everything may be left out. */
export interface EventInit {
  readonly text?: string;
  readonly tool?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly raw?: unknown;
}

/**
 * One thing that happened in a run: what the model said, a tool call, a question to the person, the end of a turn. It is all
 * that an interaction layer ever sees. It carries no type of the SDK; `raw` is the message it was made from, for debugging, and
 * never leaves the process.
 *
 * Payload by kind (keys in brackets are there only sometimes; times are seconds since 1970, money is US dollars):
 *
 * | kind | text | payload |
 * |---|---|---|
 * | text, thinking | what the model said or thought | meta |
 * | tool_call | file, command or pattern, at most 200 characters | id, input, meta; `tool` is its name |
 * | tool_result | the result if it is a text, at most 500 characters | tool_use_id, is_error, meta |
 * | prompt | what went in: a prompt, a worker's task | meta |
 * | error, of the model service | what went wrong | synthetic, subagent, [error, api_error, api_error_status, parent_tool_use_id, agent_id, agent_type] |
 * | error, of flower itself | what it means for the run | one of model_mismatch, store_fault, books_fault, mirror_error, missing_tools, import_failed, view_failed, event_log_failed, notify_failed |
 * | result | its subtype, e.g. `success` | session_id, cost_usd (of this turn), spent_usd (of this process: the figure to show), num_turns, is_error, [terminal_reason, api_error_status, errors, stopped] |
 * | task, of a worker | empty | kind, task_id, status, description, agent_type; null where the message says nothing |
 * | task, of flower | what to tell the person | unverifiable, total, path, or budget, spent_usd, max_budget_usd |
 * | reset, compaction | how far the context shrank | trigger, pre_tokens, post_tokens, micro, subtype |
 * | reset, conversation | `conversation reset` | empty |
 * | system, of the harness | its subtype | the message's fields |
 * | system, of flower | run_started, run_ended, history_mended, store_recovered, recovered | its figures |
 * | retry | why and what next | step, attempt; a wait also has until and limit (with resets_at, count) or network |
 * | step, handoff | what begins or ends | step and figures |
 * | ask, question | the question | id, options, state, answer, remaining (-1: no limit), asked_at, timeout_s, default, from (role, agent_id; or null) |
 * | ask, mail | the person's words | kind: `mail`, state: `queued` or `delivered`, id, amended, kept, workers |
 * | unknown | the type of the message | empty |
 *
 * meta is: subagent, [parent_tool_use_id, agent_id, agent_type: of a worker only], [context: tokens in the context, model].
 * `ask` is two things: look at `payload.kind` first, mail has no options and no quota.
 *
 * @example
 * const onEvent = (event: Event) => {
 *   if (event.kind === 'text') process.stdout.write(`${event.text}\n`);
 *   else if (event.kind === 'tool_call') process.stdout.write(`${event}\n`); // [Bash] npm test
 * };
 */
export class Event {
  kind: EventKind;
  text: string;
  tool: string;
  payload: Record<string, unknown>;
  raw: unknown;

  constructor(kind: EventKind, init: EventInit = {}) {
    this.kind = kind;
    this.text = init.text ?? '';
    this.tool = init.tool ?? '';
    this.payload = { ...init.payload };
    this.raw = init.raw ?? null;
  }

  /** One line for a log: `[tool] text` of a tool call, else the text, else the kind in angle brackets. */
  toString(): string {
    if (this.kind === 'tool_call') return `[${this.tool}] ${this.text}`;
    return this.text || `<${this.kind}>`;
  }

  /** The event without `raw`, as `--json`, the event log and the web page get it. */
  toJSON(): { kind: EventKind; text: string; tool: string; payload: Record<string, unknown> } {
    return { kind: this.kind, text: this.text, tool: this.tool, payload: this.payload };
  }
}
