import type { Event } from '../events/event.js';
import type { Locale } from '../locale/locale.js';
import type { AskFrom } from './ask.js';
import type { Mailbox } from './mail.js';
import type { Timers } from './wait.js';

/** Options of a HumanChannel. */
export interface HumanChannelOptions {
  /** Told of every question and mail, at once and synchronously. What it throws is kept in `uiErrors`. @default null */
  readonly onEvent?: ((event: Event) => void) | null;
  /** How many questions may be asked: null = any number, 0 = none. @default null */
  readonly maxAsks?: number | null;
  /**
   * Seconds that a question waits for a person: null = for ever, 0 or less = not at all. Time in which the machine sleeps does
   * not count. A question that a dead process left open is asked anew by its asker, and its time begins anew. @default 1800
   */
  readonly timeoutS?: number | null;
  /** File that every settled question and delivered mail is appended to, for the record. @default null */
  readonly logPath?: string | null;
  /** File, usually the brief, that what a person says is appended to, so that later steps read it. @default null */
  readonly amendPath?: string | null;
  /** Where mail outlives the process. Without one it lives in memory. @default null */
  readonly mailbox?: Mailbox | null;
  /** What the asker gets when no question is left. @default the locale's text */
  readonly overBudgetText?: string;
  /** What the asker gets when nobody answered. @default the locale's text */
  readonly timeoutText?: string;
  /** What the asker gets when the person skipped the question. @default the locale's text */
  readonly declinedText?: string;
  /** Language of the texts and of the file entries. @default the active locale */
  readonly locale?: Locale;
  /** Clock of the time limits, for tests. @default globalThis */
  readonly timers?: Timers;
}

/** Options of one question. */
export interface AskOptions {
  /** Ends the waiting: the promise is rejected with its reason, the question is `interrupted`. */
  readonly signal?: AbortSignal;
  /** A question of the framework: allowed whatever the quota says, and not counted. @default false */
  readonly exempt?: boolean;
  /** Seconds that this question waits, with the meanings of the channel's `timeoutS`. @default the channel's */
  readonly timeoutS?: number | null;
  /** What the asker goes by if nobody answers. It is named in the reply and counts as no answer. @default none */
  readonly default?: string;
  /** Who asks. @default null */
  readonly from?: AskFrom;
}

/** Options of the server that `mcpServers` makes. */
export interface HumanServerOptions {
  /** The role whose server it is; its questions carry it. */
  readonly from?: AskFrom;
  /** Whether the model may look into the inbox. @default true */
  readonly inbox?: boolean;
}
