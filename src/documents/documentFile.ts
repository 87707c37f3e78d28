import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { type DurableWrite, durably } from '../durableWrites.js';
import { FlowerError } from '../errors.js';
import { text } from '../locale/locale.js';

/** Documents are written for people and models. A larger file is none, and to look through it would take minutes. */
const LARGEST_BYTES = 4 * 1024 ** 2;

/**
 * Writes a document in one step, so that no reader ever sees half of it, and returns its absolute path. Creates folders.
 *
 * @throws FlowerError `document_unreadable` if something stands there that is no document, which would be lost
 */
export function writeDocument(path: string, words: string, write: DurableWrite): string {
  const target = resolve(path);
  const fault = documentFault(target);
  if (fault) throw fault;
  mkdirSync(dirname(target), { recursive: true });
  durably(write, () => writeFileAtomic.sync(target, words, 'utf8'));
  return target;
}

/** The text of a file and its absolute path; null if it is absent or cannot be read. */
export function readDocument(path: string): { text: string; path: string } | null {
  try {
    const source = resolve(path);
    return { text: readDocumentFile(source), path: source };
  } catch {
    return null;
  }
}

/**
 * The text of a document's file.
 *
 * @throws FlowerError `document_unreadable` for what is no file, such as a pipe that would have to be waited for, and for a file too
 * large to be a document. Errors of the file system as they are.
 */
export function readDocumentFile(path: string): string {
  const fault = documentFault(path);
  if (fault) throw fault;
  return readFileSync(path, 'utf8');
}

/** Why what stands at a path is no document, in words for a person; null if it is one, or nothing is there. */
export function documentFault(path: string): FlowerError | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.isFile() && stats.size <= LARGEST_BYTES)) return null;
  const megabytes = Math.round(stats.size / 1024 ** 2);
  const why = stats.isFile() ? text('document.tooLarge', { megabytes }) : text('document.noFile');
  return new FlowerError('document_unreadable', text('document.unreadable', { path, why }));
}
