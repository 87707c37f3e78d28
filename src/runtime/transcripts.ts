import type { SessionKey, SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { estimateOf, listPrice, type TokenUsage } from '../prices/prices.js';

/** What is stored of one session, as it is: the main thread's transcript and its workers'. */
export interface SessionTranscripts {
  readonly main: readonly SessionStoreEntry[];
  readonly workers: readonly (readonly SessionStoreEntry[])[];
}

/** Reads the transcripts of a session; a store that cannot list workers gives none. */
export async function readTranscripts(store: SessionStore, key: SessionKey): Promise<SessionTranscripts> {
  const subpaths = (await store.listSubkeys?.(key)) ?? [];
  const [main, ...workers] = await Promise.all([
    store.load(key),
    ...subpaths.map((subpath) => store.load({ ...key, subpath })),
  ]);
  return { main: main ?? [], workers: workers.map((entries) => entries ?? []) };
}

/** The total that was saved last with a session, US dollars; 0 if none was. */
export function savedUsd(entries: readonly SessionStoreEntry[]): number {
  const saved = entries.findLast((entry) => entry.type === 'cost-state') as { totalCostUSD?: unknown } | undefined;
  return typeof saved?.totalCostUSD === 'number' ? saved.totalCostUSD : 0;
}

/** What a stored reply counts for. */
export interface ReplyCost {
  /** US dollars. */
  readonly usd: number;
  /** False if its model has no list price: it was charged for, and nobody knows how much. */
  readonly isListed: boolean;
}

/**
 * What each reply costs, by its id. A reply is stored as one entry for each of its blocks; it counts once, with the last one, which
 * has the whole usage.
 */
export function replyCosts(entries: readonly SessionStoreEntry[]): Map<string, ReplyCost> {
  const costs = new Map<string, ReplyCost>();
  for (const entry of entries) {
    const reply = entry.type === 'assistant' ? messageOf(entry) : undefined;
    if (!reply?.id || !reply.usage) continue;
    const { model = '', usage } = reply;
    const usd = estimateOf(model, usage);
    costs.set(reply.id, { usd, isListed: usd === 0 || listPrice(model) !== null });
  }
  return costs;
}

/** Ids of the tool calls that these entries make. */
export function toolCalls(entries: readonly SessionStoreEntry[]): string[] {
  return entries
    .flatMap((entry) => {
      const content = entry.type === 'assistant' ? messageOf(entry)?.content : undefined;
      return typeof content === 'object' ? content : [];
    })
    .flatMap((block) => (block.type === 'tool_use' && block.id ? [block.id] : []));
}

/** True if a message with these words is among these entries, or a reply, which comes after them however the harness writes them. */
export function holdsPrompt(entries: readonly SessionStoreEntry[], words: string): boolean {
  return entries.some((entry) => {
    if (entry.type === 'assistant') return true;
    const content = entry.type === 'user' ? messageOf(entry)?.content : undefined;
    if (typeof content === 'string') return content.includes(words);
    return content?.some(({ type, text }) => type === 'text' && text?.includes(words)) ?? false;
  });
}

/** Unix seconds of the newest of these entries; 0 if none has a time. */
export function lastStoredAt(entries: readonly SessionStoreEntry[]): number {
  return entries.reduce((last, entry) => Math.max(last, storedAt(entry)), 0);
}

/** Unix seconds; 0 for an entry without a time. */
export function storedAt(entry: SessionStoreEntry): number {
  const time = Date.parse(String((entry as { timestamp?: unknown }).timestamp));
  return Number.isNaN(time) ? 0 : time / 1000;
}

/**
 * The message to go back to when the service refuses the history: the last one before the newest reply of a real model. Null if
 * there is none.
 */
export function placeBeforeLastReply(main: readonly SessionStoreEntry[]): string | null {
  const reply = main.findLast((entry) => entry.type === 'assistant' && messageOf(entry)?.model !== '<synthetic>');
  const id = reply && messageOf(reply)?.id;
  const first = main.findIndex((entry) => entry.type === 'assistant' && messageOf(entry)?.id === id);
  const before = main.slice(0, Math.max(0, first)).findLast((entry) => 'parentUuid' in entry && entry.uuid);
  return before?.uuid ?? null;
}

interface Message {
  readonly id?: string;
  readonly model?: string;
  readonly usage?: TokenUsage;
  readonly content?: string | readonly { readonly type?: string; readonly id?: string; readonly text?: string }[];
}

function messageOf(entry: SessionStoreEntry) {
  return (entry as { message?: Message }).message;
}
