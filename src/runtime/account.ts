/** What happened to an account just now; a person is told of each once. */
export type AccountNotice = 'near' | 'used';

const NEAR = 0.8;

/**
 * The money of one run: everything that was spent in its directory since it was begun, by any process, against a ceiling. Side
 * questions have an account of their own that draws on this one.
 */
export class Account {
  readonly #parent: Account | null;
  readonly #told = new Set<AccountNotice>();
  #before: number;
  ceilingUsd: number | null;
  /** US dollars that this process has spent on this account. */
  spentHereUsd = 0;

  /** @param spentBeforeUsd what other processes, and earlier ones, have spent */
  constructor(options: {
    readonly ceilingUsd: number | null;
    readonly spentBeforeUsd: number;
    readonly parent?: Account | null;
  }) {
    this.ceilingUsd = options.ceilingUsd;
    this.#before = options.spentBeforeUsd;
    this.#parent = options.parent ?? null;
  }

  get spentUsd(): number {
    return this.#before + this.spentHereUsd;
  }

  /** US dollars left, here and on the account that this one draws on; Infinity without a ceiling. */
  get restUsd(): number {
    const own = this.ceilingUsd === null ? Number.POSITIVE_INFINITY : Math.max(0, this.ceilingUsd - this.spentUsd);
    return Math.min(own, this.#parent?.restUsd ?? Number.POSITIVE_INFINITY);
  }

  /** What others have spent turned out to be more. */
  set spentBeforeUsd(usd: number) {
    this.#before = usd;
  }

  /** @param usd less than 0 where an estimate was too high */
  add(usd: number): void {
    this.spentHereUsd += usd;
    this.#parent?.add(usd);
  }

  /** What is to be told now, and has not been told in this process. */
  notices(): AccountNotice[] {
    if (this.ceilingUsd === null) return [];
    const due: AccountNotice[] = [];
    if (this.spentUsd >= this.ceilingUsd * NEAR) due.push('near');
    if (this.spentUsd >= this.ceilingUsd) due.push('used');
    return due.filter((notice) => {
      const fresh = !this.#told.has(notice);
      this.#told.add(notice);
      return fresh;
    });
  }
}
