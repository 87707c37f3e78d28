import type { SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { text } from '../locale/locale.js';
import { neutralReports } from './curate/cutReports.js';
import { type HealOptions, type HealTexts, heal } from './curate/heal.js';
import { keptFaults } from './curate/keptFaults.js';
import { nothingMended } from './curate/mended.js';
import { type Pruned, prune } from './curate/prune.js';
import { validate } from './curate/validate.js';
import { CuratedStore, type CurationOptions } from './curatedStore.js';
import { PrunePolicy } from './prunePolicy.js';
import { spillFolder } from './spillFolder.js';

export interface PruningOptions extends CurationOptions {
  /** Errors, refusals and what an interrupt left; null is the default policy. @default new PrunePolicy() */
  readonly prune?: PrunePolicy | null;
}

/**
 * Stands in front of any session store and makes what is fed back to the model smaller, truer and valid: beside what
 * `TrimmingSessionStore` does it drops errors and old refusals and mends what would make every later request fail. What is stored
 * stays as it is.
 *
 * @example
 * const store = new PruningSessionStore('/home/ann/app/runs/sessions.db', '/home/ann/app', { prune: new PrunePolicy({ keepDenials: 0 }) });
 */
export class PruningSessionStore extends CuratedStore {
  readonly prunePolicy: PrunePolicy;
  /** Entries that the last load left out. */
  pruned = 0;
  /** Refused calls that the last load left out. */
  denialsDropped = 0;
  /** Entries that the last load added, moved or changed to make the history valid. */
  healed = 0;

  readonly #texts: Required<HealTexts>;

  constructor(inner: string | SessionStore, workspace: string, options: PruningOptions = {}) {
    super(inner, workspace, options);
    this.prunePolicy = options.prune ?? new PrunePolicy({}, options.locale);
    this.#texts = {
      orphan: this.prunePolicy.orphanText,
      unknown: this.prunePolicy.orphanUnknownText,
      lost: text('prune.lostCall', {}, options.locale),
      start: text('prune.lostStart', {}, options.locale),
    };
  }

  protected override curated(input: SessionStoreEntry[], unreadable: number): SessionStoreEntry[] {
    this.lastReport = {};
    // First of all, as how long a result is decides what is trimmed.
    const { entries, isSound } = this.#pruned(this.smaller(this.#withoutErrorTexts(input)));
    const mended = { ...nothingMended, ...this.lastReport.mended, unreadable };
    this.lastReport = { ...this.lastReport, mended };
    const faults = isSound ? keptFaults(entries, input) : validate(entries, input);
    if (faults.length === 0) return [...entries];
    this.lastReport = { ...this.lastReport, faults };
    const plain = heal(input, this.#texts, this.#healOptions).entries;
    return [...(validate(plain, input).length < faults.length ? plain : entries)];
  }

  /** Takes out what misleads, then mends what is invalid. */
  prune(entries: readonly SessionStoreEntry[]): SessionStoreEntry[] {
    return [...this.#pruned(this.#withoutErrorTexts(entries)).entries];
  }

  #withoutErrorTexts(entries: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
    const { dropApiErrors, cutWorkerText } = this.prunePolicy;
    return dropApiErrors ? neutralReports(entries, cutWorkerText) : entries;
  }

  #pruned(entries: readonly SessionStoreEntry[]): Pruned {
    const pruned = prune(entries, this.prunePolicy, this.#texts, this.#healOptions);
    this.pruned = pruned.pruned;
    this.denialsDropped = pruned.denialsDropped;
    this.healed = pruned.healed;
    this.lastReport = { ...this.lastReport, mended: pruned.mended };
    return pruned;
  }

  get #healOptions(): HealOptions {
    const { policy, workspace } = this;
    const placeholder = (path: string, n: number) => policy.placeholder(path, n);
    return { orphans: this.prunePolicy.healOrphans, oversize: { spill: spillFolder(workspace, policy), placeholder } };
  }
}
