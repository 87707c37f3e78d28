import { type Block, blocksOf, callId, type Entry, isBlock, mapEntries, resultId, withContent } from './entry.js';

/**
 * Turns results whose call is no longer there into text at the end of their message. Alone they would reach the model as nothing;
 * as text they keep what they say.
 */
export function wordsOfLostResults(
  entries: readonly Entry[],
  intro: string,
): { entries: readonly Entry[]; lost: number } {
  const called = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== 'assistant') continue;
    for (const block of blocksOf(entry)) if (block.type === 'tool_use') called.add(callId(block) ?? '');
  }
  const isLost = (block: Block) => block.type === 'tool_result' && !called.has(resultId(block) ?? '');
  let lost = 0;
  const told = mapEntries(entries, (entry) => {
    if (entry.type !== 'user') return entry;
    const blocks = blocksOf(entry);
    if (!blocks.some(isLost)) return entry;
    const gone = blocks.filter(isLost);
    lost += gone.length;
    const kept = blocks.filter((block) => !isLost(block));
    return withContent(entry, [...kept, ...gone.flatMap((block) => words(block, intro))]);
  });
  return { entries: told, lost };
}

function words({ content }: Block, intro: string): readonly Block[] {
  const parts: readonly Block[] = Array.isArray(content) ? content.filter(isBlock) : [{ type: 'text', text: content }];
  const text = parts.map((part) => (part.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('');
  const others = parts.filter((part) => part.type !== 'text');
  return [{ type: 'text', text: text === '' ? intro : `${intro}\n${text}` }, ...others];
}
