import { createHash } from 'node:crypto';
import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';

/**
 * The uuid of a made-up result: derived, never drawn, since the harness writes what follows under it and the next load must find
 * the same parent.
 */
export function madeUpUuid(callEntryUuid: string, callId: string): string {
  const hex = createHash('sha256').update(`${callEntryUuid}\n${callId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** True for a result that curation made up, told by its uuid alone. */
export function isMadeUp(entry: SessionStoreEntry): boolean {
  const source = entry.sourceToolAssistantUUID;
  const content = (entry.message as { content?: unknown } | undefined)?.content;
  if (typeof source !== 'string' || !Array.isArray(content) || content.length !== 1) return false;
  const id = content[0]?.tool_use_id;
  return typeof id === 'string' && entry.uuid === madeUpUuid(source, id);
}
