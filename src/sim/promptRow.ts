import { createHash } from 'node:crypto';
import { bytesOfBlock, bytesOfTool, tokensOfBytes } from './tokens.js';
import { blocksOf, type CacheControl, type WireBlock, type WireRequest } from './wire.js';

/** How long something stays in the prompt cache. */
export type Life = '5m' | '1h';

/** One block of a prompt. */
export interface PromptBlock {
  /** Stands for everything up to and with this block, byte by byte. Cache marks are no part of it. */
  readonly hash: string;
  /** Tokens of everything up to and with this block. */
  readonly tokens: number;
  /** Set on a block with a cache mark. */
  readonly life: Life | undefined;
}

/** A prompt in the order in which the API reads and caches it: tools, then system, then messages. */
export type PromptRow = readonly PromptBlock[];

/** Reads the row of a request. */
export function promptRow(request: WireRequest): PromptRow {
  const row: PromptBlock[] = [];
  let hash = request.model;
  let bytes = 0;
  const add = (what: string, size: number, mark: CacheControl | null | undefined): void => {
    hash = createHash('sha256').update(hash).update(what).digest('hex');
    bytes += size;
    row.push({ hash, tokens: tokensOfBytes(bytes), life: mark ? (mark.ttl ?? '5m') : undefined });
  };
  for (const { cache_control, ...tool } of request.tools ?? []) {
    add(JSON.stringify(tool), bytesOfTool(tool), cache_control);
  }
  for (const { cache_control, ...block } of blocksOf(request.system)) {
    if (!isBillingLine(block)) add(JSON.stringify(block), bytesOfBlock(block), cache_control);
  }
  for (const { content, ...message } of request.messages) {
    for (const { cache_control, ...block } of blocksOf(content)) {
      add(JSON.stringify([message, block]), bytesOfBlock(block), cache_control);
    }
  }
  return row;
}

/** Tokens of the whole prompt. */
export function tokensOf(row: PromptRow): number {
  return row.at(-1)?.tokens ?? 0;
}

/** The harness's first system block is a header in disguise: the API takes it out before the model or the cache see it. */
function isBillingLine(block: WireBlock): boolean {
  return block.text?.startsWith('x-anthropic-billing-header:') ?? false;
}
