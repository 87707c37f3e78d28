import type { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import { drawMail, drawQuestion } from './drawAsk.js';
import { drawHandoff } from './drawHandoff.js';
import { dollars, elapsed, tokens } from './figures.js';
import { Layout } from './layout.js';
import { keepColours, sanitise } from './sanitise.js';
import { dispatchOf, toolArgument, toolName, toolResultText } from './toolWords.js';
import { columnsOf, cutToWidth } from './width.js';
import { Workers } from './workers.js';

export interface RendererOptions {
  /** Gets the finished lines of one event in one call. */
  readonly write: (text: string) => void;
  /** Columns of the screen now; 0 or undefined if unknown. */
  readonly columns: () => number | undefined;
  readonly color: boolean;
  /** Shows what workers say, tool results, prompts and system events too. */
  readonly verbose: boolean;
  readonly locale: Locale;
  /** Milliseconds. @default Date.now */
  readonly now?: () => number;
  /** The context window in use and whether it was set or learnt, and not guessed from the model's name. @default unknown */
  readonly window?: () => { readonly tokens: number; readonly known: boolean } | null;
}

/**
 * Draws the events of one run as lines of text. It keeps what the lines need from before: the time, the last cost, how full the
 * main thread's context is, who spoke last. It never throws; a kind that it does not know is drawn as nothing.
 *
 * @example
 * const renderer = new Renderer({
 *   write: (lines) => process.stdout.write(lines), columns: () => process.stdout.columns, color: true, verbose: false, locale: 'en',
 * });
 * await workflow.run(runtime, { onEvent: (event) => renderer.event(event) });
 */
export class Renderer {
  readonly workers = new Workers();
  readonly #options: RendererOptions;
  readonly #startedAt: number;
  readonly #asked = new Set<unknown>();
  #stepStartedAt: number;
  #context = 0;
  #spentUsd: unknown = 0;
  #speaker = '';

  constructor(options: RendererOptions) {
    this.#options = options;
    this.#startedAt = this.#now();
    this.#stepStartedAt = this.#startedAt;
  }

  event(event: Event): void {
    try {
      this.workers.event(event, this.#now());
      const lines = this.#draw(event);
      if (lines.length > 0) this.#options.write(keepColours(`${[...this.#speakerLine(event), ...lines].join('\n')}\n`));
    } catch {
      // A screen that fails must not become the reason why a run fails.
    }
  }

  #draw(event: Event): string[] {
    const { payload } = event;
    const bySub = payload.subagent === true;
    const { verbose } = this.#options;
    const layout = this.#layout().behind(bySub ? '  | ' : '  ');
    const { paint } = layout;
    if (!bySub && typeof payload.context === 'number' && payload.context > 0) this.#context = payload.context;
    switch (event.kind) {
      case 'step':
        return this.#step(event, layout);
      case 'text':
        if (bySub) return verbose ? layout.hang('', event.text, paint.dim) : [];
        return this.#speech(event, layout);
      case 'thinking':
        return bySub ? [] : layout.hang('~ ', event.text, paint.cyan);
      case 'prompt':
        return verbose ? layout.hang('> ', event.text, paint.dim) : [];
      case 'tool_call':
        return toolCall(event, layout, bySub);
      case 'tool_result':
        if (payload.is_error === true) return layout.hang('x ', toolResultText(event) || '?', paint.red);
        return verbose ? layout.hang('  ', toolResultText(event), paint.dim) : [];
      case 'ask':
        return this.#ask(event, layout);
      case 'task':
        // A judge's round is booked as a step of its own, and so is the round of work behind it.
        if (payload.judging || 'verdict' in payload) this.#stepStartedAt = this.#now();
        return payload.budget
          ? layout.hang('! ', event.text, paint.yellow)
          : layout.hang('# ', event.text, paint.magenta);
      case 'error':
        return this.#error(event, layout);
      case 'retry':
        return layout.hang('~ ', event.text, paint.yellow);
      case 'reset':
        return layout.hang('~ ', this.#resetWords(event), paint.yellow);
      case 'handoff':
        if (payload.phase === 'done') this.#context = 0;
        return drawHandoff(event, layout);
      case 'result':
        return this.#result(event, layout);
      case 'system':
        if (event.text === 'recovered') return this.#recovered(event, layout);
        return verbose ? layout.line('- ', [[event.text]], paint.dim) : [];
      default:
        return verbose ? layout.line('- ', [[event.text || event.kind]], paint.dim) : [];
    }
  }

  #step(event: Event, layout: Layout): string[] {
    const { paint, locale, width } = layout;
    const { index, total, resumed, woke } = event.payload;
    const name = cutToWidth(sanitise(stepLabel(event.text, locale)), width - 8);
    const place = index && total ? `${Number(index)}/${Number(total)}` : '';
    const tail = resumed ? `${place} ${text('step.resumed', { n: Number(woke) || 1 }, locale)}` : place;
    this.#stepStartedAt = this.#now();
    const rule = '='.repeat(Math.max(4, width - columnsOf(name) - columnsOf(tail) - 6));
    const head = (words: string) => paint.bold(paint.cyan(words));
    const edge = layout.behind('');
    if (columnsOf(`== ${name} ${rule} ${tail}`) <= width)
      return ['', `${head(`== ${name} ${rule}`)} ${paint.dim(tail)}`, ''];
    return ['', ...edge.hang('== ', name, head), ...edge.hang('   ', tail, paint.dim), ''];
  }

  #speech(event: Event, layout: Layout): string[] {
    const { paint, locale } = layout;
    const lines = layout.hang('', event.text);
    if (lines.length === 0) return [];
    const status = [
      ...(this.#context > 0 ? [text('status.context', { size: tokens(this.#context) }, locale)] : []),
      text('status.cost', { cost: dollars(this.#spentUsd, 2) }, locale),
      elapsed(this.#seconds(this.#startedAt)),
    ];
    return [...lines, ...layout.hang('- ', status.join(' · '), paint.dim)];
  }

  #ask(event: Event, layout: Layout): string[] {
    if (event.payload.kind === 'mail') return drawMail(event, layout);
    const { id, state } = event.payload;
    const lines = drawQuestion(event, layout, { wasAsked: this.#asked.has(id) });
    if (state === 'asked') this.#asked.add(id);
    return lines;
  }

  #error(event: Event, layout: Layout): string[] {
    const { paint, locale } = layout;
    const { model_mismatch, want, served } = event.payload;
    if (!model_mismatch) return layout.hang('! ', event.text, paint.red);
    const names = { want: String(want), served: String(served) };
    if (bareModel(names.want) !== bareModel(names.served)) {
      return layout.hang('! ', text('ev.model_mismatch', names, locale), paint.red);
    }
    const window = this.#options.window?.() ?? null;
    if (window?.known) return [];
    return layout.hang(
      '- ',
      window ? text('ev.model_suffix', { ...names, window: tokens(window.tokens) }, locale) : event.text,
      paint.dim,
    );
  }

  #resetWords(event: Event): string {
    if (event.text === 'conversation reset') return text('ev.reset', {}, this.#options.locale);
    return event.text.replaceAll('→', '->');
  }

  #result(event: Event, layout: Layout): string[] {
    const { paint, locale } = layout;
    const { cost_usd, spent_usd, num_turns, errors } = event.payload;
    if (typeof spent_usd === 'number') this.#spentUsd = spent_usd;
    const tail = text(
      'result.tail',
      {
        turns: Number(num_turns) || 0,
        cost: dollars(cost_usd, 4),
        step: elapsed(this.#seconds(this.#stepStartedAt)),
        time: elapsed(this.#seconds(this.#startedAt)),
      },
      locale,
    );
    const withTail = (words: string) => `${words} ‹${tail}›`;
    switch (endOf(event)) {
      case 'ok':
        return layout.own('+ ', withTail(text('result.ok', {}, locale)), paint.green);
      case 'stopped':
        return layout.own('~ ', withTail(text('result.stopped', {}, locale)), paint.yellow);
      case 'bad': {
        const why = Array.isArray(errors) && errors.length > 0 ? errors.join('; ') : event.text;
        const lines = layout.own('x ', withTail(text('result.bad', {}, locale)), paint.red);
        return why === 'success' ? lines : [...lines, ...layout.hang('  ', why, paint.red)];
      }
    }
  }

  #recovered(event: Event, layout: Layout): string[] {
    const { paint, locale } = layout;
    const [processes, entries] = [Number(event.payload.processes) || 0, Number(event.payload.entries) || 0];
    return [
      ...(processes > 0 ? layout.hang('! ', text('left.processes', { n: processes }, locale), paint.yellow) : []),
      ...(entries > 0 ? layout.hang('+ ', text('left.imported', { n: entries }, locale), paint.green) : []),
    ];
  }

  /** With several workers at once, a line says whose events follow. */
  #speakerLine(event: Event): string[] {
    const speaker = event.payload.subagent === true ? String(event.payload.agent_id ?? '') : '';
    const changed = speaker !== this.#speaker;
    this.#speaker = speaker;
    const label = this.workers.label(speaker);
    if (!changed || label === null || this.workers.live.length < 2) return [];
    const layout = this.#layout().behind('  | ');
    return layout.line('', [[label, layout.paint.dim]]);
  }

  #layout(): Layout {
    const { columns, color, locale } = this.#options;
    return new Layout({ columns: columns(), color, locale });
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #seconds(since: number): number {
    return (this.#now() - since) / 1000;
  }
}

/**
 * What a step is called on screen.
 *
 * @example
 * stepLabel('set-goal', 'en'); // 'set goal'
 */
export function stepLabel(id: string, locale: Locale): string {
  const [, base = id, verdict, suffix = ''] = /^(.*?)(·verdict)?(#.*)?$/.exec(id) ?? [];
  if (verdict && base === 'work') return `${text('step.verdict', {}, locale)}${suffix}`;
  if (verdict) return `${text('judge.label', { step: base }, locale)}${suffix}`;
  const labels = {
    clarify: 'step.clarify',
    'set-goal': 'step.goal',
    work: 'step.work',
    aside: 'step.aside',
    'ad-hoc': 'step.adhoc',
  } as const;
  const key = labels[base as keyof typeof labels];
  return `${key ? text(key, {}, locale) : base}${suffix}`;
}

function toolCall(event: Event, layout: Layout, bySub: boolean): string[] {
  const { paint, locale } = layout;
  const dispatch = dispatchOf(event);
  if (!dispatch) {
    return layout.line(
      '* ',
      [
        [toolName(event.tool, locale), bySub ? paint.dim : paint.blue],
        [toolArgument(event), paint.dim],
      ],
      bySub ? paint.dim : paint.blue,
    );
  }
  const task = cutToWidth(dispatch.task, 60);
  const head = (words: string) => paint.magenta(words);
  return layout.line(
    '> ',
    [
      [text('dispatch', {}, locale), head],
      [dispatch.role, paint.bold],
      [task, paint.dim],
    ],
    head,
  );
}

const STOPPED = new Set<unknown>(['hook_stopped', 'aborted_streaming', 'aborted_tools', 'budget_exhausted']);

/** How a turn ended. One that flower stopped itself calls itself a success or an error, whatever came first. */
function endOf(event: Event): 'ok' | 'bad' | 'stopped' {
  const { is_error, terminal_reason: reason, stopped } = event.payload;
  if (stopped || STOPPED.has(reason)) return 'stopped';
  return event.text === 'success' &&
    is_error !== true &&
    (reason === undefined || reason === null || reason === 'completed')
    ? 'ok'
    : 'bad';
}

/** A model's name without case and without a suffix such as `[1m]`. */
function bareModel(name: string): string {
  return name.toLowerCase().replace(/\s*\[[^\]]*\]$/, '');
}
