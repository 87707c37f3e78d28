import { type Locale, text } from '../locale/locale.js';
import { closingLines } from './closing.js';
import { dollars, elapsed, tokens } from './figures.js';
import { Layout, type LayoutOptions } from './layout.js';
import { contextBar } from './progress.js';
import { stepLabel } from './renderer.js';
import type { RunState } from './runState.js';
import { toolName } from './toolWords.js';

export interface StateLinesOptions extends LayoutOptions {
  /** How to go on with what stopped here; null if that is not known. */
  readonly command: string | null;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * The state of a run directory as a person reads it, each line only if there is something to say.
 *
 * @example
 * console.log(stateLines(runState(facts), { columns: 80, color: true, locale: 'en', command: 'flower', now: Date.now() / 1000 }).join('\n'));
 */
export function stateLines(state: RunState, options: StateLinesOptions): string[] {
  const layout = new Layout(options, '');
  const { locale, paint } = layout;
  const under = new Layout(options, '  ');
  if (state.state === 'none') return layout.hang('', text('state.none', { dir: state.run_dir }, locale));
  const say = (words: string, style = (line: string) => line) => under.hang('- ', words, style);
  const { waiting, verdict, last_event: last } = state;
  return [
    ...headLines(state, layout, options),
    ...(state.request ? under.line('- ', [[text('state.ask', { text: state.request }, locale)]]) : []),
    ...say(stepWords(state, locale)),
    ...say(moneyWords(state, locale)),
    ...(state.context ? say(contextWords(state, locale)) : []),
    ...state.workers.flatMap((worker) => {
      const row = [
        worker.role,
        worker.description,
        `${toolName(worker.tool, locale)} ${worker.text}`.trim(),
        elapsed(options.now - worker.since),
      ];
      return under.line('| ', [[row.filter(Boolean).join(' · '), paint.dim]], paint.dim);
    }),
    ...state.asks.flatMap(({ question, asked_at }) => {
      const age = elapsed(options.now - (asked_at ?? options.now));
      return under.hang('? ', text('state.question', { age, text: question }, locale), paint.yellow);
    }),
    ...(state.mail > 0 ? say(text('mail.waiting', { n: state.mail }, locale)) : []),
    ...(waiting
      ? say(
          text('state.wait', { time: timeOfDay(waiting.until), why: waitWords(waiting.kind, locale) }, locale),
          paint.yellow,
        )
      : []),
    ...(verdict ? say(verdictWords(verdict, locale)) : []),
    ...(last
      ? say(text('state.last', { kind: last.kind, age: elapsed(options.now - last.at) }, locale), paint.dim)
      : []),
    ...(goesOn(state) && options.command ? say(text('state.continue', { command: options.command }, locale)) : []),
  ];
}

function headLines(state: RunState, layout: Layout, options: LayoutOptions): string[] {
  const { locale, paint } = layout;
  const process = { pid: state.pid ?? '?', since: state.since === null ? '?' : dateAndTime(state.since) };
  switch (state.state) {
    case 'running':
      return layout.own('', text('state.running', process, locale), paint.green);
    case 'waiting':
      return layout.own('', text('state.waiting', process, locale), paint.yellow);
    case 'left':
      return layout.hang('! ', text('state.left', {}, locale), paint.yellow);
    default:
      return outcomeLines(state, layout, options);
  }
}

function outcomeLines(state: RunState, layout: Layout, options: LayoutOptions): string[] {
  const { outcome, verdict, step, total_usd: spentUsd, budget_usd: budgetUsd } = state;
  if (outcome === null) return [];
  const items = (verdict?.items ?? []).map((item) => ({ state: String(Object(item).state) }));
  const { outcome: lines } = closingLines({ outcome, items, step, spentUsd, budgetUsd, manifest: null }, options);
  const date = outcome.at === null ? [] : layout.hang('  ', dateAndTime(outcome.at), layout.paint.dim);
  return [...lines, ...date];
}

function stepWords({ step, round, rounds, elapsed_s }: RunState, locale: Locale): string {
  if (step === null) return elapsed_s === null ? '' : elapsed(elapsed_s);
  const label = stepLabel(step.replace(/#(?:round|retry)\d+$/, ''), locale);
  const words =
    round !== null && rounds !== null ? text('state.step', { step: label, k: round, n: rounds }, locale) : label;
  return elapsed_s === null ? words : `${words} · ${elapsed(elapsed_s)}`;
}

/** What this run spent; beside it all that was spent here, where that is more or has a ceiling. */
function moneyWords({ spent_usd, total_usd, budget_usd }: RunState, locale: Locale): string {
  const own = `$${dollars(spent_usd, 2)}`;
  if (budget_usd !== null) return `${own} · $${dollars(total_usd, 2)}/${dollars(budget_usd, 2)}`;
  const earlier = total_usd - (spent_usd ?? 0) > 0.005;
  return earlier ? `${own} · ${text('close.total', { cost: dollars(total_usd, 2) }, locale)}` : own;
}

function contextWords({ context, at }: RunState, locale: Locale): string {
  const size = context ?? 0;
  return at === null ? text('status.context', { size: tokens(size) }, locale) : contextBar(size, at);
}

function verdictWords({ state, items }: NonNullable<RunState['verdict']>, locale: Locale): string {
  const keys = {
    achieved: 'verdict.state.achieved',
    not_yet: 'verdict.state.notYet',
    unreachable: 'verdict.state.unreachable',
  } as const;
  const key = keys[state as keyof typeof keys];
  const failed = items.map(Object).filter((item) => item.state !== 'met');
  const numbers = failed.map((item) => String(item.number)).join(', ');
  return text(
    'state.verdict',
    { state: key ? text(key, {}, locale) : state, items: numbers || text('placeholder.none', {}, locale) },
    locale,
  );
}

function waitWords(kind: 'network' | 'limit', locale: Locale): string {
  return text(kind === 'limit' ? 'state.wait.limit' : 'state.wait.network', {}, locale);
}

/** Whether there is something left to do in this directory. */
function goesOn({ state, outcome }: RunState): boolean {
  return state === 'left' || (state === 'ended' && outcome !== null && outcome.exit !== 0);
}

function dateAndTime(at: number): string {
  return new Date(at * 1000).toLocaleString('sv').slice(0, 16);
}

function timeOfDay(at: number): string {
  return new Date(at * 1000).toTimeString().slice(0, 5);
}
