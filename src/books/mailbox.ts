import type { RunDatabase } from '../database/database.js';
import type { StoredMail } from './types.js';

/**
 * The inbox of a run directory: words of a person outlast the process that they were said to.
 *
 * @example
 * const mailbox = books.mailbox(runId);
 * for (const mail of mailbox.untaken()) mailbox.save({ ...mail, taken: true });
 */
export class Mailbox {
  readonly #database: RunDatabase;
  readonly #run: string;
  readonly #enterRun: () => void;

  /** `enterRun` makes sure, inside the transaction of a write, that the run is in the books. */
  constructor(database: RunDatabase, run: string, enterRun: () => void) {
    this.#database = database;
    this.#run = run;
    this.#enterRun = enterRun;
  }

  /** Mail that nobody took yet, of any run since the last `--new`, oldest first. */
  untaken(): StoredMail[] {
    const rows = this.#database.handle
      .prepare(
        `SELECT id, text, sent_at, workers, kept FROM inbox JOIN runs USING (run)
         WHERE taken_at IS NULL AND epoch = (SELECT max(epoch) FROM epochs) ORDER BY sent_at, inbox.rowid`,
      )
      .all() as { id: string; text: string; sent_at: number; workers: number; kept: StoredMail['kept'] }[];
    return rows.map(({ id, text, sent_at, workers, kept }) => ({
      id,
      text,
      sentAt: sent_at,
      taken: false,
      workers: workers === 1,
      kept,
    }));
  }

  /** Adds mail or brings it up to date; taken mail stays taken. */
  save(mail: StoredMail): void {
    this.#database.transaction(() => {
      this.#enterRun();
      this.#database.handle
        .prepare(
          `INSERT INTO inbox (id, run, text, sent_at, workers, kept, taken_at) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET text = excluded.text, workers = excluded.workers, kept = excluded.kept,
             taken_at = coalesce(taken_at, excluded.taken_at)`,
        )
        .run(
          mail.id,
          this.#run,
          mail.text,
          mail.sentAt,
          mail.workers ? 1 : 0,
          mail.kept,
          mail.taken ? Date.now() / 1000 : null,
        );
    }, 'books.mail');
  }

  /** What was added to this brief since the last `--new`, oldest first; null if nobody has kept that. */
  amendments(path: string): string[] | null {
    const kept = this.#database.handle
      .prepare('SELECT value FROM kept WHERE name = ? || (SELECT max(epoch) FROM epochs)')
      .pluck()
      .get(amendmentsName(path));
    return kept === undefined ? null : (JSON.parse(String(kept)) as string[]);
  }

  saveAmendments(path: string, amendments: readonly string[]): void {
    this.#database.transaction(() => {
      this.#database.handle
        .prepare(
          `INSERT INTO kept (name, value) VALUES (? || (SELECT max(epoch) FROM epochs), ?)
           ON CONFLICT DO UPDATE SET value = excluded.value`,
        )
        .run(amendmentsName(path), JSON.stringify(amendments));
    }, 'books.kept');
  }

  /** The largest number among the ids ever used (`m12` gives 12), 0 for none. */
  lastId(): number {
    const ids = this.#database.handle.prepare('SELECT id FROM inbox').pluck().all();
    return largestNumber(ids.map(String));
  }
}

/** The largest number that one of these ids ends with, 0 for none. */
export function largestNumber(ids: readonly string[]): number {
  return Math.max(0, ...ids.map((id) => Number(/\d+$/.exec(id)?.[0] ?? 0)));
}

/** The epoch comes behind it: a brief that went into the archive takes its amendments along. */
function amendmentsName(path: string): string {
  return `amendments ${path} `;
}
