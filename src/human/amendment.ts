import { amendmentsOf, amendmentText } from '../documents/amendments.js';
import { readDocumentFile, writeDocument } from '../documents/documentFile.js';
import { sealed, unsealed } from '../documents/seal.js';
import { type Locale, text } from '../locale/locale.js';

/**
 * Adds a person's words to the end of a file, under a heading with the time of day. What the file says already is history and
 * stays as it is; only the hash of a frozen file is renewed with it, in one atomic write. Throws if the file cannot be written.
 *
 * @returns the amendment as the file holds it now
 */
export function appendAmendment(path: string, words: string, label: string, locale: Locale): string {
  const old = readIfThere(path) ?? `# ${text('amend.fileTitle', {}, locale)}\n`;
  const time = new Date().toTimeString().slice(0, 8);
  const heading = locale === 'zh' ? `## ${label}(${time})` : `## ${label} (${time})`;
  const lines = words.replace(/\r\n?/g, '\n').replace(/^#/gm, ' #');
  const block = `${old.endsWith('\n') ? '' : '\n'}\n${heading}\n${lines}\n`;

  const seal = unsealed(old);
  // A hash that is wrong already tells that somebody edited the file; a right one now would hide it.
  const renews = seal.written !== null && !seal.edited;
  writeDocument(path, renews ? sealed(seal.body + block) : old + block, 'document.amendment');
  return amendmentsOf(block).map(amendmentText).join('\n\n');
}

/** Null only if there is no such file: one that cannot be read must not be replaced. */
function readIfThere(path: string): string | null {
  try {
    return readDocumentFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
