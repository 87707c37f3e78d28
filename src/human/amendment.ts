import { readDocumentFile, writeDocument } from '../documents/documentFile.js';
import { sealed, unsealed } from '../documents/seal.js';
import { type Locale, text } from '../locale/locale.js';

/** A person's words under a heading with the time of day, as a file holds them. */
export function newAmendment(words: string, label: string, locale: Locale): string {
  const time = new Date().toTimeString().slice(0, 8);
  const heading = locale === 'zh' ? `## ${label}(${time})` : `## ${label} (${time})`;
  return `${heading}\n${words.replace(/\r\n?/g, '\n').replace(/^#/gm, ' #')}`;
}

/**
 * Puts an amendment at the end of a file. What the file says already is history and stays as it is; only the hash of a frozen file is
 * renewed with it, in one atomic write. Throws if the file cannot be written.
 */
export function appendAmendment(path: string, amendment: string, locale: Locale): void {
  const old = readIfThere(path) ?? `# ${text('amend.fileTitle', {}, locale)}\n`;
  const block = `${old.endsWith('\n') ? '' : '\n'}\n${amendment}\n`;
  const seal = unsealed(old);
  // A hash that is wrong already tells that somebody edited the file; a right one now would hide it.
  const renews = seal.written !== null && !seal.edited;
  writeDocument(path, renews ? sealed(seal.body + block) : old + block, 'document.amendment');
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
