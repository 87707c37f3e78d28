import { type Block, blocksOf, type Entry, hasResult, isObject, messageOf, resultId } from './entry.js';

/** True for a line that the program itself wrote in the model's name. Told by its mark, never by its words. */
export function isApiError(entry: Entry): boolean {
  return Boolean(entry.isApiErrorMessage) || messageOf(entry)?.model === '<synthetic>';
}

/**
 * The id of the call that this entry refuses, or null. A refusal is told by its marks, as there are a dozen wordings. A person's
 * answer is none, and an interrupt is none: nobody refused anything.
 */
export function isDenial(entry: Entry): string | null {
  const nobodyThere = entry.toolDenialKind === 'user-rejected' && permissionSource(entry) === 'config';
  if (entry.toolDenialKind !== 'permission-rule' && !nobodyThere) return null;
  const results = blocksOf(entry).filter((block) => block.type === 'tool_result');
  const [result] = results;
  // The mark belongs to the entry: with two results in it nobody can say which one was refused.
  return !result || results.length > 1 || entry.holdsPersonsWords === true ? null : resultId(result);
}

/** True for the result of a call that was cut off by an interrupt or by the end of the process. */
export function isInterruptResult(entry: Entry): boolean {
  if (entry.toolDenialKind === 'user-rejected') return entry.permissionDecision === undefined && hasResult(entry);
  return entry.toolDenialKind === 'interrupted' ? hasResult(entry) : blocksOf(entry).some(wasCut);
}

/** For older records, which have no mark. */
function wasCut({ type, is_error, content }: Block): boolean {
  const isError = type === 'tool_result' && is_error === true;
  return isError && typeof content === 'string' && content.includes('[Request interrupted');
}

function permissionSource(entry: Entry): unknown {
  return isObject(entry.permissionDecision) ? entry.permissionDecision.source : undefined;
}
