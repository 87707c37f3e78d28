import type { TrimPolicy } from '../trimPolicy.js';
import { type Block, type Entry, isBlank, isBlock, isObject, isThinking, messageOf } from './entry.js';
import type { Mended } from './mended.js';
import { mapOrDrop } from './relink.js';
import type { Spill } from './trim.js';
import { isWellFormed, wellFormed } from './wellFormed.js';

/** Where a block goes that is too large to be sent. */
export interface Oversize {
  readonly spill: Spill;
  readonly placeholder: TrimPolicy['placeholder'];
}

type Counts = Pick<Mended, 'empties' | 'surrogates' | 'oversized'>;

/**
 * Puts right what is wrong inside one entry: blank texts (the service refuses them, and with them every later request), half
 * surrogate pairs (no valid JSON for it), images and documents that are too large. Thinking is signed: it stays byte for byte or
 * goes as a whole.
 */
export function tidy(
  entries: readonly Entry[],
  oversize: Oversize | null,
): { entries: readonly Entry[]; counts: Counts } {
  const counts = { empties: 0, surrogates: 0, oversized: 0 };
  const tidied = mapOrDrop(entries, (entry) => {
    if (isTidy(entry)) return entry;
    if (entry.type === 'attachment') return tidyAttachment(entry, counts);
    const message = messageOf(entry);
    return message ? tidyMessage(entry, message, oversize, counts) : entry;
  });
  return { entries: tidied, counts };
}

/** True for an entry that there is nothing to do about, as nearly all are. */
export function isTidy(entry: Entry): boolean {
  if (entry.type === 'attachment') return isWellFormed(entry.rendered);
  const message = messageOf(entry);
  if (!message) return true;
  const { content } = message;
  const isWhole = Array.isArray(content) ? content.length > 0 && content.every(isTidyBlock) : !isBlank(content);
  return isWhole && isWellFormed(message);
}

function isTidyBlock(block: unknown): boolean {
  if (!isBlock(block) || isEmpty(block)) return false;
  if (block.type === 'tool_result' && Array.isArray(block.content)) return block.content.every(isTidyBlock);
  return (base64Of(block)?.length ?? 0) <= maxBase64;
}

function tidyAttachment(entry: Entry, counts: { surrogates: number }): Entry {
  const rendered = wellFormed(entry.rendered);
  if (rendered === entry.rendered) return entry;
  counts.surrogates += 1;
  return { ...entry, rendered };
}

function tidyMessage(
  entry: Entry,
  message: Record<string, unknown>,
  oversize: Oversize | null,
  counts: MutableCounts,
): Entry | null {
  const isWhole = isWellFormed(message);
  if (!isWhole) counts.surrogates += 1;
  const content = tidyContent(message.content, oversize, counts);
  if (content === null) return null;
  if (isWhole && content === message.content) return entry;
  return { ...entry, message: wellFormed({ ...message, content }) };
}

type MutableCounts = { -readonly [K in keyof Counts]: number };

/** Null if nothing is left. */
function tidyContent(content: unknown, oversize: Oversize | null, counts: MutableCounts): unknown {
  if (!Array.isArray(content)) {
    if (!isBlank(content)) return content;
    counts.empties += 1;
    return null;
  }
  const kept = tidyBlocks(content, oversize, counts);
  if (content.length === 0) counts.empties += 1;
  return kept.length > 0 ? kept : null;
}

function tidyBlocks(blocks: readonly unknown[], oversize: Oversize | null, counts: MutableCounts): readonly unknown[] {
  const kept: unknown[] = [];
  for (const block of blocks) {
    if (!isBlock(block) || isEmpty(block)) counts.empties += 1;
    else if (!isThinking(block)) kept.push(tidyBlock(block, oversize, counts));
    else if (isWellFormed(block)) kept.push(block);
  }
  return kept.length === blocks.length && kept.every((block, i) => block === blocks[i]) ? blocks : kept;
}

/** A text without a visible character, or a call that no result could ever name. */
export function isEmpty(block: Block): boolean {
  return block.type === 'text' ? isBlank(block.text) : block.type === 'tool_use' && typeof block.id !== 'string';
}

function tidyBlock(block: Block, oversize: Oversize | null, counts: MutableCounts): Block {
  if (block.type === 'tool_result' && Array.isArray(block.content)) {
    const parts = tidyBlocks(block.content, oversize, counts);
    return parts === block.content ? block : { ...block, content: parts.length > 0 ? parts : '' };
  }
  const data = base64Of(block);
  if (!oversize || data === null || data.length <= maxBase64) return block;
  const path = oversize.spill(Buffer.from(data, 'base64'), extensionOf(block));
  if (path === null) return block;
  counts.oversized += 1;
  return { type: 'text', text: oversize.placeholder(path, data.length) };
}

/** What the service takes of one image or document. */
export const maxBase64 = 5 * 1024 * 1024;

/** The data of an image or a document; null for any other block. */
export function base64Of(block: Block): string | null {
  if (block.type !== 'image' && block.type !== 'document') return null;
  return isObject(block.source) && typeof block.source.data === 'string' ? block.source.data : null;
}

function extensionOf(block: Block): string {
  const mediaType = isObject(block.source) ? String(block.source.media_type) : '';
  const subtype = /^\w+\/(\w{2,4})$/.exec(mediaType)?.[1] ?? 'bin';
  return subtype === 'jpeg' ? 'jpg' : subtype;
}
