import { callIn, type LooksOnly, onlyLooks } from './calls.js';
import {
  type Block,
  blocksOf,
  callId,
  type Entry,
  hasResult,
  isBoundary,
  isInChain,
  messageKey,
  resultId,
  speakerOf,
  uuidOf,
  withContent,
} from './entry.js';
import { derivedUuid, madeUpResult } from './madeUp.js';

/** The texts for calls without a result. */
export interface OrphanTexts {
  /** For a call that only looks: do it again. */
  readonly orphan: string;
  /** For any other call: it may have happened. */
  readonly unknown: string;
}

/** One API message: its entries, which may be many, its calls, and the results that stand where they belong. */
interface Turn {
  readonly calls: { readonly id: string; readonly block: Block; readonly entry: Entry }[];
  readonly members: string[];
  /** Index of the last entry of the message and of those results. */
  end: number;
}

/** Where the one result of a call is. */
interface Found {
  readonly index: number;
  readonly entry: Entry;
  readonly block: Block;
}

type Placed = { readonly entries: readonly Entry[]; readonly orphans: number; readonly moved: number };

/**
 * Puts a result behind the message of its call, where the service demands it: one that stands elsewhere is moved, and a call
 * without any gets one that says so (`texts` null: it stays as it is). Each call has one result at most when this is called.
 *
 * Entries that hung on the message or on one of its results then hang on the last result, which is the shape of a complete
 * parallel call.
 */
export function placeResults(entries: readonly Entry[], texts: OrphanTexts | null, looksOnly: LooksOnly): Placed {
  const { turns, turnAt } = turnsOf(entries);
  const results = resultsOf(entries);
  const moved = new Set<string>();
  const behind = new Map<number, Group>();
  let orphans = 0;
  for (const turn of turns) {
    const missing = turn.calls.filter(({ id }) => {
      const found = results.get(id);
      if (!found) return texts !== null;
      if (turnAt[found.index] !== turn) return true;
      turn.end = Math.max(turn.end, found.index);
      turn.members.push(uuidOf(found.entry) ?? '');
      return false;
    });
    if (missing.length === 0) continue;
    const added = missing.map(({ id, block, entry }) => {
      const found = results.get(id);
      if (found) {
        moved.add(id);
        return movedEntry(found, entry, turn);
      }
      orphans += 1;
      const text = onlyLooks(callIn(block), looksOnly) ? texts?.orphan : texts?.unknown;
      return madeUpResult(entry, id, text ?? '');
    });
    behind.set(turn.end, { turn, added });
  }
  if (behind.size === 0) return { entries, orphans: 0, moved: 0 };
  return { entries: rebuilt(entries, behind, moved), orphans, moved: moved.size };
}

/** A message with the results that come behind it. */
interface Group {
  readonly turn: Turn;
  readonly added: readonly Entry[];
}

/**
 * The API messages of the list, and for each index the one whose results may stand there: from its first entry to what ends it,
 * which is another message, words of a person, or a compaction.
 */
function turnsOf(entries: readonly Entry[]): { turns: Turn[]; turnAt: readonly (Turn | null)[] } {
  const turns: Turn[] = [];
  let key = '';
  let turn: Turn | null = null;
  const turnAt = entries.map((entry, index) => {
    const speaker = speakerOf(entry);
    if (speaker === 'assistant') {
      if (!turn || key !== messageKey(entry)) {
        key = messageKey(entry);
        turn = { calls: [], members: [], end: index };
        turns.push(turn);
      }
      turn.end = index;
      turn.members.push(uuidOf(entry) ?? '');
      for (const block of blocksOf(entry)) {
        const id = callId(block);
        if (id !== null) turn.calls.push({ id, block, entry });
      }
    } else if (isBoundary(entry) || (speaker === 'user' && !entry.isMeta && !hasResult(entry))) {
      turn = null;
    }
    return turn;
  });
  return { turns, turnAt };
}

function resultsOf(entries: readonly Entry[]): ReadonlyMap<string, Found> {
  const results = new Map<string, Found>();
  entries.forEach((entry, index) => {
    if (entry.type !== 'user') return;
    for (const block of blocksOf(entry)) {
      const id = resultId(block);
      if (id !== null) results.set(id, { index, entry, block });
    }
  });
  return results;
}

/** The result as an entry of its own; one that stands alone in its entry goes with all of it. */
function movedEntry({ entry, block }: Found, call: Entry, turn: Turn): Entry {
  const alone =
    blocksOf(entry).length === 1
      ? entry
      : { ...withContent(entry, [block]), uuid: derivedUuid('moved', uuidOf(entry) ?? '', resultId(block) ?? '') };
  return { ...alone, parentUuid: turn.members.includes(String(alone.parentUuid)) ? alone.parentUuid : uuidOf(call) };
}

/** The list with the moved blocks taken out and the results of each message put behind it. */
function rebuilt(
  entries: readonly Entry[],
  behind: ReadonlyMap<number, Group>,
  moved: ReadonlySet<string>,
): readonly Entry[] {
  const list: Entry[] = [];
  /** For an entry that stands behind a group: where it hangs now instead of on a part of it. */
  const hangs = new Map<unknown, string | null>();
  let previous: string | null = null;
  const push = (entry: Entry) => {
    list.push(entry);
    if (isInChain(entry)) previous = uuidOf(entry);
  };
  entries.forEach((entry, index) => {
    const blocks = blocksOf(entry);
    const rest = blocks.filter((block) => !moved.has(resultId(block) ?? ''));
    if (rest.length > 0 || blocks.length === 0) {
      const kept = rest.length === blocks.length ? entry : withContent(entry, rest);
      const parentUuid = typeof kept.parentUuid === 'string' ? hangs.get(kept.parentUuid) : undefined;
      push(parentUuid === undefined ? kept : { ...kept, parentUuid });
    } else {
      // What followed it follows what stood before it: words of a person that lie between stay in the chain.
      hangs.set(uuidOf(entry), previous);
    }
    const group = behind.get(index);
    if (!group) return;
    for (const result of group.added) push(result);
    for (const uuid of [...group.turn.members, ...group.added.map(uuidOf)]) hangs.set(uuid, previous);
  });
  return list;
}
