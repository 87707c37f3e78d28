import {
  blocksOf,
  callId,
  type Entry,
  isBlank,
  isBlock,
  isBoundary,
  isInChain,
  isThinking,
  messageKey,
  messageOf,
  resultId,
  speakerOf,
  uuidOf,
} from './entry.js';
import { firstPrompt, lastMessageKey, preservedUuids } from './keep.js';
import { base64Of, maxBase64 } from './tidy.js';
import { isWellFormed } from './wellFormed.js';

/**
 * Says what is wrong with a history: would the service accept the request that the program makes of it, and can the program walk
 * it from the leaf to the beginning? One line a fault, none if it is sound. With `input`, the list that it was made from, also
 * whether something is gone or changed that must not be.
 *
 * @example
 * const faults = validate(curated, loaded);
 */
export function validate(entries: readonly Entry[], input?: readonly Entry[]): string[] {
  return [
    ...contentFaults(entries),
    ...pairingFaults(entries),
    ...chainFaults(entries),
    ...(input ? keptFaults(entries, input) : []),
  ];
}

function contentFaults(entries: readonly Entry[]): string[] {
  const faults: string[] = [];
  for (const entry of entries) {
    const say = (fault: string) => faults.push(`${nameOf(entry)}: ${fault}`);
    if (entry.type === 'attachment' && !isWellFormed(entry.rendered)) say('half a surrogate pair');
    const message = messageOf(entry);
    if (!message) continue;
    const { content } = message;
    if (Array.isArray(content) ? content.length === 0 : isBlank(content)) say('no content');
    if (!isWellFormed(message)) say('half a surrogate pair');
    if (Array.isArray(content)) for (const block of content) blockFaults(block, say);
  }
  return faults;
}

function blockFaults(block: unknown, say: (fault: string) => void): void {
  if (!isBlock(block)) {
    say('a piece of content that is no block');
    return;
  }
  if (block.type === 'text' && isBlank(block.text)) say('blank text');
  if ((base64Of(block)?.length ?? 0) > maxBase64) say('an image or document that is too large');
  if (block.type === 'tool_result' && Array.isArray(block.content)) {
    for (const part of block.content) blockFaults(part, say);
  }
}

/** One message of the request: what the program makes of neighbours of one role, and of all entries of one API message. */
interface RequestMessage {
  readonly role: 'user' | 'assistant' | 'compaction';
  readonly key: string;
  readonly calls: string[];
  readonly results: string[];
  /** Words that no result may follow: the service wants results first. */
  hasWords: boolean;
  wordsFirst: boolean;
}

function pairingFaults(entries: readonly Entry[]): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  const messages = requestMessages(entries);
  messages.forEach((message, i) => {
    const isFirst = i === 0 || messages[i - 1]?.role === 'compaction';
    if (isFirst && message.role === 'assistant') faults.push(`message ${message.key}: no words before it`);
    const answered = messages[i + 1]?.results ?? [];
    for (const id of message.calls) {
      if (seen.has(id)) faults.push(`call ${id}: there are two of it`);
      seen.add(id);
      const count = answered.filter((other) => other === id).length;
      if (count !== 1) faults.push(`call ${id}: ${count} results in the next message`);
    }
    const called = new Set(messages[i - 1]?.calls);
    for (const id of message.results) {
      if (!called.has(id)) faults.push(`result of ${id}: its call is not in the message before`);
    }
    if (message.wordsFirst) faults.push(`result of ${message.results.at(-1)}: words stand before it`);
  });
  return faults;
}

function requestMessages(entries: readonly Entry[]): readonly RequestMessage[] {
  const messages: RequestMessage[] = [];
  const open = (role: RequestMessage['role'], key: string) => {
    const message = { role, key, calls: [], results: [], hasWords: false, wordsFirst: false };
    messages.push(message);
    return message;
  };
  for (const entry of entries) {
    if (isBoundary(entry)) open('compaction', '');
    const last = messages.at(-1);
    const speaker = speakerOf(entry);
    if (speaker === 'assistant') {
      const key = messageKey(entry);
      const begun = last?.role === 'user' && !last.hasWords ? messages.at(-2) : last;
      const message = begun?.role === 'assistant' && begun.key === key ? begun : open('assistant', key);
      message.calls.push(
        ...blocksOf(entry)
          .map(callId)
          .filter((id) => id !== null),
      );
    } else if (speaker === 'user') {
      const message = last?.role === 'user' ? last : open('user', '');
      const results = blocksOf(entry).filter((block) => block.type === 'tool_result');
      message.results.push(...results.map((block) => resultId(block) ?? ''));
      if (results.length > 0) message.wordsFirst ||= message.hasWords;
      else if (!entry.isMeta) message.hasWords = true;
    }
  }
  return messages;
}

function chainFaults(entries: readonly Entry[]): string[] {
  const faults: string[] = [];
  const earlier = new Set<unknown>();
  let hasRoot = false;
  for (const entry of entries) {
    const uuid = uuidOf(entry);
    if (uuid === null) continue;
    if (earlier.has(uuid)) faults.push(`${nameOf(entry)}: there are two of it`);
    if (isInChain(entry)) {
      const { parentUuid } = entry;
      const isRoot = parentUuid === null || parentUuid === undefined;
      if (isRoot && hasRoot && !isBoundary(entry)) faults.push(`${nameOf(entry)}: a second beginning`);
      if (!isRoot && !earlier.has(parentUuid)) faults.push(`${nameOf(entry)}: its parent does not stand before it`);
      hasRoot = true;
    }
    earlier.add(uuid);
  }
  return faults;
}

function keptFaults(entries: readonly Entry[], input: readonly Entry[]): string[] {
  const faults: string[] = [];
  const output = new Map(entries.map((entry) => [uuidOf(entry), entry]));
  const preserved = preservedUuids(input);
  const first = firstPrompt(input);
  const lastKey = lastMessageKey(input);
  const seen = new Set<string>();
  for (const entry of input) {
    const uuid = uuidOf(entry);
    if (uuid === null || seen.has(uuid)) continue;
    seen.add(uuid);
    const kept = output.get(uuid);
    if (kept === entry) continue;
    const isHistory = entry === first || entry.isCompactSummary || preserved.has(uuid) || isBoundary(entry);
    if (!kept && (isHistory || entry.type === 'attachment') && hasContent(entry)) faults.push(`${nameOf(entry)}: gone`);
    const isLast = entry.type === 'assistant' && messageKey(entry) === lastKey;
    if (entry.type === 'assistant' && !sameThinking(entry, kept, isLast))
      faults.push(`${nameOf(entry)}: thinking changed`);
  }
  const cost = input.findLast((entry) => entry.type === 'cost-state');
  if (cost && JSON.stringify(entries.findLast((entry) => entry.type === 'cost-state')) !== JSON.stringify(cost)) {
    faults.push('the last cost-state: gone');
  }
  return faults;
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

function nameOf(entry: Entry): string {
  return `entry ${uuidOf(entry) ?? entry.type}`;
}
