import { costOf } from '../prices/prices.js';
import type { SimRequest } from './simRequest.js';
import type { Usage } from './wire.js';

/** What a group of requests used and cost. */
export interface Totals {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  /** US dollars at list price. Models without a known price count as 0 here. */
  readonly costUsd: number;
}

/** One row of the meter: what one thread of one session used on one model. */
export interface MeterRow extends Totals {
  readonly session: string;
  readonly thread: SimRequest['thread'];
  readonly agent: string | null;
  readonly model: string;
}

/** Which rows to count. What is left out matches everything. */
export type MeterFilter = Partial<Pick<MeterRow, 'session' | 'thread' | 'agent' | 'model'>>;

/** Counts what the sim charged. */
export class Meter {
  readonly #rows = new Map<string, MeterRow>();

  /** One row for each session, thread, agent and model, in the order of their first request. */
  get rows(): readonly MeterRow[] {
    return [...this.#rows.values()];
  }

  /**
   * The sum of the rows that match.
   *
   * @example
   * sim.meter.total({ thread: 'worker' }).costUsd;
   */
  total(filter: MeterFilter = {}): Totals {
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    return this.rows
      .filter((row) => wanted.every(([key, value]) => row[key as keyof MeterFilter] === value))
      .reduce(sum, nothing);
  }

  /** Adds one charged request. */
  add(
    { session, thread, agent, model }: Pick<SimRequest, 'session' | 'thread' | 'agent' | 'model'>,
    usage: Usage,
  ): void {
    const key = JSON.stringify([session, thread, agent, model]);
    const row = this.#rows.get(key) ?? { session, thread, agent, model, ...nothing };
    this.#rows.set(key, { ...row, ...sum(row, totalsOf(model, usage)) });
  }
}

const nothing: Totals = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  costUsd: 0,
};

function totalsOf(model: string, usage: Usage): Totals {
  const oneHour = usage.cache_creation.ephemeral_1h_input_tokens;
  return {
    requests: 1,
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens,
    cacheWrite5mTokens: usage.cache_creation_input_tokens - oneHour,
    cacheWrite1hTokens: oneHour,
    costUsd: costOf(model, usage) ?? 0,
  };
}

function sum(a: Totals, b: Totals): Totals {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWrite5mTokens: a.cacheWrite5mTokens + b.cacheWrite5mTokens,
    cacheWrite1hTokens: a.cacheWrite1hTokens + b.cacheWrite1hTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}
