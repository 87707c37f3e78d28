import { blocksOf, callId, type Entry, hasResult, isBoundary, messageKey, resultId, speakerOf } from './entry.js';

/** True if each call is there once and has one result right behind its message, and each result has a call. */
export function isPaired(entries: readonly Entry[]): boolean {
  const called = new Set<string | null>();
  const open = new Set<string | null>();
  let key = '';
  for (const entry of entries) {
    const speaker = speakerOf(entry);
    if (speaker === 'assistant') {
      if (open.size > 0 && key !== messageKey(entry)) return false;
      key = messageKey(entry);
      for (const block of blocksOf(entry)) {
        if (block.type !== 'tool_use') continue;
        const id = callId(block);
        if (called.has(id)) return false;
        called.add(id);
        open.add(id);
      }
    } else if (speaker === 'user' && hasResult(entry)) {
      for (const block of blocksOf(entry)) {
        if (block.type === 'tool_result' && !open.delete(resultId(block))) return false;
      }
    } else if (isBoundary(entry) || (speaker === 'user' && !entry.isMeta)) {
      if (open.size > 0) return false;
      key = '';
    }
  }
  return open.size === 0;
}
