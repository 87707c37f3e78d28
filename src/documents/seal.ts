import { createHash } from 'node:crypto';
import { normalized } from './blocks.js';

const sealLine = /^<!-- flower sha256=([0-9a-f]{64}) -->(?:\n|$)/;

/** What a sealed file says of itself. */
export interface Seal {
  /** The text behind the hash line. */
  readonly body: string;
  /** SHA-256 of that text, as 64 hex digits. */
  readonly hash: string;
  /** The hash in the file, null if it has none. */
  readonly written: string | null;
  /** The file has a hash and it is another: somebody changed the file after it was frozen. */
  readonly edited: boolean;
}

/**
 * Puts the hash line in front of a text. A file that is changed on purpose is sealed anew, so that the change is no edit.
 *
 * @example
 * writeFileSync(path, sealed(unsealed(old).body + addition));
 */
export function sealed(body: string): string {
  return `<!-- flower sha256=${hashOf(body)} -->\n${body}`;
}

/**
 * Takes the hash line off a text, if it has one, and checks it. Line ends and a byte-order mark do not count.
 *
 * @example
 * unsealed(readFileSync(path, 'utf8')).edited;
 */
export function unsealed(text: string): Seal {
  const whole = normalized(text);
  const body = withoutSeal(whole);
  const hash = hashOf(body);
  const written = sealLine.exec(whole)?.[1] ?? null;
  return { body, hash, written, edited: written !== null && written !== hash };
}

/** The text behind the hash line. */
export function withoutSeal(text: string | null | undefined): string {
  return normalized(text).replace(sealLine, '');
}

function hashOf(body: string): string {
  return createHash('sha256').update(body, 'utf8').digest('hex');
}
