import type { PrunePolicy } from '../prunePolicy.js';
import { type Call, callsOf, type LooksOnly, onlyLooks } from './calls.js';
import { dropBlocks } from './dropBlocks.js';
import { blocksOf, callId, type Entry, isNote, mapBlocks, mapEntries, messageKey, resultId } from './entry.js';
import { lastMessageKey, preservedUuids } from './keep.js';
import { isApiError, isDenial, isInterruptResult } from './recognise.js';
import { mapOrDrop } from './relink.js';

/** Takes out what misleads: lines that the program wrote in the model's name, old refusals with their calls, interrupt leftovers. */
export function dropNoise(
  entries: readonly Entry[],
  policy: PrunePolicy,
  looksOnly: LooksOnly,
): { entries: readonly Entry[]; denialsDropped: number } {
  if (!entries.some(isNoise)) return { entries, denialsDropped: 0 };
  const errorless = policy.dropApiErrors ? dropApiErrors(entries) : entries;
  const { entries: allowed, denialsDropped } = dropDenials(errorless, policy.keepDenials);
  return {
    entries: policy.neutralizeInterrupts ? neutralizeInterrupts(allowed, policy, looksOnly) : allowed,
    denialsDropped,
  };
}

function isNoise(entry: Entry): boolean {
  return isApiError(entry) || isDenial(entry) !== null || isInterruptResult(entry);
}

function dropApiErrors(entries: readonly Entry[]): readonly Entry[] {
  const preserved = preservedUuids(entries);
  return mapOrDrop(entries, (entry) => (isApiError(entry) && !preserved.has(entry.uuid) ? null : entry));
}

/**
 * A refused call never ran: it says nothing, takes room twice, and teaches a model that nothing is allowed. The newest `keep` stay,
 * so that it does not try the same again at once.
 */
function dropDenials(entries: readonly Entry[], keep: number): { entries: readonly Entry[]; denialsDropped: number } {
  // In the order of the calls, as results may be moved later on.
  const calls = callsOf(entries);
  const denied = [...new Set(entries.map(isDenial).filter((id) => id !== null))].sort(
    (a, b) => (calls.get(a)?.order ?? -1) - (calls.get(b)?.order ?? -1),
  );
  const old = new Set(denied.slice(0, Math.max(0, denied.length - keep)));
  if (old.size === 0) return { entries, denialsDropped: 0 };

  const preserved = preservedUuids(entries);
  const last = lastMessageKey(entries);
  for (const entry of entries) {
    const stays =
      isNote(entry) || preserved.has(entry.uuid) || (entry.type === 'assistant' && messageKey(entry) === last);
    for (const block of blocksOf(entry)) {
      const ran = resultId(block) !== null && isDenial(entry) === null;
      if (stays || ran) old.delete(callId(block) ?? resultId(block) ?? '');
    }
  }

  return { entries: mapOrDrop(entries, (entry) => dropBlocks(entry, old)), denialsDropped: old.size };
}

/**
 * What an interrupt leaves reads like a person's veto. The truth is that nothing is known of the call, or that it had no chance to
 * run.
 */
function neutralizeInterrupts(entries: readonly Entry[], policy: PrunePolicy, looksOnly: LooksOnly): readonly Entry[] {
  const calls = callsOf(entries);
  return mapEntries(entries, (entry) => {
    if (!isInterruptResult(entry) || isNote(entry)) return entry;
    const told = mapBlocks(entry, (block) => {
      if (block.type !== 'tool_result') return block;
      const call = calls.get(resultId(block) ?? '');
      const harmless = entry.toolDenialBeforeRun === true || !call || hadNoEffect(call, looksOnly);
      const content = harmless ? policy.interruptText : policy.orphanUnknownText;
      return block.content === content && block.is_error === false ? block : { ...block, content, is_error: false };
    });
    // Older records have no mark beside the wording that is gone now.
    return told === entry || told.toolDenialKind !== undefined ? told : { ...told, toolDenialKind: 'user-rejected' };
  });
}

function hadNoEffect(call: Call, looksOnly: LooksOnly): boolean {
  return onlyLooks(call, looksOnly) || /^mcp__(human|flower)__/.test(call.name);
}
