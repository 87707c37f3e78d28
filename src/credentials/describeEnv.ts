import { type Locale, text } from '../locale/locale.js';
import { ADDRESS_KEY, KNOWN_KEYS } from './knownKeys.js';

/**
 * The known keys that are set, fit for showing: of a secret the first four characters and the length, of a short one the length
 * alone. The address is always there.
 *
 * @example
 * for (const [key, value] of Object.entries(describeEnv())) console.log(`${key} = ${value}`);
 */
export function describeEnv(
  options: { readonly env?: Readonly<Record<string, string | undefined>>; readonly locale?: Locale } = {},
): Record<string, string> {
  const { env = process.env, locale } = options;
  const shown: Record<string, string> = {};
  for (const key of KNOWN_KEYS) {
    const value = env[key];
    if (key === ADDRESS_KEY) shown[key] = value ? maskAddress(value) : text('dump.default_base', {}, locale);
    else if (value) shown[key] = /TOKEN|KEY/.test(key) ? maskSecret(value, locale) : value;
  }
  return shown;
}

function maskSecret(value: string, locale?: Locale): string {
  const head = value.length > 8 ? value.slice(0, 4) : '';
  return `${head}*** ${text('dump.len', { n: value.length }, locale)}`;
}

/** Hides name and password in an address, also in one that is no valid URL. */
function maskAddress(address: string): string {
  return address.replace(/^((?:[a-z][a-z0-9+.-]*:\/\/)?)[^/]*@/i, '$1***@');
}
