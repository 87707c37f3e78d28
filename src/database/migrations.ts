import { reach } from '../durableWrites.js';
import type { Locale } from '../locale/locale.js';
import type { RunDatabase } from './database.js';
import { databaseFault, newerFault } from './faults.js';
import { newestSchema, schemaSteps } from './schema.js';

/** What a step of the schema fills in besides its tables, by the number that it leads to. */
export type MigrationFill = Readonly<Record<number, () => void>>;

/**
 * Brings a database to the newest schema. Every step is one exclusive transaction together with its `fill`: another process that
 * does the same at the same time waits and then finds it done, and a kill in between leaves the step before.
 *
 * @throws FlowerError `database_newer` for a number that is not known here.
 *
 * @example
 * migrate(database, { 1: () => importOlderBooks(database.handle, runDir) });
 */
export function migrate(database: RunDatabase, fill: MigrationFill = {}, locale?: Locale): void {
  const { handle, path } = database;
  const usualTimeoutMs = handle.pragma('busy_timeout', { simple: true });
  try {
    handle.pragma(`busy_timeout = ${migrationTimeoutMs}`);
    while (schemaNumber(database) !== newestSchema) {
      handle.transaction(() => takeStep(database, fill, locale)).exclusive();
      reach('database.schema:after');
    }
  } catch (error) {
    throw databaseFault(error, path, locale) ?? error;
  } finally {
    handle.pragma(`busy_timeout = ${usualTimeoutMs}`);
  }
}

const migrationTimeoutMs = 10_000;

function takeStep(database: RunDatabase, fill: MigrationFill, locale: Locale | undefined): void {
  const next = schemaNumber(database) + 1;
  if (next > newestSchema + 1) throw newerFault(database.path, next - 1, newestSchema, locale);
  const statements = schemaSteps[next];
  if (statements === undefined) return;
  database.handle.exec(statements);
  fill[next]?.();
  database.handle.pragma(`user_version = ${next}`);
  reach('database.schema:before');
}

function schemaNumber(database: RunDatabase): number {
  return Number(database.handle.pragma('user_version', { simple: true }));
}
