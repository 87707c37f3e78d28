/**
 * Whether an error text says that a credential was refused. A number counts only where it stands alone: 401 in an amount or a
 * line number says nothing.
 *
 * @example
 * isCredentialFailure('API Error: 401 invalid x-api-key'); // true
 */
export function isCredentialFailure(error: string): boolean {
  return /\b401\b|invalid[_ ]?api[_ ]?key|authentication|unauthorized|无效.*(?:key|token|密钥)/i.test(error);
}
