import { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import { QueryBill } from './queryBill.js';
import type { StepHost } from './stepHost.js';
import type { StepRun } from './stepRun.js';
import { STOP } from './turnStop.js';

/** What the next query of a step may spend. */
export interface Allowance {
  /** US dollars; null is no limit. */
  readonly usd: number | null;
  /** The rest of the run is the smaller one. */
  readonly ofRun: boolean;
}

/** The money of one step: what it may spend, and what becomes of it when it is spent. */
export class StepBill {
  readonly #host: StepHost;
  readonly #run: StepRun;
  #query: QueryBill | null = null;

  constructor(host: StepHost, run: StepRun) {
    this.#host = host;
    this.#run = run;
    run.open = () => ({
      usd: this.#query?.openUsd ?? 0,
      countedUntil: this.#query?.countedUntil ?? run.result.startedAt,
    });
  }

  /** The smaller rest of step and run. */
  allowance(): Allowance {
    const { spec, result } = this.#run;
    const spent = result.costUsd + this.#run.open().usd;
    const ofStep = spec.maxBudgetUsd === null ? Number.POSITIVE_INFINITY : Math.max(0, spec.maxBudgetUsd - spent);
    const ofRun = this.#host.account.restUsd;
    const usd = Math.min(ofStep, ofRun);
    return { usd: Number.isFinite(usd) ? usd : null, ofRun: ofRun <= ofStep && Number.isFinite(ofRun) };
  }

  /** The error of a step that may spend nothing any more; null if it may. */
  usedUp(): string | null {
    const { usd, ofRun } = this.allowance();
    if (usd !== 0) return null;
    return ofRun ? STOP.budget : 'error_max_budget_usd';
  }

  /**
   * The bill of the next query. What it spends is on the account at once.
   *
   * @param onSpent called after that
   */
  ofQuery(onSpent: () => void): QueryBill {
    this.#query = new QueryBill((usd) => {
      this.#spend(usd);
      onSpent();
    });
    return this.#query;
  }

  /** At a boundary under a budget: what led there is counted when this is kept. Null where nobody counts. */
  upToDate(calls: readonly string[]): Promise<void> | null {
    return this.allowance().usd === null ? null : (this.#query?.counted(calls) ?? null);
  }

  #spend(usd: number): void {
    const { account, locale } = this.#host;
    const { name, emit } = this.#run;
    account.add(usd);
    const shown = { spent: account.spentUsd.toFixed(2), ceiling: (account.ceilingUsd ?? 0).toFixed(2) };
    for (const budget of account.notices()) {
      const words = text(budget === 'near' ? 'budget.near' : 'budget.usedUp', shown, locale);
      const payload = { step: name, budget, spent_usd: account.spentUsd, max_budget_usd: account.ceilingUsd };
      emit(new Event('task', { text: words, payload }));
    }
  }
}
