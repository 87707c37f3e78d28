import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Mailbox } from '../books/mailbox.js';
import { openDatabase, type RunDatabase } from '../database/database.js';
import { contextOf } from '../store/contextOf.js';
import { parsePayloads } from '../store/parsePayloads.js';

/** Opens the database of a run directory to look into it, and closes it again. Null if there is none, or nothing in it. */
export function lookInto<T>(runDir: string, look: (database: RunDatabase) => T): T | null {
  const path = join(runDir, 'sessions.db');
  if (!existsSync(path)) return null;
  const database = openDatabase(path, { readonly: true });
  try {
    return isEmpty(database) ? null : look(database);
  } finally {
    database.close();
  }
}

/** No flower leaves a database without its tables, except one that was cut off. */
export function isEmpty({ handle }: RunDatabase): boolean {
  return handle.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

/** Tokens of the last context of a session: 0 if they are not known, null if the session is not stored. */
export function storedContext({ handle }: RunDatabase, sessionId: string): number | null {
  const keys = handle.prepare('SELECT store_key FROM meta').pluck().all() as string[];
  const key = keys.find((candidate) => candidate.endsWith(`/${sessionId}`) && !candidate.includes('/subagents/'));
  if (key === undefined) return null;
  const newest = handle.prepare('SELECT payload FROM entries WHERE store_key = ? ORDER BY seq DESC LIMIT 60').pluck();
  return contextOf(parsePayloads(newest.all(key)).reverse());
}

/** How many messages of a person no agent has taken yet. */
export function untakenMail(database: RunDatabase): number {
  const hasBooks = database.handle.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'inbox'").get() !== undefined;
  return hasBooks ? new Mailbox(database, '', () => {}).untaken().length : 0;
}
