import { createHash } from 'node:crypto';
import { bytesOfBlock, bytesOfTool, tokensOfBytes } from './tokens.js';
import { blocksOf, type CacheControl, type Usage, type WireBlock, type WireRequest } from './wire.js';

/** What a request's prompt costs: everything of its usage but the output. */
export type PromptUsage = Omit<Usage, 'output_tokens'>;

/** From one mark the API looks back over this many blocks for something it wrote earlier, no further. */
const lookBackBlocks = 20;

const lifeMs = { '5m': 5 * 60_000, '1h': 60 * 60_000 } as const;

/**
 * The prompt cache of the Messages API: the prompt is one row of blocks (tools, then system, then messages), each marked block
 * is a point up to which the row is kept, and a later request that starts with exactly the same blocks reads it back. Reading
 * renews the life of what was read.
 */
export class CacheModel {
  readonly #entries = new Map<string, { expiresAt: number; life: keyof typeof lifeMs }>();
  readonly #minimumTokens: number;

  /** `minimumTokens`: shorter prefixes are never cached (the real minimum depends on the model: 1,024 to 4,096). */
  constructor(minimumTokens: number) {
    this.#minimumTokens = minimumTokens;
  }

  /** Charges the prompt of a request at time `now` (milliseconds), and keeps what it marks. */
  charge(request: WireRequest, now: number): PromptUsage {
    const row = rowOf(request);
    const marks = row.flatMap((block, index) => (block.life === undefined ? [] : [{ index, life: block.life }]));
    const hit = this.#longestHit(row, marks, now);
    const read = hit?.tokens ?? 0;
    if (hit !== undefined) this.#keep(hit.hash, hit.entryLife, now);

    const written = { '5m': 0, '1h': 0 };
    let cached = read;
    for (const { index, life } of marks) {
      const block = row[index];
      if (block === undefined || block.tokens < this.#minimumTokens) continue;
      if (block.tokens > cached) {
        written[life] += block.tokens - cached;
        cached = block.tokens;
        this.#keep(block.hash, life, now);
      } else if (this.#alive(block.hash, now)) this.#keep(block.hash, life, now);
    }
    return {
      input_tokens: (row.at(-1)?.tokens ?? 0) - cached,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written['5m'] + written['1h'],
      cache_creation: { ephemeral_5m_input_tokens: written['5m'], ephemeral_1h_input_tokens: written['1h'] },
    };
  }

  #longestHit(row: readonly RowBlock[], marks: readonly { index: number }[], now: number) {
    for (const { index } of marks.toReversed()) {
      for (let at = index; at >= 0 && at > index - lookBackBlocks; at -= 1) {
        const block = row[at];
        const entry = block && this.#alive(block.hash, now);
        if (block && entry) return { ...block, entryLife: entry.life };
      }
    }
    return undefined;
  }

  #alive(hash: string, now: number) {
    const entry = this.#entries.get(hash);
    return entry !== undefined && entry.expiresAt > now ? entry : undefined;
  }

  #keep(hash: string, life: keyof typeof lifeMs, now: number): void {
    const expiresAt = Math.max(now + lifeMs[life], this.#alive(hash, now)?.expiresAt ?? 0);
    this.#entries.set(hash, { expiresAt, life });
  }
}

/** Tokens of a whole prompt, cached or not. */
export function promptTokens(request: WireRequest): number {
  return rowOf(request).at(-1)?.tokens ?? 0;
}

/** A block of the row: the hash of everything up to and with it, and how many tokens that is. */
interface RowBlock {
  readonly hash: string;
  readonly tokens: number;
  readonly life: keyof typeof lifeMs | undefined;
}

function rowOf(request: WireRequest): RowBlock[] {
  const row: RowBlock[] = [];
  let hash = createHash('sha256').update(request.model).digest('hex');
  let bytes = 0;
  const add = (what: string, size: number, mark: CacheControl | null | undefined): void => {
    hash = createHash('sha256').update(hash).update(what).digest('hex');
    bytes += size;
    row.push({ hash, tokens: tokensOfBytes(bytes), life: mark ? (mark.ttl ?? '5m') : undefined });
  };
  for (const { cache_control, ...tool } of request.tools ?? []) {
    add(JSON.stringify(tool), bytesOfTool(tool), cache_control);
  }
  for (const block of blocksOf(request.system)) {
    if (isBillingLine(block)) continue;
    const { cache_control, ...rest } = block;
    add(JSON.stringify(rest), bytesOfBlock(block), cache_control);
  }
  for (const { content, ...message } of request.messages) {
    for (const block of blocksOf(content)) {
      const { cache_control, ...rest } = block;
      add(JSON.stringify([message, rest]), bytesOfBlock(block), cache_control);
    }
  }
  return row;
}

/** The harness's first system block is a header in disguise: the API takes it out before the model or the cache see it. */
function isBillingLine(block: WireBlock): boolean {
  return block.text?.startsWith('x-anthropic-billing-header:') ?? false;
}
