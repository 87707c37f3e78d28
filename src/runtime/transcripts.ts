import type { SessionKey, SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { costOf, type TokenUsage } from '../prices/prices.js';

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
export function savedUsd({ main }: SessionTranscripts): number {
  const saved = main.findLast((entry) => entry.type === 'cost-state') as { totalCostUSD?: unknown } | undefined;
  return typeof saved?.totalCostUSD === 'number' ? saved.totalCostUSD : 0;
}

/**
 * What a session has spent that no result has reported: the usage of replies stored after its last saved total, workers included,
 * once for each reply, at list price. A harness that was killed leaves exactly that.
 *
 * @param sinceUnixS what was stored until then is on the bill already
 */
export function unbookedUsd({ main, workers }: SessionTranscripts, sinceUnixS: number): number {
  const saved = main.findLastIndex((entry) => entry.type === 'cost-state');
  const savedAt = Math.max(0, ...main.slice(0, saved + 1).map(storedAt));
  const replies = new Map<string, number>();
  for (const entry of main.slice(saved + 1)) noteReply(replies, entry, sinceUnixS);
  for (const entry of workers.flat()) noteReply(replies, entry, Math.max(sinceUnixS, savedAt));
  return [...replies.values()].reduce((sum, usd) => sum + usd, 0);
}

/** Unix seconds of the newest entry of the main thread; 0 if there is none. */
export function lastStoredAt({ main }: SessionTranscripts): number {
  return Math.max(0, ...main.slice(-20).map(storedAt));
}

/**
 * The message to go back to when the service refuses the history: the last one before the newest reply of a real model. Null if
 * there is none.
 */
export function placeBeforeLastReply({ main }: SessionTranscripts): string | null {
  const reply = main.findLast((entry) => entry.type === 'assistant' && replyOf(entry)?.model !== '<synthetic>');
  const id = reply && replyOf(reply)?.id;
  const first = main.findIndex((entry) => entry.type === 'assistant' && replyOf(entry)?.id === id);
  const before = main.slice(0, Math.max(0, first)).findLast((entry) => 'parentUuid' in entry && entry.uuid);
  return before?.uuid ?? null;
}

function noteReply(replies: Map<string, number>, entry: SessionStoreEntry, since: number): void {
  const reply = replyOf(entry);
  if (entry.type !== 'assistant' || !reply?.usage || !reply.id || storedAt(entry) <= since) return;
  replies.set(reply.id, costOf(reply.model ?? '', reply.usage) ?? 0);
}

function replyOf(entry: SessionStoreEntry) {
  return (entry as { message?: { id?: string; model?: string; usage?: TokenUsage } }).message;
}

/** Unix seconds; 0 for an entry without a time. */
function storedAt(entry: SessionStoreEntry): number {
  const time = Date.parse(String((entry as { timestamp?: unknown }).timestamp));
  return Number.isNaN(time) ? 0 : time / 1000;
}
