import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { oracle } from '../agent/roles/oracle.js';
import type { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import { Runtime } from './runtime.js';
import type { RuntimeOptions } from './runtimeOptions.js';
import { STOP } from './turnStop.js';

/** What became of a side question. Costs are US dollars. */
export type AsideAnswer =
  | { readonly state: 'answered'; readonly text: string; readonly costUsd: number }
  | { readonly state: 'failed'; readonly kind: string; readonly message: string; readonly costUsd: number }
  /** The run ended before it. */
  | { readonly state: 'cancelled'; readonly costUsd: number }
  /** It was not asked: no credentials, no budget left, or the run is over. */
  | { readonly state: 'off' };

/** Options of an Aside. */
export interface AsideOptions {
  /** As for the Runtime of the run. @default looked up */
  readonly settings?: RuntimeOptions['settings'];
  /** As for the Runtime of the run. */
  readonly query?: RuntimeOptions['query'];
}

/**
 * Answers questions beside a run: each by a read-only session that is told the latest events and the workbench, and is discarded.
 * Nothing of it enters the run's sessions or books; its cost is booked below `aside/` of the run directory and counts in the run's
 * budget.
 *
 * @example
 * const aside = new Aside(runtime);
 * await flow.run(runtime, { onEvent: aside.hear });
 * const answer = await aside.ask('What is it doing?');
 * await aside.end();
 */
export class Aside {
  readonly #parent: Runtime;
  readonly #options: AsideOptions;
  readonly #recent: string[] = [];
  readonly #open = new Set<Promise<AsideAnswer>>();
  #runtime: Runtime | null = null;
  #ended = false;
  #cancelled = 0;

  constructor(parent: Runtime, options: AsideOptions = {}) {
    this.#parent = parent;
    this.#options = options;
  }

  /** Takes an event of the run, for the questions to come. */
  readonly hear = (event: Event): void => {
    const line = lineOf(event, this.#parent);
    if (line === null) return;
    this.#recent.push(line);
    if (this.#recent.length > EVENTS) this.#recent.shift();
  };

  /** Questions that are being answered. */
  get open(): number {
    return this.#open.size;
  }

  /** US dollars that the questions of this process have cost. */
  get costUsd(): number {
    return this.#runtime?.totalCost() ?? 0;
  }

  /** Asks a question; several may run at once. Never rejects. */
  async ask(question: string): Promise<AsideAnswer> {
    const runtime = this.#ended ? null : this.#opened();
    if (!runtime) return { state: 'off' };
    const asked = this.#answer(runtime, question).catch((error): AsideAnswer => {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      return { state: 'failed', kind: name, message, costUsd: 0 };
    });
    this.#open.add(asked);
    const answer = await asked;
    this.#open.delete(asked);
    return answer;
  }

  /** Waits for the answers that are still to come, then cancels the rest; gives how many that were. No question is taken afterwards. */
  async end(graceS = 120): Promise<number> {
    this.#ended = true;
    await Promise.race([Promise.allSettled(this.#open), setTimeout(graceS * 1000, undefined, { ref: false })]);
    this.cancel();
    await Promise.allSettled(this.#open);
    await this.#runtime?.close();
    return this.#cancelled;
  }

  /** Ends what runs, at once and without waiting. For handlers of signals. */
  cancel(): void {
    this.#ended = true;
    this.#cancelled += this.#open.size;
    this.#runtime?.rescue();
  }

  /** Null where there is nothing to ask with. */
  #opened(): Runtime | null {
    const { workspace, runDir, locale, portable } = this.#parent;
    try {
      this.#runtime ??= new Runtime({
        ...this.#options,
        ...{ workspace, locale, portable },
        runDir: join(runDir, 'aside'),
        parent: this.#parent,
        resilience: false,
        handoff: false,
      });
      return this.#runtime;
    } catch {
      return null;
    }
  }

  #prompt(question: string): string {
    const { locale, workbench } = this.#parent;
    return text(
      'aside.prompt',
      {
        question,
        events: this.#recent.join('\n') || text('recent.empty', {}, locale),
        bench: workbench
          ? text('aside.bench', { root: workbench.root, index: workbench.refresh() }, locale)
          : text('aside.no_bench', {}, locale),
      },
      locale,
    );
  }

  async #answer(runtime: Runtime, question: string): Promise<AsideAnswer> {
    const spec = oracle(undefined, { locale: runtime.locale });
    const { ok, error, text: words, costUsd } = await runtime.run(spec, this.#prompt(question), { stepName: 'aside' });
    if (ok) return { state: 'answered', text: words, costUsd };
    if (this.#cancelled > 0) return { state: 'cancelled', costUsd };
    if (error === STOP.budget && costUsd === 0) return { state: 'off' };
    const [, kind = '', message = ''] = /^(\w+): ?(.*)$/s.exec(error ?? '') ?? [];
    return { state: 'failed', kind: kind || 'error', message: message || (error ?? ''), costUsd };
  }
}

const EVENTS = 60;
const CHARACTERS = 200;

/** An event in one line; null for what would only push the telling ones out of sight. */
function lineOf({ kind, tool, text: words, payload }: Event, { locale }: Runtime): string | null {
  if (kind === 'thinking' || kind === 'prompt' || kind === 'unknown') return null;
  if (words === '' && tool === '') return null;
  const who = payload.subagent ? 'subagent' : text('who.main', {}, locale);
  const shown = words.slice(0, CHARACTERS).replace(/\s*[\r\n]\s*/g, ' ');
  return `[${kind}${tool && `/${tool}`}·${who}] ${shown}`;
}
