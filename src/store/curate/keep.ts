import { blocksOf, type Entry, isBlank, isBoundary, isObject, messageKey, messageOf } from './entry.js';
import { isApiError } from './recognise.js';
import { isEmpty } from './tidy.js';

/** Uuids that a compaction still needs: what it keeps word for word although it stands before the boundary. */
export function preservedUuids(entries: readonly Entry[]): ReadonlySet<unknown> {
  const preserved = new Set<unknown>();
  for (const entry of entries) {
    if (!isBoundary(entry) || !isObject(entry.compactMetadata)) continue;
    const { preservedMessages, preservedSegment } = entry.compactMetadata;
    if (isObject(preservedSegment)) for (const uuid of Object.values(preservedSegment)) preserved.add(uuid);
    if (!isObject(preservedMessages)) continue;
    for (const list of [preservedMessages.uuids, preservedMessages.allUuids]) {
      if (Array.isArray(list)) for (const uuid of list) preserved.add(uuid);
    }
  }
  return preserved;
}

/** The first thing that was asked for: never taken out. */
export function firstPrompt(entries: readonly Entry[]): Entry | undefined {
  return entries.find((entry) => entry.type === 'user' && hasWords(entry));
}

/** `messageKey` of the newest message of a real model: its signed thinking goes out as it came, so nothing of it is taken out. */
export function lastMessageKey(entries: readonly Entry[]): string | null {
  const last = entries.findLast((entry) => entry.type === 'assistant' && says(entry) && !isApiError(entry));
  return last ? messageKey(last) : null;
}

/** An entry that says nothing does not stay, and so is not the newest. */
function says(entry: Entry): boolean {
  const message = messageOf(entry);
  if (!message) return false;
  return Array.isArray(message.content) ? blocksOf(entry).some((block) => !isEmpty(block)) : !isBlank(message.content);
}

function hasWords(entry: Entry): boolean {
  const content = messageOf(entry)?.content;
  if (!Array.isArray(content)) return !isBlank(content);
  return blocksOf(entry).some(
    (block) => block.type !== 'tool_result' && (block.type !== 'text' || !isBlank(block.text)),
  );
}
