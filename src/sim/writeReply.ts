import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './answer.js';
import { eventsOf, overloaded, type StreamEvent } from './eventStream.js';
import type { Break, Reply } from './reply.js';

/** A client that learns of a cut while bytes are still unread throws those away; so it gets this long to read them. */
const readingMs = 400;

/**
 * Writes a reply to the wire, with its delay, its slowness and its break. Ends quietly when the client goes away. `answer` is
 * the message to send; null for a reply that is no message.
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
    if (answer === null) writePlain(response, reply);
    else await writeAnswer(response, reply, answer, stream, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

function writePlain(response: ServerResponse, { parts: { http, break: broken } }: Reply): void {
  if (broken?.by === 'reset') response.socket?.resetAndDestroy();
  if (http === undefined) return; // a stall: the connection ends when the client gives up or the sim closes
  response.writeHead(http.status, { 'request-id': 'req_sim', ...http.headers });
  response.end(http.body);
}

async function writeAnswer(
  response: ServerResponse,
  { parts }: Reply,
  answer: Answer,
  stream: boolean,
  gone: AbortSignal,
): Promise<void> {
  const { slow, break: broken } = parts;
  const failed = broken?.by === 'error' && !stream;
  response.writeHead(failed ? 529 : 200, {
    'content-type': stream ? 'text/event-stream; charset=utf-8' : 'application/json',
    'cache-control': 'no-cache',
    'request-id': answer.id.replace('msg_', 'req_'),
  });
  if (failed) {
    response.end(JSON.stringify(overloaded));
    return;
  }
  response.flushHeaders();
  const body = bodyBefore(stream ? eventsOf(answer) : [{ text: JSON.stringify(answer), endsBlock: true }], broken);
  const step = slow?.bytes ?? Math.max(1, body.length);
  for (let at = 0; at < body.length; at += step) {
    if (slow !== undefined && at > 0) await wait(slow.everyMs, undefined, { signal: gone });
    await send(response, body.subarray(at, at + step));
  }
  if (broken === undefined) response.end();
  else if (broken.by === 'error') response.end(`event: error\ndata: ${JSON.stringify(overloaded)}\n\n`);
  else if (broken.by === 'reset') {
    await wait(readingMs, undefined, { signal: gone });
    response.socket?.resetAndDestroy();
  }
}

/** The bytes that go out before the break, or all of them. */
function bodyBefore(events: readonly StreamEvent[], broken: Break | undefined): Buffer {
  const after = broken?.after;
  if (typeof after === 'string') return Buffer.alloc(0);
  if (after === undefined) return join(events);
  if ('bytes' in after) return join(events).subarray(0, after.bytes);
  const ends = events.flatMap((event, index) => (event.endsBlock ? [index + 1] : []));
  const start = events.findIndex((event) => event.text.startsWith('event: content_block_start'));
  return join(events.slice(0, after.blocks === 0 ? Math.max(0, start) : ends[after.blocks - 1]));
}

function join(events: readonly StreamEvent[]): Buffer {
  return Buffer.from(events.map((event) => event.text).join(''));
}

async function send(response: ServerResponse, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    response.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
