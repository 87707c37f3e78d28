import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { type DurableWrite, durably } from '../durableWrites.js';

/** Writes a document in one step, so that no reader ever sees half of it, and returns its absolute path. Creates folders. */
export function writeDocument(path: string, text: string, write: DurableWrite): string {
  const target = resolve(path);
  mkdirSync(dirname(target), { recursive: true });
  durably(write, () => writeFileAtomic.sync(target, text, 'utf8'));
  return target;
}

/** The text of a file and its absolute path; null if it is absent or cannot be read. */
export function readDocument(path: string): { text: string; path: string } | null {
  try {
    const source = resolve(path);
    return { text: readFileSync(source, 'utf8'), path: source };
  } catch {
    return null;
  }
}
