import type { ManifestRow } from '../../books/types.js';
import { text } from '../../locale/locale.js';
import { contextOfTurn, type Thread, type ToolCall, type Turn } from './threads.js';

/** What is read before anything is computed. */
export interface Records {
  readonly runDir: string;
  readonly rows: readonly ManifestRow[];
  /** Rows of the side questions. */
  readonly asideRows: readonly ManifestRow[];
  readonly threads: Iterable<Thread>;
  readonly bench: BenchFiles;
}

/** What lies in the workbench. */
export interface BenchFiles {
  readonly spill: number;
  readonly spillBytes: number;
  readonly scripts: readonly string[];
  readonly artifacts: number;
  readonly notes: number;
}

/** Every figure of a run directory, in the keys that programs read. Money is US dollars, sizes are tokens unless they say otherwise. */
export interface Figures {
  readonly schema: 1;
  readonly run_dir: string;
  readonly bill: Bill;
  readonly economy: Economy;
  readonly curve: Curve;
  readonly cache: Cache;
  readonly tools: { readonly main: ToolFigures; readonly subs: ToolFigures };
  readonly workbench: BenchFigures;
}

export interface Bill {
  readonly runs: readonly {
    readonly run: string;
    readonly steps: readonly BillRow[];
    readonly cost_usd: number;
    readonly hours: number;
  }[];
  readonly aside: { readonly questions: number; readonly cost_usd: number };
  readonly cost_usd: number;
  readonly hours: number;
}

export interface BillRow {
  readonly step: string;
  readonly ok: boolean;
  readonly cost_usd: number;
  readonly estimated: boolean;
  readonly num_turns: number;
  readonly attempts: number;
  readonly resumed: boolean;
  readonly handoffs: number;
  readonly hours: number;
}

interface Share {
  readonly main: number;
  readonly subs: number;
  /** Of the subs, 0 to 1; null where there is nothing. */
  readonly share: number | null;
}

export interface Economy {
  readonly entries: Share;
  readonly turns: Share;
  readonly characters: Share;
  readonly output: Share;
  readonly subs: number;
  readonly sub_output: { readonly largest: number; readonly median: number; readonly smallest: number } | null;
}

export interface Curve {
  readonly turns: number;
  /** About twenty points over the whole, each the last of its stretch. */
  readonly points: readonly { readonly turn: number; readonly context: number; readonly step: string }[];
  readonly first: number;
  readonly smallest: number;
  readonly largest: number;
  readonly last: number;
  /** Tokens a turn, over the longest session. */
  readonly slope: number;
  readonly drops: readonly { readonly turn: number; readonly from: number; readonly to: number }[];
  readonly borders: readonly { readonly turn: number; readonly step: string }[];
}

export interface Cache {
  readonly input: number;
  readonly hits: number;
  readonly hit_share: number | null;
  readonly writes: number;
  readonly uncached: number;
  readonly output: number;
  readonly thinking: number;
}

export interface ToolFigures {
  readonly calls: number;
  readonly most_used: readonly { readonly tool: string; readonly calls: number }[];
  readonly denied: number;
  readonly denial_rate: number | null;
  readonly shell_words: readonly { readonly word: string; readonly calls: number }[];
}

export interface BenchFigures {
  readonly spill: number;
  readonly spill_bytes: number;
  readonly scripts: number;
  readonly artifacts: number;
  readonly notes: number;
  readonly script_writes: number;
  readonly script_runs: number;
  readonly scripts_run_more_than_once: number;
  readonly scripts_never_run: number;
  readonly runs_per_write: number | null;
}

const POINTS = 20;
/** A turn below this part of the one before is a drop. */
const DROP = 0.7;

/** Computes all figures. Reads each thread once. */
export function computeFigures(records: Records): Figures {
  const threads = [...records.threads];
  const main = threads.filter((thread) => thread.isMain);
  const subs = threads.filter((thread) => !thread.isMain);
  const calls = (list: readonly Thread[]) => list.flatMap((thread) => thread.calls);
  return {
    schema: 1,
    run_dir: records.runDir,
    bill: billOf(records),
    economy: economyOf(main, subs),
    curve: curveOf(main, records.rows),
    cache: cacheOf(threads.flatMap((thread) => thread.turns)),
    tools: { main: toolsOf(calls(main)), subs: toolsOf(calls(subs)) },
    workbench: benchOf(records.bench, calls(threads)),
  };
}

function billOf({ rows, asideRows }: Records): Bill {
  const runs = grouped(rows, (row) => row.run || '-');
  const billed = [...runs].map(([run, steps]) => ({
    run,
    steps: steps.map(billRow),
    cost_usd: sum(steps.map((row) => row.cost_usd)),
    hours: sum(steps.map(hoursOf)),
  }));
  const aside = { questions: asideRows.length, cost_usd: sum(asideRows.map((row) => row.cost_usd)) };
  return {
    runs: billed,
    aside,
    cost_usd: sum(billed.map((run) => run.cost_usd)) + aside.cost_usd,
    hours: sum(billed.map((run) => run.hours)),
  };
}

function billRow(row: ManifestRow): BillRow {
  return {
    step: stepId(row.step),
    ok: row.ok,
    cost_usd: row.cost_usd,
    estimated: row.cost_estimated === true,
    num_turns: row.num_turns,
    attempts: row.attempts ?? 1,
    resumed: row.resumed ?? false,
    handoffs: row.retired?.length ?? 0,
    hours: hoursOf(row),
  };
}

/** A label with the id of its step, for rows of a flower that named steps in Chinese. */
function stepId(label: string): string {
  const [, name = label, verdict = '', rest = ''] = /^(.*?)(·判定|·verdict)?(#.*)?$/u.exec(label) ?? [];
  const ids = { clarify: 'step.clarify', 'set-goal': 'step.setGoal', work: 'step.work' } as const;
  const [id] = Object.entries(ids).find(([, key]) => text(key, {}, 'zh') === name) ?? [name];
  return `${id}${verdict ? '·verdict' : ''}${rest}`;
}

function hoursOf({ started_at, ended_at }: ManifestRow): number {
  return Math.max(0, (ended_at ?? 0) - (started_at ?? 0)) / 3600;
}

function economyOf(main: readonly Thread[], subs: readonly Thread[]): Economy {
  const share = (figure: (thread: Thread) => number): Share => {
    const [ofMain, ofSubs] = [sum(main.map(figure)), sum(subs.map(figure))];
    return { main: ofMain, subs: ofSubs, share: ratio(ofSubs, ofMain + ofSubs) };
  };
  const outputs = subs.map(outputOf).sort((a, b) => a - b);
  const [smallest, largest] = [outputs[0], outputs.at(-1)];
  return {
    entries: share((thread) => thread.entries),
    turns: share((thread) => thread.turns.length),
    characters: share((thread) => thread.characters),
    output: share(outputOf),
    subs: subs.length,
    sub_output: smallest === undefined || largest === undefined ? null : { largest, median: median(outputs), smallest },
  };
}

function outputOf({ turns }: Thread): number {
  return sum(turns.map((turn) => turn.output));
}

/** Main threads one after the other, in the order in which they were begun. */
function curveOf(main: readonly Thread[], rows: readonly ManifestRow[]): Curve {
  const stepOf = stepsByTime(rows);
  const sessions = main.filter(({ turns }) => turns.length > 0).sort((a, b) => startOf(a) - startOf(b));
  const turns = sessions
    .flatMap((session) => session.turns.map((turn) => ({ turn, session: session.sessionId })))
    .sort((a, b) => a.turn.at - b.turn.at)
    .map(({ turn, session }, i) => ({ number: i + 1, context: contextOfTurn(turn), step: stepOf(session, turn.at) }));
  const contexts = turns.map(({ context }) => context);
  const longest = sessions.reduce<Thread | null>(
    (best, one) => (one.turns.length > (best?.turns.length ?? 0) ? one : best),
    null,
  );
  return {
    turns: turns.length,
    points: thinned(turns).map(({ number, context, step }) => ({ turn: number, context, step })),
    first: contexts[0] ?? 0,
    smallest: contexts.length > 0 ? least(contexts) : 0,
    largest: contexts.length > 0 ? -least(contexts.map((context) => -context)) : 0,
    last: contexts.at(-1) ?? 0,
    slope: slopeOf(longest?.turns.map(contextOfTurn) ?? []),
    drops: turns.flatMap(({ number, context }, i) => {
      const before = contexts[i - 1] ?? 0;
      return context < DROP * before ? [{ turn: number, from: before, to: context }] : [];
    }),
    borders: turns.flatMap(({ number, step }, i) => (step !== turns[i - 1]?.step ? [{ turn: number, step }] : [])),
  };
}

/** Which step a session was working for at a moment: a session can serve several rounds. */
function stepsByTime(rows: readonly ManifestRow[]): (session: string, at: number) => string {
  const known = rows.map((row) => ({ row, sessions: new Set([row.session_id, ...(row.retired ?? [])]) }));
  return (session, at) => {
    const own = known.filter(({ sessions }) => sessions.has(session));
    const then = own.find(({ row }) => at <= row.ended_at) ?? own.at(-1);
    return then ? stepId(then.row.step) : '?';
  };
}

function startOf({ turns }: Thread): number {
  return turns[0]?.at ?? 0;
}

function thinned<T>(list: readonly T[]): T[] {
  const stretch = Math.max(1, Math.ceil(list.length / POINTS));
  return list.filter((_, i) => (i + 1) % stretch === 0 || i === list.length - 1);
}

/** Least squares: how much each turn adds. */
function slopeOf(values: readonly number[]): number {
  const n = values.length;
  if (n < 2) return 0;
  const meanX = (n - 1) / 2;
  const meanY = sum(values) / n;
  const covariance = sum(values.map((value, x) => (x - meanX) * (value - meanY)));
  return covariance / sum(values.map((_, x) => (x - meanX) ** 2));
}

function cacheOf(turns: readonly Turn[]): Cache {
  const total = (figure: (turn: Turn) => number) => sum(turns.map(figure));
  const [input, hits] = [total(contextOfTurn), total((turn) => turn.cacheRead)];
  return {
    input,
    hits,
    hit_share: ratio(hits, input),
    writes: total((turn) => turn.cacheWrite),
    uncached: total((turn) => turn.uncached),
    output: total((turn) => turn.output),
    thinking: total((turn) => turn.thinking),
  };
}

function toolsOf(calls: readonly ToolCall[]): ToolFigures {
  const denied = calls.filter((call) => call.isDenied).length;
  const words = calls.filter(({ tool }) => tool === 'Bash').map(({ subject }) => firstWord(subject));
  return {
    calls: calls.length,
    most_used: counted(
      calls.map(({ tool }) => tool),
      10,
    ).map(([tool, n]) => ({ tool, calls: n })),
    denied,
    denial_rate: ratio(denied, calls.length),
    shell_words: counted(words, 8).map(([word, n]) => ({ word, calls: n })),
  };
}

/** A script is written by a call that names it as its file, and run by a command that names it. */
function benchOf(bench: BenchFiles, calls: readonly ToolCall[]): BenchFigures {
  const writes = calls.filter(({ tool, subject }) => WRITERS.has(tool) && scriptIn(subject) !== null);
  const names = new Set([...bench.scripts, ...writes.map(({ subject }) => scriptIn(subject) ?? '')]);
  const commands = calls.filter(({ tool, isDenied }) => tool === 'Bash' && !isDenied).map(({ subject }) => subject);
  const runs = [...names].map((name) => commands.filter((command) => runsScript(command, name)).length);
  const total = sum(runs);
  return {
    spill: bench.spill,
    spill_bytes: bench.spillBytes,
    scripts: names.size,
    artifacts: bench.artifacts,
    notes: bench.notes,
    script_writes: writes.length,
    script_runs: total,
    scripts_run_more_than_once: runs.filter((n) => n > 1).length,
    scripts_never_run: runs.filter((n) => n === 0).length,
    runs_per_write: ratio(total, writes.length),
  };
}

const WRITERS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

/** The name of a workbench's script below its folder, or null. */
function scriptIn(path: string): string | null {
  return /(?:^|\/)\.flower(?:-[^/]+)?\/scripts\/(.+)$/.exec(path)?.[1] ?? null;
}

function runsScript(command: string, name: string): boolean {
  return command.includes(`scripts/${name}`);
}

function firstWord(command: string): string {
  return /^\s*(?:\w+=\S*\s+)*([^\s;|&]+)/.exec(command)?.[1] ?? '?';
}

function counted(words: readonly string[], most: number): [string, number][] {
  return [...grouped(words, (word) => word)]
    .map(([word, list]): [string, number] => [word, list.length])
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, most);
}

function grouped<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function least(values: readonly number[]): number {
  return values.reduce((best, value) => Math.min(best, value));
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
