import { type Entry, isBoundary, isInChain, messageOf, uuidOf } from './entry.js';
import { isPaired } from './isPaired.js';
import { hasSoundParent } from './mendParents.js';
import { isTidy } from './tidy.js';

/**
 * True if there is nothing to mend in a history, as nearly always: one look in place of all the stages, and of a check of what they
 * did. It may say false of a list that `heal` would leave as it is, never true of one that it would change.
 */
export function isSound(entries: readonly Entry[]): boolean {
  return entries.every(isTidy) && isChained(entries) && isPaired(entries);
}

/** True if each message has a uuid of its own and a sound parent, and words to the model stand first, also behind a compaction. */
function isChained(entries: readonly Entry[]): boolean {
  const earlier = new Set<string>();
  let previous: string | null = null;
  let isBegun = false;
  for (const entry of entries) {
    // Also one that has lost its uuid.
    if (isBoundary(entry)) isBegun = false;
    const uuid = uuidOf(entry);
    const isMessage = messageOf(entry) !== null;
    if (uuid === null) {
      if (isMessage) return false;
      continue;
    }
    if (earlier.has(uuid)) return false;
    if (isMessage && !isBegun && entry.type === 'assistant') return false;
    isBegun ||= isMessage;
    if (isInChain(entry)) {
      if (!hasSoundParent(entry, earlier, previous)) return false;
      previous = uuid;
    }
    earlier.add(uuid);
  }
  return true;
}
