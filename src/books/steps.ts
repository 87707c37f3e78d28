import type { Database } from 'better-sqlite3';

/**
 * Adds rows of the manifest to a run, in this order. The columns are for queries; the row itself is kept as JSON, documented keys
 * first and all others behind them.
 */
export function insertSteps(handle: Database, run: string, rows: readonly object[]): void {
  const insert = handle.prepare(
    `INSERT INTO steps (run, position, step, session_id, ok, cost_usd, started_at, ended_at, row)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const [position, given] of rows.entries()) {
    const row: Readonly<Record<string, unknown>> = { ...given };
    insert.run(
      run,
      position,
      typeof row.step === 'string' ? row.step : '',
      typeof row.session_id === 'string' ? row.session_id : null,
      row.ok === true ? 1 : 0,
      money(row.cost_usd),
      seconds(row.started_at),
      seconds(row.ended_at),
      JSON.stringify(inOrder(row)),
    );
  }
}

const keyOrder = [
  'step',
  'session_id',
  'ok',
  'cost_usd',
  'num_turns',
  'text',
  'error',
  'started_at',
  'ended_at',
  'attempts',
  'errors',
  'resumed',
  'retired',
  'context',
  'duration_s',
  'run',
  'cost_estimated',
  'hand_in',
];

function inOrder(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = keyOrder.filter((key) => key in row).map((key) => [key, row[key]]);
  return { ...Object.fromEntries(known), ...row };
}

/** What is no amount, or a negative one, never lowers a sum. */
function money(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}

function seconds(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
