import {
  blocksOf,
  type Entry,
  isBlank,
  isBoundary,
  isThinking,
  messageKey,
  messageOf,
  nameOf,
  uuidOf,
} from './entry.js';
import { firstPrompt, lastMessageKey, preservedUuids } from './keep.js';
import { isDerived } from './madeUp.js';
import { isWellFormed } from './wellFormed.js';

/** Says what is gone or changed of `input` that must not be, one line each. */
export function keptFaults(entries: readonly Entry[], input: readonly Entry[]): string[] {
  const faults: string[] = [];
  const changed = changedEntries(entries, input);
  const left = new Map(entries.filter((entry) => changed.has(uuidOf(entry))).map((entry) => [uuidOf(entry), entry]));
  const preserved = preservedUuids(input);
  const first = firstPrompt(input);
  const lastKey = lastMessageKey(input);
  for (const [uuid, entry] of changed) {
    const kept = left.get(uuid);
    const isHistory = entry === first || entry.isCompactSummary || preserved.has(uuid) || isBoundary(entry);
    if (!kept && (isHistory || entry.type === 'attachment') && hasContent(entry)) faults.push(`${nameOf(entry)}: gone`);
    const isLast = entry.type === 'assistant' && messageKey(entry) === lastKey;
    if (entry.type !== 'assistant' || sameThinking(entry, kept, isLast)) continue;
    // A second copy of its uuid may have gone, while the first one is here as it was.
    if (!kept || !input.includes(kept)) faults.push(`${nameOf(entry)}: thinking changed`);
  }
  const cost = input.findLast((entry) => entry.type === 'cost-state');
  if (cost && JSON.stringify(entries.findLast((entry) => entry.type === 'cost-state')) !== JSON.stringify(cost)) {
    faults.push('the last cost-state: gone');
  }
  return faults;
}

/** Entries of the input that may not be in the output as the same object, by uuid. */
function changedEntries(entries: readonly Entry[], input: readonly Entry[]): ReadonlyMap<string | null, Entry> {
  const changed = new Map<string | null, Entry>();
  let at = 0;
  for (const entry of input) {
    while (entries[at] !== entry && entries[at] && isDerived(entries[at] as Entry)) at += 1;
    const other = entries[at];
    const uuid = uuidOf(entry);
    if (other === entry || (other && uuid !== null && uuidOf(other) === uuid)) at += 1;
    if (other !== entry && uuid !== null && !changed.has(uuid)) changed.set(uuid, entry);
  }
  return changed;
}

/** Signed thinking stays as long as its entry does, byte for byte; only what cannot be sent goes. That of the last message stays anyway. */
function sameThinking(entry: Entry, kept: Entry | undefined, isLast: boolean): boolean {
  const sendable = blocksOf(entry).filter((block) => isThinking(block) && isWellFormed(block));
  if (!kept) return !isLast || sendable.length === 0;
  return JSON.stringify(sendable) === JSON.stringify(blocksOf(kept).filter(isThinking));
}

function hasContent(entry: Entry): boolean {
  const content = messageOf(entry)?.content;
  return (
    !messageOf(entry) ||
    !isBlank(content) ||
    blocksOf(entry).some((block) => block.type !== 'text' || !isBlank(block.text))
  );
}
