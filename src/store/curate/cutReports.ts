import { callsOf } from './calls.js';
import { type Block, blocksOf, type Entry, isBlock, isNote, mapBlocks, mapEntries, resultId } from './entry.js';

/**
 * Puts `words` in the place of what the program writes into the history for a worker that an API failure ended: the failure is over,
 * and its text would make the model see to the network. What the worker itself had said stays.
 */
export function neutralReports(entries: readonly Entry[], words: string): readonly Entry[] {
  if (!entries.some(hasCutReport)) return entries;
  const calls = callsOf(entries);
  const isReport = (block: Block) => dispatches.has(calls.get(resultId(block) ?? '')?.name ?? 'Agent');
  return mapEntries(entries, (entry) => {
    if (entry.type !== 'user' || isNote(entry)) return entry;
    return mapBlocks(entry, (block) => (isCutReport(block) && isReport(block) ? neutral(block, words) : block));
  });
}

/** True for the result of a call that says of itself that an API failure ended a worker. */
export function hasCutReport(entry: Entry): boolean {
  return blocksOf(entry).some(isCutReport);
}

/** A text of the program with `words` in the place of its notice of the failure; null if there is no such notice. */
export function neutralReport(text: string, words: string): string | null {
  return notice.test(text) ? text.replace(notice, () => words) : null;
}

const dispatches = new Set(['Agent', 'Task']);
/** Up to what is left of the worker's own words, which the program announces; without any it is the whole text. */
const notice =
  /^\s*Agent terminated early due to an API error\b(?:[\s\S]*?PARTIAL output recovered from the agent\b.*|[\s\S]*)/;

function isCutReport(block: Block): boolean {
  return resultId(block) !== null && notice.test(headOf(block));
}

function headOf({ content }: Block): string {
  const head: unknown = Array.isArray(content) ? content.find(isBlock)?.text : content;
  return typeof head === 'string' ? head : '';
}

function neutral(block: Block, words: string): Block {
  const head = neutralReport(headOf(block), words) ?? '';
  if (!Array.isArray(block.content)) return { ...block, content: head, is_error: false };
  const at = block.content.findIndex(isBlock);
  return { ...block, content: block.content.with(at, { ...block.content[at], text: head }), is_error: false };
}
