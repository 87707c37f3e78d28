import { blocksOf, callId, type Entry, resultId, withContent } from './entry.js';

/**
 * The entry without the calls `ids` and their results; null if nothing is left of it. A changed entry loses `toolUseResult` too,
 * which holds a second copy of what was taken out.
 */
export function dropBlocks(entry: Entry, ids: ReadonlySet<string>): Entry | null {
  const blocks = blocksOf(entry);
  const kept = blocks.filter((block) => !ids.has(callId(block) ?? resultId(block) ?? ''));
  if (kept.length === blocks.length) return entry;
  if (kept.length === 0) return null;
  const { toolUseResult: _, ...rest } = withContent(entry, kept) as Entry & { toolUseResult?: unknown };
  return rest as Entry;
}
