import {
  blocksOf,
  callId,
  type Entry,
  hasResult,
  isBlank,
  isBlock,
  isBoundary,
  isInChain,
  messageKey,
  messageOf,
  nameOf,
  resultId,
  speakerOf,
  uuidOf,
} from './entry.js';
import { keptFaults } from './keptFaults.js';
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
    const message = messageOf(entry);
    if (!isWellFormed(message ?? entry.rendered)) faults.push(`${nameOf(entry)}: half a surrogate pair`);
    if (!message) continue;
    const { content } = message;
    if (Array.isArray(content) ? content.length === 0 : isBlank(content)) faults.push(`${nameOf(entry)}: no content`);
    if (!Array.isArray(content)) continue;
    for (const block of content) {
      const fault = blockFault(block);
      if (fault) faults.push(`${nameOf(entry)}: ${fault}`);
    }
  }
  return faults;
}

function blockFault(block: unknown): string | null {
  if (!isBlock(block)) return 'a piece of content that is no block';
  if (block.type === 'text' && isBlank(block.text)) return 'blank text';
  if ((base64Of(block)?.length ?? 0) > maxBase64) return 'an image or document that is too large';
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return null;
  return block.content.map(blockFault).find((fault) => fault !== null) ?? null;
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
      for (const block of blocksOf(entry)) {
        const id = callId(block);
        if (id !== null) message.calls.push(id);
      }
    } else if (speaker === 'user') {
      const message = last?.role === 'user' ? last : open('user', '');
      for (const block of blocksOf(entry)) {
        if (block.type === 'tool_result') message.results.push(resultId(block) ?? '');
      }
      if (hasResult(entry)) message.wordsFirst ||= message.hasWords;
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
