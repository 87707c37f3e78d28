import type { SessionStore } from '@anthropic-ai/claude-agent-sdk';
import type { HandoffPolicy } from '../agent/handoffPolicy.js';
import type { Locale } from '../locale/locale.js';
import type { EphemeralPolicy } from '../store/ephemeralPolicy.js';
import type { StoreQueries } from '../store/storeQueries.js';
import type { TrimPolicy } from '../store/trimPolicy.js';
import type { Workbench } from '../workbench/workbench.js';
import type { QueryFn } from './attempt.js';
import type { Resilience } from './resilience.js';
import type { Runtime } from './runtime.js';

export interface RuntimeOptions {
  /** Where the agents work; made if it is missing. */
  readonly workspace: string;
  /** Books and sessions, against the current directory. @default 'runs' */
  readonly runDir?: string;
  /** Read no Claude configuration of host or project. @default true */
  readonly portable?: boolean;
  /** Put file pointers in place of large old results in what a resumed session is fed. @default false */
  readonly trim?: TrimPolicy | boolean;
  /** Mark old results of commands that only look as out of date. @default true */
  readonly ephemeral?: EphemeralPolicy | boolean;
  /** Refused calls that a resumed session still sees. @default 1 */
  readonly keepDenials?: number;
  /** `true`: one in `<runDir>/workbench`. @default false */
  readonly workbench?: Workbench | boolean;
  /** Characters from which a tool result is put into a file; null switches that off. @default 4000 */
  readonly spillThreshold?: number | null;
  /** Wait and try again where that can help. @default true */
  readonly resilience?: Resilience | boolean;
  /** Hand over to a fresh session when the context is nearly full. @default true */
  readonly handoff?: HandoffPolicy | boolean;
  /**
   * US dollars for everything that is done in this run directory since it was begun, by any process. Kept with the books: the
   * ceiling holds without the option too, and a new value replaces it.
   * @default null: what the books hold
   */
  readonly maxBudgetUsd?: number | null;
  /** Seconds that an interrupt waits for a boundary before it cuts the turn; 0 is not at all. @default 10 */
  readonly interruptGraceS?: number;
  /** The Runtime whose account this one draws on too: that of the run beside which a side question is asked. @default null */
  readonly parent?: Runtime | null;
  /** Language of files and model texts. @default the active locale */
  readonly locale?: Locale;
  /** Where the transcripts are kept. @default SQLite in `<runDir>/sessions.db` */
  readonly store?: SessionStore & StoreQueries;
  /**
   * Credentials, address and models in place of those that environment and files hold: nothing is looked up then.
   * @default looked up, see `loadDotenv`
   */
  readonly settings?: Readonly<Record<string, string>> | null;
  /** The SDK's `query`, or something that stands in for it. */
  readonly query?: QueryFn;
}
