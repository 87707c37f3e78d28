import { type Life, type PromptBlock, type PromptRow, tokensOf } from './promptRow.js';
import type { Usage } from './wire.js';

/** What a request's prompt costs: everything of its usage but the output. */
export type PromptUsage = Omit<Usage, 'output_tokens'>;

/** From one mark the API looks back over this many blocks for something it wrote earlier, no further. */
const lookBackBlocks = 20;

const lifeMs: Readonly<Record<Life, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

/**
 * The prompt cache of the Messages API. Each marked block of a prompt is a point up to which it is kept, and a later prompt that
 * starts with exactly the same blocks reads it back. Reading renews the life of what was read.
 */
export class CacheModel {
  readonly #entries = new Map<string, { readonly expiresAt: number; readonly life: Life }>();
  readonly #minimumTokens: number;

  /** `minimumTokens`: shorter prefixes are never cached. */
  constructor(minimumTokens: number) {
    this.#minimumTokens = minimumTokens;
  }

  /** Charges a prompt at time `now` (milliseconds), and keeps what it marks. */
  charge(row: PromptRow, now: number): PromptUsage {
    const hit = this.#longestHit(row, now);
    const read = hit?.tokens ?? 0;
    if (hit !== undefined) this.#renew(hit, now);

    const written: Record<Life, number> = { '5m': 0, '1h': 0 };
    let cached = read;
    for (const block of row) {
      if (block.life === undefined || block.tokens < this.#minimumTokens) continue;
      if (block.tokens <= cached) this.#renew(block, now);
      else {
        written[block.life] += block.tokens - cached;
        cached = block.tokens;
        this.#entries.set(block.hash, { expiresAt: now + lifeMs[block.life], life: block.life });
      }
    }
    return {
      input_tokens: tokensOf(row) - cached,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written['5m'] + written['1h'],
      cache_creation: { ephemeral_5m_input_tokens: written['5m'], ephemeral_1h_input_tokens: written['1h'] },
    };
  }

  #longestHit(row: PromptRow, now: number): PromptBlock | undefined {
    for (let mark = row.length - 1; mark >= 0; mark -= 1) {
      if (row[mark]?.life === undefined) continue;
      const reach = row.slice(Math.max(0, mark - lookBackBlocks + 1), mark + 1);
      const hit = reach.findLast((block) => this.#alive(block, now));
      if (hit !== undefined) return hit;
    }
    return undefined;
  }

  #renew(block: PromptBlock, now: number): void {
    const entry = this.#alive(block, now);
    if (entry !== undefined) this.#entries.set(block.hash, { ...entry, expiresAt: now + lifeMs[entry.life] });
  }

  #alive(block: PromptBlock, now: number) {
    const entry = this.#entries.get(block.hash);
    return entry !== undefined && entry.expiresAt > now ? entry : undefined;
  }
}
