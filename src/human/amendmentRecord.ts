import { amendmentsOf, amendmentText } from '../documents/amendments.js';
import { readDocument } from '../documents/documentFile.js';
import type { Mailbox } from './mail.js';

/**
 * What a person has added to a file, apart from the file: an amendment that is only in there was written by somebody else. What the
 * file held when nobody kept a record counts as a person's.
 */
export class AmendmentRecord {
  readonly path: string;
  #earlier: readonly string[];
  #own: string[] = [];

  constructor(path: string) {
    this.path = path;
    this.#earlier = amendmentsIn(path);
  }

  /** Oldest first, as the file holds them. */
  get all(): readonly string[] {
    return [...this.#earlier, ...this.#own];
  }

  /** To be called before the file is written: what a kill in between leaves out there is told from here. */
  add(amendment: string, mailbox: Mailbox | null): void {
    this.#own.push(...amendmentsOf(amendment).map(amendmentText));
    mailbox?.saveAmendments(this.path, this.all);
  }

  /** The file could not be written after all. */
  takeBack(mailbox: Mailbox | null): void {
    this.#own.pop();
    mailbox?.saveAmendments(this.path, this.all);
  }

  /** Puts what was kept over a restart in place of what the file says, and keeps what was added since. */
  joinWith(mailbox: Mailbox): void {
    const kept = mailbox.amendments(this.path);
    if (kept) {
      this.#earlier = kept;
      this.#own = this.#own.filter((amendment) => !kept.includes(amendment));
    }
    mailbox.saveAmendments(this.path, this.all);
  }
}

function amendmentsIn(path: string): string[] {
  return amendmentsOf(readDocument(path)?.text ?? '').map(amendmentText);
}
