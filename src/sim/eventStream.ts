import type { Answer } from './answer.js';
import type { WireBlock } from './wire.js';

/** One server-sent event; `endsBlock` marks the end of a content block. */
export interface StreamEvent {
  readonly text: string;
  readonly endsBlock: boolean;
}

/** The events of a streamed message, in order. */
export function eventsOf(answer: Answer): StreamEvent[] {
  const { content, usage, stop_reason, stop_sequence, ...message } = answer;
  return [
    event('message_start', {
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
    event('ping', {}),
    ...content.flatMap(blockEvents),
    event('message_delta', { delta: { stop_reason, stop_sequence }, usage }),
    event('message_stop', {}),
  ];
}

/** What the API says when it fails inside a stream. */
export const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

function blockEvents(block: WireBlock, index: number): StreamEvent[] {
  const { start, deltas } = partsOf(block);
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    { ...event('content_block_stop', { index }), endsBlock: true },
  ];
}

function partsOf(block: WireBlock): { start: object; deltas: object[] } {
  switch (block.type) {
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: ['', ...pieces(JSON.stringify(block.input))].map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(block.thinking ?? '').map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    default:
      return {
        start: { type: 'text', text: '' },
        deltas: pieces(block.text ?? '').map((text) => ({ type: 'text_delta', text })),
      };
  }
}

/** Cuts a text where the API would: into short pieces, never inside a character. */
function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,120}/gu) ?? [];
}

function event(type: string, data: object): StreamEvent {
  return { text: `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`, endsBlock: false };
}
