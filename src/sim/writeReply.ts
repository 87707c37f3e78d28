import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './answer.js';
import { eventsOf, overloadedEvent, type StreamEvent } from './eventStream.js';
import type { Break, Reply } from './reply.js';

/**
 * Writes a reply to the wire, with its delay, its slowness and its break. Ends quietly when the client goes away. `answer` is
 * the message to send; null for a reply that is bare HTTP.
 */
export async function writeReply(
  response: ServerResponse,
  reply: Reply,
  answer: Answer | null,
  stream: boolean,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    if (reply.parts.delayMs !== undefined) await wait(reply.parts.delayMs, undefined, { signal: gone.signal });
    await write(response, reply, answer, stream, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

async function write(
  response: ServerResponse,
  reply: Reply,
  answer: Answer | null,
  stream: boolean,
  gone: AbortSignal,
): Promise<void> {
  const { http, slow, break: broken } = reply.parts;
  if (broken?.after === 'nothing') return breakNow(response, broken);
  if (http !== undefined || answer === null) {
    response.writeHead(http?.status ?? 200, { ...idHeader(answer), ...http?.headers });
    response.end(http?.body ?? '');
    return;
  }
  response.writeHead(200, {
    'content-type': stream ? 'text/event-stream; charset=utf-8' : 'application/json',
    'cache-control': 'no-cache',
    ...idHeader(answer),
  });
  response.flushHeaders();
  const events = stream ? eventsOf(answer) : [{ text: JSON.stringify(answer), endsBlock: true }];
  const body =
    broken === undefined ? Buffer.from(events.map((event) => event.text).join('')) : bodyBefore(events, broken);
  for (let at = 0; at < body.length; at += slow?.bytes ?? body.length) {
    if (slow !== undefined && at > 0) await wait(slow.everyMs, undefined, { signal: gone });
    await send(response, body.subarray(at, at + (slow?.bytes ?? body.length)), gone);
  }
  if (broken === undefined) response.end();
  else breakNow(response, broken);
}

/** What goes out before the break. */
function bodyBefore(events: readonly StreamEvent[], { after }: Break): Buffer {
  if (typeof after === 'string') return Buffer.alloc(0);
  if ('bytes' in after) return Buffer.from(events.map((event) => event.text).join('')).subarray(0, after.bytes);
  let left = after.blocks;
  const firstBlock = events.findIndex((event) => event.text.startsWith('event: content_block_start'));
  if (left === 0)
    return Buffer.from(
      events
        .slice(0, Math.max(0, firstBlock))
        .map((event) => event.text)
        .join(''),
    );
  const last = events.findIndex((event) => event.endsBlock && --left === 0);
  return Buffer.from(
    events
      .slice(0, last + 1)
      .map((event) => event.text)
      .join(''),
  );
}

function breakNow(response: ServerResponse, { by }: Break): void {
  if (by === 'reset') response.socket?.resetAndDestroy();
  else if (by === 'error') response.end(overloadedEvent.text);
  // A stall says nothing more. The connection ends when the client gives up or the sim closes.
}

/** Resolves when the bytes have left this process, so that a reset that follows doesn't swallow them. */
async function send(response: ServerResponse, bytes: Buffer, gone: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    gone.addEventListener('abort', () => reject(gone.reason), { once: true });
    response.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function idHeader(answer: Answer | null): Record<string, string> {
  return { 'request-id': answer === null ? 'req_sim' : answer.id.replace('msg_', 'req_') };
}
