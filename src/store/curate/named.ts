import { blocksOf, callId, type Entry, mapEntries, messageOf, resultId } from './entry.js';
import { derivedUuid } from './madeUp.js';

/**
 * Gives messages without a uuid one, since only what has one is in the chain and reaches the model. It is derived from what no
 * later stage changes, so that it is the same at every load.
 */
export function named(entries: readonly Entry[]): readonly Entry[] {
  const times = new Map<string, number>();
  return mapEntries(entries, (entry) => {
    const message = messageOf(entry);
    if (!message || typeof entry.uuid === 'string') return entry;
    const ids = blocksOf(entry).map((block) => callId(block) ?? resultId(block));
    const told = ids.some((id) => id !== null) ? ids : message.content;
    const content = JSON.stringify([entry.type, entry.parentUuid, entry.timestamp, told]);
    const n = times.get(content) ?? 0;
    times.set(content, n + 1);
    return { ...entry, uuid: derivedUuid('named', content, String(n)) };
  });
}
