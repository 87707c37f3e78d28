import type { Database } from 'better-sqlite3';

/** The epoch that counts: everything since the last `--new`. */
export function newestEpoch(handle: Database): number {
  return Number(handle.prepare('SELECT coalesce(max(epoch), 0) FROM epochs').pluck().get());
}

/** US dollars spent by the runs of one epoch. */
export function spentIn(handle: Database, epoch: number): number {
  const sum = handle.prepare('SELECT coalesce(sum(cost_usd), 0) FROM steps JOIN runs USING (run) WHERE epoch = ?');
  return Number(sum.pluck().get(epoch));
}

/** Begins the next epoch. The ceiling stays: a person who capped this directory did not lift the cap by starting over. */
export function beginEpoch(handle: Database): void {
  handle
    .prepare(
      `INSERT INTO epochs (epoch, started_at, budget_usd)
       SELECT coalesce(max(epoch), -1) + 1, ?, (SELECT budget_usd FROM epochs ORDER BY epoch DESC LIMIT 1) FROM epochs`,
    )
    .run(Date.now() / 1000);
}

/** Takes over the epoch of another database where it is further on: side questions are paid from the run's account. */
export function followEpoch(handle: Database, epoch: number): void {
  handle.prepare('INSERT OR IGNORE INTO epochs (epoch, started_at) VALUES (?, ?)').run(epoch, Date.now() / 1000);
}
