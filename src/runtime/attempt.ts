import type { Options, query, SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';
import { type Event, Event as FlowerEvent } from '../events/event.js';
import { type KnownAgents, normalize } from '../events/normalize.js';
import { type Locale, text } from '../locale/locale.js';
import { costDelta } from './cost.js';
import { compareTools } from './offeredTools.js';
import { PromptStream } from './promptStream.js';
import type { StepRun } from './stepRun.js';

export type QueryFn = typeof query;

/** What an attempt needs from the Runtime that makes it. */
export interface AttemptOptions {
  readonly prompt: string;
  readonly options: Options;
  /** What the main thread is meant to be offered. */
  readonly mainTools: readonly string[];
  /** US dollars that were saved with the session before this attempt. */
  readonly savedUsd: number;
  readonly locale: Locale;
  readonly query: QueryFn;
  onSession(sessionId: string): void;
  /** US dollars that were spent just now; gives all that this process has spent. */
  onSpent(usd: number): number;
  /** False if nothing of the session has reached the store by its first result. */
  isStored(sessionId: string): Promise<boolean>;
  /** The last words of a harness that ended without a result. */
  lastStderr(): string;
}

/**
 * One attempt at a step is one query: sends the prompt, turns every message into events, and books what the result says. Fills
 * `run.result`; never throws for a failed turn.
 */
export async function runAttempt(run: StepRun, attempt: AttemptOptions): Promise<void> {
  const { result } = run;
  const input = new PromptStream(attempt.prompt);
  const said: string[] = [];
  const fresh = result.errors.length;
  const state: AttemptState = { total: attempt.savedUsd, initSeen: false, failed: false };
  result.ok = false;
  result.error = null;

  const agents: KnownAgents = new Map();
  const session = attempt.query({ prompt: input, options: attempt.options });
  try {
    for await (const message of session) {
      noteSession(run, attempt, message);
      const stop = checkFirstInit(run, attempt, state, message);
      if (stop) {
        result.error = stop;
        state.failed = true;
        break;
      }
      for (const event of normalize(message, { locale: attempt.locale, agents })) {
        if (event.kind === 'result') await bookResult(run, attempt, state, message as SDKResultMessage, event);
        run.emit(event);
        collect(run, event, said);
      }
      if (message.type === 'result' && !message.queued_turn_count) input.close();
    }
  } catch (error) {
    // The SDK throws after a failed result; the result said it better.
    if (!state.failed) result.error = describe(error, attempt.lastStderr());
    result.ok = false;
  } finally {
    input.close();
    session.close();
  }

  if (!result.ok) result.error ??= result.errors.slice(fresh).at(-1) ?? text('attempt.noResult', {}, attempt.locale);
  const spoken = said.join('\n').trim();
  result.handIn = run.desk.last;
  if (result.handIn) result.text = result.handIn.document.toMarkdown();
  else if (spoken) result.text = spoken;
}

interface AttemptState {
  /** The running total that the harness reported last. */
  total: number;
  initSeen: boolean;
  /** A result said that the turn failed. */
  failed: boolean;
}

function noteSession(run: StepRun, attempt: AttemptOptions, message: SDKMessage): void {
  const id = 'session_id' in message ? message.session_id : undefined;
  if (!id || id === run.result.sessionId) return;
  run.result.sessionId = id;
  attempt.onSession(id);
}

/** The wall has a lock in front of it: a session that offers the main thread more than was meant is ended before it can work. */
function checkFirstInit(
  run: StepRun,
  attempt: AttemptOptions,
  state: AttemptState,
  message: SDKMessage,
): string | null {
  if (state.initSeen || message.type !== 'system' || message.subtype !== 'init') return null;
  state.initSeen = true;
  const { tooMany, missing } = compareTools(message.tools, attempt.mainTools);
  if (tooMany.length > 0) return text('init.tooMany', { tools: tooMany.join(', ') }, attempt.locale);
  if (missing.length === 0) return null;
  const complaint = text('init.missing', { tools: missing.join(', ') }, attempt.locale);
  if (missing.some((tool) => tool.startsWith('mcp__human__'))) return complaint;
  run.emit(new FlowerEvent('error', { text: complaint, payload: { missing_tools: missing } }));
  return null;
}

/** A result counts only if the harness says that the turn was completed; `subtype: success` alone also stands on API failures. */
async function bookResult(
  run: StepRun,
  attempt: AttemptOptions,
  state: AttemptState,
  message: SDKResultMessage,
  event: Event,
): Promise<void> {
  const { result } = run;
  const spent = costDelta(message.total_cost_usd, state.total);
  state.total = message.total_cost_usd;
  result.costUsd += spent;
  result.numTurns += message.num_turns;
  event.payload.cost_usd = spent;
  event.payload.spent_usd = attempt.onSpent(spent);

  const completed = message.terminal_reason === undefined || message.terminal_reason === 'completed';
  result.ok = message.subtype === 'success' && !message.is_error && completed;
  result.error = result.ok ? null : failureOf(message);
  state.failed = !result.ok;
  if (result.sessionId && !(await attempt.isStored(result.sessionId))) {
    const complaint = text('store.notMirrored', { id: result.sessionId }, attempt.locale);
    run.emit(new FlowerEvent('error', { text: complaint, payload: { mirror_error: true } }));
  }
}

function failureOf(message: SDKResultMessage): string {
  if (message.subtype !== 'success') return [message.subtype, message.errors.join('; ')].filter(Boolean).join(': ');
  return message.is_error && message.result ? message.result : (message.terminal_reason ?? message.subtype);
}

/** Only the main thread speaks for the step: what its workers say and what goes wrong in them stays in their transcripts. */
function collect(run: StepRun, event: Event, said: string[]): void {
  if (event.payload.subagent) return;
  if (event.kind === 'text') said.push(event.text);
  if (event.kind === 'error') run.result.errors.push(event.text);
  if (typeof event.payload.context === 'number')
    run.result.context = Math.max(run.result.context, event.payload.context);
}

function describe(error: unknown, stderr: string): string {
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return stderr.trim() && !words.includes(stderr.trim()) ? `${words}\n${stderr.trim()}` : words;
}
