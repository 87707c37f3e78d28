/**
 * The steps of the schema, by number. Step 0 is the form of earlier flower; each later one only adds tables, columns with a
 * default and indexes, so that an older program still reads the file.
 */
export const schemaSteps: readonly string[] = [
  `
  CREATE TABLE IF NOT EXISTS entries (
    store_key TEXT NOT NULL, seq INTEGER NOT NULL, uid TEXT, payload TEXT NOT NULL,
    PRIMARY KEY (store_key, seq)
  );
  CREATE UNIQUE INDEX IF NOT EXISTS entries_uid ON entries (store_key, uid) WHERE uid IS NOT NULL;
  CREATE TABLE IF NOT EXISTS meta (
    store_key TEXT PRIMARY KEY, mtime INTEGER NOT NULL, next_seq INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS summaries (
    project_key TEXT NOT NULL, session_id TEXT NOT NULL, mtime INTEGER NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (project_key, session_id)
  );
  `,
  `
  CREATE TABLE epochs (epoch INTEGER PRIMARY KEY, started_at REAL NOT NULL, budget_usd REAL);
  CREATE TABLE runs (
    run TEXT PRIMARY KEY, epoch INTEGER NOT NULL, started_at REAL NOT NULL, ended_at REAL,
    ended TEXT, claimed INTEGER, verified TEXT, reason TEXT, limit_until REAL
  );
  CREATE TABLE steps (
    run TEXT NOT NULL, position INTEGER NOT NULL, step TEXT NOT NULL, session_id TEXT, ok INTEGER NOT NULL,
    cost_usd REAL NOT NULL, started_at REAL NOT NULL, ended_at REAL NOT NULL, row TEXT NOT NULL,
    PRIMARY KEY (run, position)
  );
  CREATE TABLE lineage (
    workspace TEXT NOT NULL, step TEXT NOT NULL, session_id TEXT NOT NULL, set_at REAL NOT NULL,
    PRIMARY KEY (workspace, step)
  );
  CREATE TABLE wakes (workspace TEXT PRIMARY KEY, woke INTEGER NOT NULL);
  CREATE TABLE inbox (
    id TEXT PRIMARY KEY, run TEXT NOT NULL, text TEXT NOT NULL, sent_at REAL NOT NULL,
    workers INTEGER NOT NULL, kept TEXT NOT NULL, taken_at REAL
  );
  CREATE TABLE events (
    run TEXT NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL, step TEXT NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL, tool TEXT NOT NULL, payload TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  );
  CREATE TABLE repairs (store_key TEXT PRIMARY KEY, since REAL NOT NULL, transcript TEXT);
  `,
  `
  CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  `,
];

/** The highest schema number that this program knows. */
export const newestSchema = schemaSteps.length - 1;
