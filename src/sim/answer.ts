import { createHash } from 'node:crypto';
import type { PromptUsage } from './cacheModel.js';
import type { Reply, StopReason } from './reply.js';
import type { SimRequest } from './simRequest.js';
import { bytesOfBlock, tokensOfBytes } from './tokens.js';
import type { Usage, WireBlock } from './wire.js';

/** A message of the model as the API gives it. */
export interface Answer {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly WireBlock[];
  readonly stop_reason: StopReason;
  readonly stop_sequence: null;
  readonly usage: Usage;
}

/**
 * Makes the message of a reply. Ids come from `seed`, which stands for the request's own content: a history only ever grows, so
 * an id is unique in its session, and a sim that is started anew gives the same ones.
 */
export function makeAnswer(
  { session, agentId, model }: SimRequest,
  reply: Reply,
  prompt: PromptUsage,
  seed: string,
): Answer {
  const hash = createHash('sha256')
    .update(JSON.stringify([session, agentId, seed]))
    .digest('hex');
  const content = reply.parts.content.map((block, index): WireBlock => {
    if (block.type === 'tool_use')
      return { ...block, id: block.id ?? `toolu_sim${hash.slice(0, 18)}${index.toString(36).padStart(3, '0')}` };
    if (block.type === 'thinking')
      return { ...block, signature: block.signature ?? Buffer.from(`sim ${hash} ${index}`).toString('base64') };
    return block;
  });
  return {
    id: `msg_sim${hash.slice(0, 21)}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason:
      reply.parts.stopReason ?? (content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: usageOf(prompt, content, reply.parts.usage ?? {}),
  };
}

function usageOf(prompt: PromptUsage, content: readonly WireBlock[], override: Partial<Usage>): Usage {
  const output = tokensOfBytes(content.reduce((sum, block) => sum + bytesOfBlock(block), 0));
  const written = override.cache_creation_input_tokens;
  return {
    ...prompt,
    output_tokens: Math.max(1, output),
    ...override,
    ...(written !== undefined && {
      cache_creation: override.cache_creation ?? { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    }),
  };
}
