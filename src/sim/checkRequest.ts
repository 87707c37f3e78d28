import { blocksOf, type WireBlock, type WireRequest } from './wire.js';

/**
 * What the real API would refuse a request for, in its words, or null for a good request. It is here because a bad history is a
 * bug of whoever keeps the history, and shows nowhere else.
 */
export function checkRequest(request: WireRequest): string | null {
  const { messages } = request;
  if (messages.length === 0) return 'messages: at least one message is required';
  if (messages[0]?.role === 'assistant') return 'messages: first message must use the "user" role';
  const marks = [
    ...(request.tools ?? []),
    ...blocksOf(request.system),
    ...messages.flatMap((message) => blocksOf(message.content)),
  ];
  const marked = marks.filter((block) => block.cache_control).length;
  if (marked > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marked}.`;
  return checkCalls(request);
}

function checkCalls(request: WireRequest): string | null {
  const seen = new Set<string>();
  let open: { readonly ids: readonly string[]; readonly at: number } = { ids: [], at: 0 };
  for (const [at, { role, content }] of request.messages.entries()) {
    if (role === 'system') continue;
    const blocks = blocksOf(content);
    const results = idsOf(blocks, 'tool_result', 'tool_use_id');
    const missing = open.ids.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      return `messages.${open.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    const stray = results.find((id) => !open.ids.includes(id));
    if (stray !== undefined) {
      return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (blocks.some((block) => block.type === 'text' && block.text === ''))
      return `messages.${at}: text content blocks must be non-empty`;
    const ids = role === 'assistant' ? idsOf(blocks, 'tool_use', 'id') : [];
    if (ids.some((id) => seen.has(id)) || new Set(ids).size < ids.length)
      return 'messages: `tool_use` ids must be unique';
    for (const id of ids) seen.add(id);
    open = { ids, at };
  }
  if (open.ids.length > 0)
    return `messages.${open.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.ids.join(', ')}.`;
  return null;
}

function idsOf(blocks: readonly WireBlock[], type: string, key: 'id' | 'tool_use_id'): string[] {
  return blocks.flatMap((block) => (block.type === type && block[key] !== undefined ? [block[key]] : []));
}
