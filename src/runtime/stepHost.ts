import type { HandoffPolicy } from '../agent/handoffPolicy.js';
import type { Books } from '../books/books.js';
import type { Locale } from '../locale/locale.js';
import type { PruningSessionStore } from '../store/pruningSessionStore.js';
import type { Workbench } from '../workbench/workbench.js';
import type { Account } from './account.js';
import type { QueryFn } from './attempt.js';
import type { HarnessProcesses } from './harnessProcess.js';
import type { Resilience } from './resilience.js';

/** What a Runtime gives each of its steps. */
export interface StepHost {
  readonly workspace: string;
  readonly runDir: string;
  readonly runId: string;
  readonly projectKey: string;
  readonly portable: boolean;
  readonly locale: Locale;
  readonly workbench: Workbench | null;
  readonly spillThreshold: number | null;
  readonly interruptGraceS: number;
  readonly store: PruningSessionStore;
  readonly books: Books;
  readonly account: Account;
  readonly handoff: HandoffPolicy;
  readonly resilience: Resilience;
  readonly processes: HarnessProcesses;
  readonly query: QueryFn;
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Unix seconds at which this process began. */
  readonly startedAt: number;
  noteSession(sessionId: string): void;
  /** Books all steps as they stand, so that a kill loses no more than what was spent since. */
  book(): void;
  /** Books until when a usage limit is waited for, unix seconds; null: no more. */
  noteLimit(until: number | null): void;
  /** Until when a process before this one waited for a usage limit, unix seconds; given once, then this run's own. 0: none did. */
  takeEarlierLimit(): number;
  /** The process is about to end: no further query is worth its money. */
  isEnding(): boolean;
  /** Tells once that another model answers than was asked for; null if there is nothing to tell. */
  modelNotice(served: string): { text: string; want: string } | null;
}
