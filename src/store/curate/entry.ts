import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';

/** One line of a transcript. Its form is the program's; what flower reads of it is read here, for any value that may stand there. */
export type Entry = SessionStoreEntry;

/** A piece of a message's content. */
export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

type Content = string | readonly Block[];

/** The message of a user or assistant entry; null for every other entry. */
export function messageOf(entry: Entry): Record<string, unknown> | null {
  if (entry.type !== 'user' && entry.type !== 'assistant') return null;
  return isObject(entry.message) ? entry.message : null;
}

/** Whose message this is. An entry without a message is passed over by the program, whatever its type. */
export function speakerOf(entry: Entry): 'user' | 'assistant' | null {
  return messageOf(entry) ? (entry.type as 'user' | 'assistant') : null;
}

/** The content blocks of a message; none if it is a plain text. Pieces that are no block are left out. */
export function blocksOf(entry: Entry): readonly Block[] {
  const content = messageOf(entry)?.content;
  if (!Array.isArray(content)) return noBlocks;
  // A loop, as this is asked for every entry in every stage.
  for (const block of content) if (typeof block?.type !== 'string') return content.filter(isBlock);
  return content;
}

const noBlocks: readonly Block[] = [];

export function isBlock(value: unknown): value is Block {
  return isObject(value) && typeof value.type === 'string';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entry with another content, as a new object. */
export function withContent(entry: Entry, content: Content): Entry {
  return { ...entry, message: { ...messageOf(entry), content } };
}

/** The entry with its blocks changed by `change`, a pure function; itself if that changes none. */
export function mapBlocks(entry: Entry, change: (block: Block) => Block): Entry {
  const blocks = blocksOf(entry);
  return blocks.every((block) => change(block) === block) ? entry : withContent(entry, blocks.map(change));
}

/** The list itself if `change` changed no entry: a healthy history is the same object before and after. */
export function mapEntries(entries: readonly Entry[], change: (entry: Entry) => Entry): readonly Entry[] {
  let changed: Entry[] | null = null;
  entries.forEach((entry, i) => {
    const other = change(entry);
    if (other !== entry) changed ??= entries.slice(0, i);
    changed?.push(other);
  });
  return changed ?? entries;
}

export function uuidOf(entry: Entry): string | null {
  return typeof entry.uuid === 'string' ? entry.uuid : null;
}

const chainTypes = new Set(['user', 'assistant', 'attachment', 'system']);

/** True for an entry of the `parentUuid` chain, which is what the program walks from the leaf to the beginning. */
export function isInChain(entry: Entry): boolean {
  return typeof entry.uuid === 'string' && (chainTypes.has(entry.type) || 'parentUuid' in entry);
}

export function isBoundary(entry: Entry): boolean {
  return entry.type === 'system' && entry.subtype === 'compact_boundary';
}

/** True for what the program tells the model by itself: a note in the middle, or the summary of a compaction. */
export function isNote(entry: Entry): boolean {
  return Boolean(entry.isMeta || entry.isCompactSummary);
}

/** The id of a call in this block, or null. */
export function callId(block: Block): string | null {
  return block.type === 'tool_use' && typeof block.id === 'string' ? block.id : null;
}

/** The id of the call that this block is a result of, or null. */
export function resultId(block: Block): string | null {
  return block.type === 'tool_result' && typeof block.tool_use_id === 'string' ? block.tool_use_id : null;
}

export function hasResult(entry: Entry): boolean {
  return entry.type === 'user' && blocksOf(entry).some((block) => block.type === 'tool_result');
}

/** The text of a result; null if it holds anything but text. */
export function resultText(block: Block): string | null {
  const { content } = block;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const parts = content.filter(isBlock);
  if (parts.some((part) => part.type === 'image' || part.type === 'document')) return null;
  return parts.map((part) => (part.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('');
}

/** True for anything but a text with a visible character. Some control characters count as white space for the service. */
export function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || !/[^\s\u001c-\u001f\u0085]/.test(value);
}

export function isThinking(block: Block): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** What holds the blocks of one API message together: its id, else the entry alone. */
export function messageKey(entry: Entry): string {
  const id = messageOf(entry)?.id;
  return typeof id === 'string' ? id : `entry ${entry.uuid}`;
}

/** What a message for people calls this entry. */
export function nameOf(entry: Entry): string {
  return `entry ${uuidOf(entry) ?? entry.type}`;
}
