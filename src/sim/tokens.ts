import { blocksOf, type WireBlock, type WireTool } from './wire.js';

/** An image counts as this many bytes, whatever its encoding: the real API charges about 1,600 tokens for a large one. */
const imageBytes = 6_400;

/** Tokens that a text of so many UTF-8 bytes counts as. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Bytes of what the model reads of a block. Ids, signatures and cache marks are no text to it. */
export function bytesOfBlock(block: WireBlock): number {
  switch (block.type) {
    case 'text':
      return bytes(block.text ?? '');
    case 'thinking':
      return bytes(block.thinking ?? '');
    case 'tool_use':
      return bytes(block.name ?? '') + bytes(JSON.stringify(block.input ?? {}));
    case 'tool_result':
      return bytesOfContent(block.content);
    case 'image':
      return imageBytes;
    default:
      return bytes(JSON.stringify(block));
  }
}

function bytesOfContent(content: string | readonly WireBlock[] | undefined): number {
  return blocksOf(content).reduce((sum, block) => sum + bytesOfBlock(block), 0);
}

export function bytesOfTool({ cache_control: _, ...definition }: WireTool): number {
  return bytes(JSON.stringify(definition));
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
