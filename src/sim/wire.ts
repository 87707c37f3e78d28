/** The parts of the Messages API that the sim reads and writes. Blocks are kept loose: clients send kinds that no one listed. */

export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

export interface WireBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string | readonly WireBlock[];
  readonly is_error?: boolean;
  readonly cache_control?: CacheControl | null;
  readonly [key: string]: unknown;
}

export interface WireMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly WireBlock[];
  readonly [key: string]: unknown;
}

export interface WireTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: unknown;
  readonly cache_control?: CacheControl | null;
  readonly [key: string]: unknown;
}

export interface WireRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly system?: string | readonly WireBlock[];
  readonly tools?: readonly WireTool[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly [key: string]: unknown;
}

/** The token counts of one answer, as the API reports them. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
}

/** Content as blocks: a plain string is one text block, for the model and for the cache alike. */
export function blocksOf(content: string | readonly WireBlock[] | undefined): readonly WireBlock[] {
  if (content === undefined) return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The text blocks of a content, joined by newlines. */
export function textOf(content: string | readonly WireBlock[] | undefined): string {
  return blocksOf(content)
    .flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []))
    .join('\n');
}
