import type { SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import type { ManifestRow } from '../books/types.js';
import { estimateOf, type TokenUsage } from '../prices/prices.js';
import { readTranscripts } from './transcripts.js';

/** What one role used in one step. Tokens; US dollars at list price, estimated for a model without one. */
export interface RoleUsage {
  /** The step's label in the books. */
  readonly step: string;
  /** The worker's name; null for the main thread. */
  readonly role: string | null;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly usd: number;
}

/**
 * Adds up the stored replies of these steps by who made them. A session that went on over several steps is told apart by time.
 *
 * @param rows of one run
 */
export async function usageByRole(
  store: SessionStore,
  projectKey: string,
  rows: readonly Pick<ManifestRow, 'step' | 'session_id' | 'retired' | 'started_at' | 'ended_at'>[],
): Promise<RoleUsage[]> {
  const usages = new Map<string, RoleUsage>();
  const sessions = new Set(rows.flatMap((row) => [...row.retired, ...(row.session_id ? [row.session_id] : [])]));
  for (const sessionId of sessions) {
    const own = rows.filter((row) => row.session_id === sessionId || row.retired.includes(sessionId));
    const { main, workers } = await readTranscripts(store, { projectKey, sessionId });
    for (const entries of [main, ...workers]) {
      const role = entries === main ? null : nameOf(entries);
      for (const { at, model, usage } of replies(entries)) {
        const row = own.find(({ started_at, ended_at }) => at >= started_at && at <= ended_at);
        if (row) add(usages, { step: row.step, role }, usage, estimateOf(model, usage));
      }
    }
  }
  return [...usages.values()];
}

function add(
  usages: Map<string, RoleUsage>,
  { step, role }: { step: string; role: string | null },
  usage: TokenUsage,
  usd: number,
): void {
  const key = JSON.stringify([step, role]);
  const sum = usages.get(key);
  usages.set(key, {
    step,
    role,
    input: (sum?.input ?? 0) + (usage.input_tokens ?? 0),
    cacheRead: (sum?.cacheRead ?? 0) + (usage.cache_read_input_tokens ?? 0),
    cacheWrite: (sum?.cacheWrite ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    output: (sum?.output ?? 0) + (usage.output_tokens ?? 0),
    usd: (sum?.usd ?? 0) + usd,
  });
}

function nameOf(entries: readonly SessionStoreEntry[]): string {
  const metadata = entries.find((entry) => entry.type === 'agent_metadata') as { agentType?: unknown } | undefined;
  return typeof metadata?.agentType === 'string' ? metadata.agentType : '?';
}

/** One reply is stored as an entry for each block of it; the last one has the whole usage. */
function replies(entries: readonly SessionStoreEntry[]): { at: number; model: string; usage: TokenUsage }[] {
  const found = new Map<string, { at: number; model: string; usage: TokenUsage }>();
  for (const entry of entries) {
    const { message, timestamp } = entry as {
      message?: { id?: string; model?: string; usage?: TokenUsage };
      timestamp?: string;
    };
    if (entry.type !== 'assistant' || !message?.id || !message.usage) continue;
    found.set(message.id, { at: Date.parse(timestamp ?? '') / 1000, model: message.model ?? '', usage: message.usage });
  }
  return [...found.values()];
}
