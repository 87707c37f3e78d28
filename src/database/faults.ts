import { FlowerError } from '../errors.js';
import { type Locale, text } from '../locale/locale.js';

/**
 * What is wrong with a database file, as the `code` of a FlowerError: damaged; held by another program; not writable; disk full;
 * written by a newer flower; cannot be opened or reached at all.
 */
type DatabaseFaultCode =
  | 'database_corrupt'
  | 'database_locked'
  | 'database_readonly'
  | 'database_full'
  | 'database_newer'
  | 'database_unavailable';

/**
 * Turns an error of SQLite or of the file system into a FlowerError that says what it means for the run. Null for any other
 * error: a mistake in a statement is a bug and stays what it is. A FlowerError comes back as it is.
 *
 * @example
 * const fault = databaseFault(error, '/home/ann/app/runs/sessions.db');
 * if (fault?.code === 'database_full') keepInMemory();
 */
export function databaseFault(error: unknown, path: string, locale?: Locale): FlowerError | null {
  if (FlowerError.isInstance(error)) return error;
  const code = faultCode(error);
  if (!code) return null;
  return new FlowerError(code, faultMessage(code, path, reason(error), locale), { cause: error });
}

/** The refusal of a file whose schema number is higher than the ones known here. */
export function newerFault(path: string, found: number, known: number, locale?: Locale): FlowerError {
  return new FlowerError('database_newer', text('store.newer', { path, found, known }, locale));
}

/** The refusal of a file system that can do neither of SQLite's two journals. */
export function noLocksFault(error: unknown, path: string, locale?: Locale): FlowerError {
  const message = text('database.noLocks', { path, why: reason(error) }, locale);
  return new FlowerError('database_unavailable', message, { cause: error });
}

const codes: readonly [RegExp, DatabaseFaultCode][] = [
  [/^SQLITE_READONLY_DBMOVED$/, 'database_unavailable'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'database_corrupt'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'database_locked'],
  [/^(SQLITE_(READONLY|PERM)|EROFS$)/, 'database_readonly'],
  [/^(SQLITE_FULL|ENOSPC$|EDQUOT$)/, 'database_full'],
  [
    /^(SQLITE_(CANTOPEN|IOERR|NOLFS)|E(ACCES|PERM|NOENT|NOTDIR|ISDIR|IO|LOOP|NAMETOOLONG|EXIST|MFILE|NFILE)$)/,
    'database_unavailable',
  ],
];

function faultCode(error: unknown): Exclude<DatabaseFaultCode, 'database_newer'> | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const found = codes.find(([pattern]) => pattern.test(code))?.[1];
  return found && found !== 'database_newer' ? found : null;
}

function faultMessage(
  code: Exclude<DatabaseFaultCode, 'database_newer'>,
  path: string,
  why: string,
  locale: Locale | undefined,
): string {
  switch (code) {
    case 'database_corrupt':
      return text('database.corrupt', { path, why }, locale);
    case 'database_locked':
      return text('database.locked', { path }, locale);
    case 'database_readonly':
      return text('database.readonly', { path, why }, locale);
    case 'database_full':
      return text('database.full', { path }, locale);
    case 'database_unavailable':
      return text('database.unavailable', { path, why }, locale);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
