import type { EventRow, ManifestRow, RunOutcome, RunRecord } from '../books/types.js';
import { Event } from '../events/event.js';
import { exitCodeOf } from '../events/exitCode.js';
import { type Wait, waitOf } from './progress.js';
import { type Worker, Workers } from './workers.js';

/** What is known of a run directory, for whoever looks at it from outside. */
export interface RunFacts {
  readonly runDir: string;
  /** The run to tell of; null if there is none in the books, or none yet of the process that holds the directory. */
  readonly run: RunRecord | null;
  /** Who works in the directory now. */
  readonly holder: { readonly pid: number | null; readonly startedAt: number | null } | null;
  /** The first event of that run, and its newest ones in order; a long run has more. */
  readonly events: readonly EventRow[];
  /** Its steps. */
  readonly rows: readonly ManifestRow[];
  /** US dollars since the last `--new`, and the ceiling for them. */
  readonly totalUsd: number;
  readonly budgetUsd: number | null;
  /** Messages that no agent has taken. */
  readonly mail: number;
  /** First line of what is wanted. */
  readonly request: string | null;
  /** What the process that runs it wrote down about itself. */
  readonly limits: { readonly rounds: number | null; readonly window: number | null; readonly at: number | null };
  /** Unix seconds. */
  readonly now: number;
}

/** The state of a run directory, in the keys that programs read. Times are unix seconds, money is US dollars; null where there is nothing. */
export interface RunState {
  readonly schema: 1;
  readonly state: 'none' | 'running' | 'waiting' | 'left' | 'ended';
  readonly run_dir: string;
  readonly workspace: string | null;
  readonly run: string | null;
  readonly pid: number | null;
  readonly since: number | null;
  readonly request: string | null;
  /** Label in the books. */
  readonly step: string | null;
  readonly round: number | null;
  readonly rounds: number | null;
  readonly elapsed_s: number | null;
  readonly spent_usd: number | null;
  readonly total_usd: number;
  readonly budget_usd: number | null;
  /** Tokens of the main thread's context, of the window, and at which it hands over. */
  readonly context: number | null;
  readonly window: number | null;
  readonly at: number | null;
  readonly workers: readonly WorkerState[];
  readonly asks: readonly AskState[];
  readonly mail: number;
  readonly waiting: { readonly kind: 'network' | 'limit'; readonly until: number } | null;
  readonly verdict: { readonly state: string; readonly reason: string; readonly items: readonly unknown[] } | null;
  readonly last_event: { readonly seq: number; readonly at: number; readonly kind: string } | null;
  readonly outcome: (RunOutcome & { readonly exit: number; readonly at: number | null }) | null;
}

export interface WorkerState {
  readonly agent_id: string;
  readonly role: string;
  readonly description: string;
  readonly tool: string;
  readonly text: string;
  readonly since: number;
}

/** A question that waits for a person. */
export interface AskState {
  readonly id: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly state: string;
  readonly from: unknown;
  readonly asked_at: number | null;
  readonly timeout_at: number | null;
  readonly default: string | null;
  readonly remaining: number | null;
}

/**
 * Folds what is in the books into one state.
 *
 * @example
 * const state = runState(facts);
 * if (state.state === 'waiting') console.log(state.asks);
 */
export function runState(facts: RunFacts): RunState {
  const { run, holder, now, limits } = facts;
  const story = readEvents(facts.events);
  const isLive = holder !== null;
  const wait = isLive ? story.wait : null;
  const asks = isLive ? story.asks : [];
  const { outcome } = run ?? { outcome: null };
  const end = run?.endedAt ?? (isLive ? now : (facts.events.at(-1)?.at ?? run?.startedAt ?? now));
  return {
    schema: 1,
    state: stateOf(facts, asks.length > 0 || wait !== null),
    run_dir: facts.runDir,
    workspace: story.workspace,
    run: run?.run ?? null,
    pid: holder?.pid ?? null,
    since: holder?.startedAt ?? null,
    request: facts.request,
    step: story.step ?? facts.rows.at(-1)?.step ?? null,
    round: story.step === null || limits.rounds === null ? null : story.round,
    rounds: limits.rounds,
    elapsed_s: run ? Math.max(0, end - run.startedAt) : null,
    spent_usd: run ? facts.rows.reduce((sum, row) => sum + row.cost_usd, 0) : null,
    total_usd: facts.totalUsd,
    budget_usd: facts.budgetUsd,
    context: story.context || null,
    window: story.window ?? limits.window,
    at: story.at ?? limits.at,
    workers: isLive ? story.workers : [],
    asks,
    mail: facts.mail,
    waiting: wait,
    verdict: story.verdict,
    last_event: story.last,
    outcome: outcome && { ...outcome, exit: exitCodeOf(outcome), at: run?.endedAt ?? null },
  };
}

function stateOf({ run, holder }: RunFacts, waits: boolean): RunState['state'] {
  if (holder !== null) return waits ? 'waiting' : 'running';
  if (run === null) return 'none';
  // Of a run of an older flower there is no outcome, only that it ended.
  return run.outcome === null && run.endedAt === null ? 'left' : 'ended';
}

/** What the events of a run, read in order, leave open. */
function readEvents(rows: readonly EventRow[]) {
  const workers = new Workers();
  const asks = new Map<string, AskState>();
  let waiting: Wait | null = null;
  const story = {
    workspace: null as string | null,
    step: null as string | null,
    round: 1,
    context: 0,
    window: null as number | null,
    at: null as number | null,
    verdict: null as RunState['verdict'],
    last: null as RunState['last_event'],
  };
  for (const row of rows) {
    const event = new Event(row.kind as Event['kind'], row);
    const { payload } = event;
    const isMain = payload.subagent !== true;
    workers.event(event, row.at * 1000);
    if (isMain) waiting = waitOf(event, row.at * 1000, waiting);
    if (row.kind === 'system' && row.text === 'run_started') story.workspace = textOr(payload.workspace);
    if (row.step !== '') story.step = row.step;
    story.round = roundOf(row.step, story.round);
    if (isMain && typeof payload.context === 'number' && payload.context > 0) story.context = payload.context;
    if (row.kind === 'handoff') {
      story.window = numberOr(payload.window) ?? story.window;
      story.at = numberOr(payload.at) ?? story.at;
      if (payload.phase === 'done') story.context = 0;
    }
    if (row.kind === 'task' && typeof payload.verdict === 'string') {
      const items = Array.isArray(payload.items) ? payload.items : [];
      story.verdict = { state: payload.verdict, reason: textOr(payload.reason) ?? '', items };
    }
    if (row.kind === 'ask' && payload.kind !== 'mail') noteAsk(asks, event);
    story.last = { seq: row.seq, at: row.at, kind: row.kind };
  }
  return {
    ...story,
    wait: waiting === null || waiting.kind === 'retry' ? null : { kind: waiting.kind, until: waiting.until / 1000 },
    asks: [...asks.values()],
    workers: workers.live.map(workerState),
  };
}

function roundOf(label: string, before: number): number {
  const [, verdict, number] = /^[^·#]+(·)?.*?(?:#round(\d+))?$/.exec(label) ?? [];
  if (label === '' || verdict) return before;
  return number === undefined ? 1 : Number(number);
}

function noteAsk(asks: Map<string, AskState>, { text, payload }: Event): void {
  const id = String(payload.id);
  if (payload.state !== 'asked') {
    asks.delete(id);
    return;
  }
  const askedAt = numberOr(payload.asked_at);
  const timeoutS = numberOr(payload.timeout_s);
  asks.set(id, {
    id,
    question: text,
    options: Array.isArray(payload.options) ? payload.options.map(String) : [],
    state: 'asked',
    from: payload.from ?? null,
    asked_at: askedAt,
    timeout_at: askedAt !== null && timeoutS !== null ? askedAt + timeoutS : null,
    default: textOr(payload.default),
    remaining: numberOr(payload.remaining),
  });
}

function workerState(worker: Worker): WorkerState {
  return {
    agent_id: worker.id,
    role: worker.role,
    description: worker.description,
    tool: worker.tool,
    text: worker.argument,
    since: worker.startedAt / 1000,
  };
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOr(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
