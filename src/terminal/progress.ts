import type { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import { dollars, elapsed, tokens } from './figures.js';
import { createPaint } from './paint.js';
import { stepLabel } from './renderer.js';
import { sanitise } from './sanitise.js';
import { toolName } from './toolWords.js';
import { columnsOf, cutToWidth } from './width.js';
import type { Worker, Workers } from './workers.js';

const CELLS = 10;
const WORKERS_SHOWN = 4;
const QUIET_AFTER_S = 60;

export interface ProgressOptions {
  readonly workers: Workers;
  readonly locale: Locale;
  readonly color: boolean;
  /** Tokens at which the main thread hands over, and at which that is near. @default unknown: no bar */
  readonly threshold?: (() => { readonly at: number; readonly warnAt: number } | null) | undefined;
  /** Ceiling of the run in US dollars. @default none */
  readonly budgetUsd?: (() => number | null) | undefined;
}

/** What the main thread waits for. */
export interface Wait {
  readonly kind: 'limit' | 'network' | 'retry';
  /** Milliseconds, like `since`. */
  readonly until: number;
  readonly since: number;
}

/** What a long run is doing now, in a few rows: step, time, money, context, workers, or what it waits for. */
export class Progress {
  readonly #options: ProgressOptions;
  #step: { label: string; since: number } | null = null;
  #context = 0;
  #spentUsd: unknown = 0;
  #wait: Wait | null = null;
  #interrupt: 'none' | 'stopping' | 'paused' = 'none';

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  event(event: Event, now: number): void {
    const { payload } = event;
    if (event.kind !== 'ask') this.#step ??= { label: '', since: now };
    if (payload.subagent !== true) this.#wait = waitOf(event, now, this.#wait);
    if (event.kind === 'step') this.#step = { label: stepLabel(event.text, this.#options.locale), since: now };
    if (event.kind === 'handoff' && payload.phase === 'done') this.#context = 0;
    if (payload.subagent !== true && typeof payload.context === 'number')
      this.#context = payload.context || this.#context;
    if (event.kind !== 'result') return;
    if (typeof payload.spent_usd === 'number') this.#spentUsd = payload.spent_usd;
    if (this.#interrupt === 'stopping') this.#interrupt = 'paused';
  }

  /** A person asked for a stop, or has said what they wanted to say. */
  interrupt(isOn: boolean): void {
    this.#interrupt = isOn ? 'stopping' : 'none';
  }

  /** The rows for a screen of so many columns and rows; none before anything happened. */
  rows(columns: number, height: number, now: number): string[] {
    if (!this.#step) return [];
    const room = columns - 1;
    const live = height < 8 ? [] : this.#options.workers.live;
    const { locale, color } = this.#options;
    const { dim } = createPaint(color);
    const more = live.length - WORKERS_SHOWN;
    return [
      this.#firstRow(room, now),
      ...live.slice(0, WORKERS_SHOWN).map((worker) => dim(workerRow(worker, room, now, locale))),
      ...(more > 0 ? [dim(cutRow(`  | ${text('progress.more', { n: more }, locale)}`, room))] : []),
    ];
  }

  #firstRow(room: number, now: number): string {
    const { dim, yellow } = createPaint(this.#options.color);
    const parts = this.#waitWords(now) ?? this.#figures(now);
    let row = '';
    for (const [words, style] of parts) {
      const next = row === '' ? `  - ${words}` : ` · ${words}`;
      if (row !== '' && columnsOf(row) + columnsOf(next) > room) break;
      row += (style === 'warn' ? yellow : dim)(cutRow(next, room));
    }
    return row;
  }

  #figures(now: number): [string, Hue][] {
    const { threshold, budgetUsd } = this.#options;
    const { label, since } = this.#step ?? { label: '', since: now };
    const ceiling = budgetUsd?.() ?? null;
    const money = `$${dollars(this.#spentUsd, 2)}${ceiling === null ? '' : `/${dollars(ceiling, 2)}`}`;
    const limit = threshold?.() ?? null;
    const parts: [string, Hue][] = [
      [label, 'plain'],
      [elapsed((now - since) / 1000), 'plain'],
      [money, 'plain'],
    ];
    if (limit && this.#context > 0)
      parts.push([contextBar(this.#context, limit.at), this.#context >= limit.warnAt ? 'warn' : 'plain']);
    return parts.filter(([words]) => words !== '');
  }

  #waitWords(now: number): [string, Hue][] | null {
    const { locale } = this.#options;
    if (this.#interrupt === 'stopping') return [[text('progress.stopping', {}, locale), 'warn']];
    if (this.#interrupt === 'paused') return [[text('progress.paused', {}, locale), 'warn']];
    if (!this.#wait) return null;
    const { kind, until, since } = this.#wait;
    const left = elapsed(Math.max(0, until - now) / 1000);
    switch (kind) {
      case 'limit':
        return [[text('progress.limit', { left, time: timeOfDay(until) }, locale), 'warn']];
      case 'network': {
        const figures = { time: elapsed((now - since) / 1000), max: elapsed((until - since) / 1000) };
        return [[text('progress.offline', figures, locale), 'warn']];
      }
      case 'retry':
        return [[text('progress.retry', { left }, locale), 'warn']];
    }
  }
}

type Hue = 'plain' | 'warn';

/** A wait begins with a retry event that names its end, and is over with the next thing that the main thread does. */
export function waitOf(event: Event, now: number, before: Wait | null): Wait | null {
  const { until, limit, network } = event.payload;
  if (event.kind === 'ask' || event.kind === 'system' || event.kind === 'unknown') return before;
  if (event.kind !== 'retry' || typeof until !== 'number') return null;
  return { kind: limit ? 'limit' : network ? 'network' : 'retry', until: until * 1000, since: now };
}

/** How full a context is, where full is the point at which a session hands over. */
export function contextBar(context: number, at: number): string {
  const full = Math.max(0, Math.min(CELLS, Math.floor((context / at) * CELLS)));
  return `[${'#'.repeat(full)}${'.'.repeat(CELLS - full)}] ${tokens(context)}/${tokens(at)}`;
}

/** What a worker does, in one row. Times are milliseconds. */
export function workerRow(worker: Worker, room: number, now: number, locale: Locale): string {
  const quietS = (now - worker.lastEventAt) / 1000;
  const time = elapsed((now - worker.startedAt) / 1000);
  const quiet = quietS < QUIET_AFTER_S ? '' : ` · ${text('progress.quiet', { time: elapsed(quietS) }, locale)}`;
  const what = [
    `${worker.role} #${worker.number}`,
    worker.description,
    `${toolName(worker.tool, locale)} ${worker.argument}`.trim(),
  ]
    .filter((part) => part !== '')
    .join(' · ');
  const tail = ` · ${time}${quiet}`;
  return cutRow(cutRow(`  | ${sanitise(what)}`, room - columnsOf(tail)) + tail, room);
}

/** Like `cutToWidth`, for a row that begins with its indent. */
function cutRow(row: string, room: number): string {
  const indent = /^ */.exec(row)?.[0] ?? '';
  return indent.slice(0, Math.max(0, room)) + cutToWidth(row, room - indent.length);
}

function timeOfDay(at: number): string {
  return new Date(at).toTimeString().slice(0, 5);
}
