import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { costDelta } from './cost.js';
import { lastStoredAt, replyCosts, toolCalls } from './transcripts.js';

/**
 * What one query spends, while it spends it. The harness names a sum only in a result; before that, and for good if it is killed,
 * the usage of the replies that it stores is counted, workers included: at list price, or as `estimateOf` says for a model without
 * one. So a budget is kept inside a turn too, also by two queries that draw on one account.
 */
export class QueryBill {
  readonly #onSpent: (usd: number) => void;
  /** Replies that are on a bill already: those of the history, and those that a result of this query covers. */
  readonly #booked = new Set<string>();
  /** Replies that no result covers yet, by their id. */
  readonly #open = new Map<string, number>();
  /** US dollars that no result has named yet. */
  openUsd = 0;
  /** One of the open replies has no list price: what the harness will name is a guess as well. */
  #hasUnlisted = false;
  /** Unix seconds: what the harness wrote down up to then is counted. It may have written more, which is on its way. */
  countedUntil = Date.now() / 1000;
  readonly #calls = new Set<string>();
  readonly #waiting = new Set<() => void>();
  /** The running total that the harness named last; at first the one that was saved with the history. */
  #total = 0;

  /** @param onSpent US dollars as they are spent; less than 0 where an estimate was too high */
  constructor(onSpent: (usd: number) => void) {
    this.#onSpent = onSpent;
  }

  /** The query goes on from what was stored of a session; `total` is what had been spent on it then, if that is known. */
  startFrom(entries: readonly SessionStoreEntry[], total?: number): void {
    for (const id of replyCosts(entries).keys()) this.#booked.add(id);
    if (total !== undefined) this.#total = total;
  }

  /** The harness has written these. */
  note(entries: readonly SessionStoreEntry[]): void {
    for (const [id, { usd, isListed }] of replyCosts(entries)) {
      if (this.#booked.has(id)) continue;
      this.#hasUnlisted ||= !isListed;
      const before = this.#open.get(id) ?? 0;
      this.#open.set(id, usd);
      this.openUsd += usd - before;
      this.#onSpent(usd - before);
    }
    this.countedUntil = Math.max(this.countedUntil, lastStoredAt(entries));
    for (const id of toolCalls(entries)) this.#calls.add(id);
    for (const id of this.#calls) {
      if (this.#calls.size <= CALLS_KEPT) break;
      this.#calls.delete(id);
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /**
   * A result says what was spent since the last one. A figure that is none, or 0 for replies that cost something, is not believed:
   * the estimate stands. One for a model without a list price is the harness's own estimate.
   *
   * @param total the result's `total_cost_usd`
   */
  book(total: unknown): { readonly usd: number; readonly estimated: boolean } {
    const named = typeof total === 'number' && total >= 0 && Number.isFinite(total) ? total : null;
    const reported = named === null ? 0 : costDelta(named, this.#total);
    if (named !== null) this.#total = named;
    const guessed = this.#hasUnlisted;
    const seen = this.#close();
    const unsaid = reported === 0 && seen > 0;
    const usd = unsaid ? seen : reported;
    this.#onSpent(usd - seen);
    return { usd, estimated: unsaid || guessed };
  }

  /**
   * Waits until the replies that made these tool calls are counted: the harness writes its transcripts a moment after it goes on,
   * and whoever decides at a boundary must know what led there.
   */
  async counted(calls: readonly string[]): Promise<void> {
    const until = Date.now() + WRITTEN_WITHIN_MS;
    while (calls.some((id) => !this.#calls.has(id)) && Date.now() < until) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        setTimeout(resolve, until - Date.now()).unref();
      });
    }
    for (const id of calls) this.#calls.delete(id);
  }

  /** US dollars that no result will name: what a query spent that was killed. */
  rest(): number {
    return this.#close();
  }

  #close(): number {
    for (const id of this.#open.keys()) this.#booked.add(id);
    this.#open.clear();
    this.#hasUnlisted = false;
    const usd = this.openUsd;
    this.openUsd = 0;
    return usd;
  }
}

/** Longer than the harness ever takes from an answer to its transcript; a store that it does not write to must not stop it. */
const WRITTEN_WITHIN_MS = 1000;

/** More than can be under way at once. */
const CALLS_KEPT = 1000;
