import { type Locale, text } from '../locale/locale.js';
import { CREDENTIAL_KEYS } from './knownKeys.js';
import { userEnvPath } from './userEnvPath.js';

/**
 * Null if there is something to pay with, else a text of four lines that says what is missing and where it can be put.
 *
 * @example
 * const missing = checkCredentials();
 * if (missing) throw new Error(missing);
 */
export function checkCredentials(
  options: { readonly env?: Readonly<Record<string, string | undefined>>; readonly locale?: Locale } = {},
): string | null {
  const { env = process.env, locale } = options;
  if (CREDENTIAL_KEYS.some((key) => env[key])) return null;
  return [
    text('cred.missing.1', {}, locale),
    text('cred.missing.2', { path: userEnvPath({ env }) }, locale),
    text('cred.missing.3', {}, locale),
    text('cred.missing.4', {}, locale),
  ].join('\n');
}
