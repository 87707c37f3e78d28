import type { SessionKey } from '@anthropic-ai/claude-agent-sdk';

/** The key as one string, as it is stored: `<project>/<session>` or `<project>/<session>/<subpath>`. */
export function storeKey(key: SessionKey): string {
  const main = `${key.projectKey}/${key.sessionId}`;
  return key.subpath === undefined ? main : `${main}/${key.subpath}`;
}

/**
 * Bounds of all stored keys that begin with `prefix`, for `key >= from AND key < to`: compared literally and by the index, where a
 * LIKE pattern would take `_` and `%` of a path for wildcards. `prefix` ends with a slash; `0` is the character after it.
 */
export function keysBelow(prefix: string): { readonly from: string; readonly to: string } {
  return { from: prefix, to: `${prefix.slice(0, -1)}0` };
}
