import { Event } from '../events/event.js';

/**
 * Where the words of a mail are kept beside the inbox: added to a frozen brief (`appended`), written where the brief will be
 * (`until_frozen`), nowhere because no file was named (`no_brief`) or because writing went wrong (`failed`).
 */
export type MailKept = 'appended' | 'until_frozen' | 'no_brief' | 'failed';

/** What a Mail is made from. */
export type MailInit = Pick<Mail, 'id' | 'text'> & Partial<Pick<Mail, 'sentAt' | 'taken' | 'workers' | 'kept' | 'why'>>;

/**
 * Something that a person says to a run unasked. It waits in the inbox until the main thread has it.
 *
 * @example
 * const mail = channel.send('the port must be 8081');
 * if (mail && !mail.amended) warn('kept in memory only');
 */
export class Mail {
  id: string;
  text: string;
  /** Seconds since 1970. */
  sentAt: number;
  /** True once the main thread has it. */
  taken: boolean;
  /** Urgent: running workers get it too. */
  workers: boolean;
  kept: MailKept;
  /** Why writing went wrong, in the words of the system; null unless `kept` is `failed`. */
  why: string | null;

  constructor(init: MailInit) {
    this.id = init.id;
    this.text = init.text;
    this.sentAt = init.sentAt ?? Date.now() / 1000;
    this.taken = init.taken ?? false;
    this.workers = init.workers ?? false;
    this.kept = init.kept ?? 'no_brief';
    this.why = init.why ?? null;
  }

  /** True if the words are in a file that later steps read. */
  get amended(): boolean {
    return this.kept === 'appended' || this.kept === 'until_frozen';
  }

  /** The mail as an event; `path` is the file that holds the words if it is `amended`. */
  event(state: 'queued' | 'delivered', path: string | null): Event {
    return new Event('ask', {
      text: this.text,
      raw: this,
      payload: {
        kind: 'mail',
        state,
        id: this.id,
        amended: this.amended ? (path ?? '') : '',
        kept: this.kept,
        ...(this.why !== null && { why: this.why }),
        workers: this.workers,
      },
    });
  }
}

/** Where what a person said outlives the process: the run's database. */
export interface Mailbox {
  /** Mail that the main thread does not have yet, oldest first. */
  untaken(): readonly MailInit[];
  /** Stores a mail, or its present state. */
  save(mail: Mail): void;
  /** The number in the largest id ever stored, 0 if there is none. */
  lastId(): number;
  /** What flower has added to this brief since the last `--new`, oldest first; null if nobody has kept that. */
  amendments(path: string): readonly string[] | null;
  saveAmendments(path: string, amendments: readonly string[]): void;
}
