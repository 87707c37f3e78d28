import { fitPayload } from '../books/fitPayload.js';
import type { EventRow } from '../books/types.js';

/** A row of the event log as one line of JSON, its payload as the log holds it. */
export function jsonRow({ seq, at, step, kind, text, tool, payload }: EventRow): string {
  const head = JSON.stringify({ seq, at, step, kind, text, tool });
  return `${head.slice(0, -1)},"payload":${fitPayload(payload)}}\n`;
}
