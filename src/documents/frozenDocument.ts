import { readDocument, writeDocument } from './documentFile.js';
import { sealed, unsealed } from './seal.js';

/** A document that is frozen when it is written: its file carries a hash, so that a later edit is noticed. */
export abstract class FrozenDocument {
  /** Absolute path of the file that was written or loaded last. */
  path: string | null = null;
  #hash: string | null = null;
  #edited = false;

  /** SHA-256 of what was written or loaded last, null before that. */
  get hash(): string | null {
    return this.#hash;
  }

  /** The file it was loaded from had been changed after it was frozen. A person may do that; others have to be told. */
  get edited(): boolean {
    return this.#edited;
  }

  /** What its file is called as a durable write. */
  protected abstract get kind(): 'brief' | 'goal';

  /** The document as it stands in its file, without the hash line. */
  abstract toMarkdown(): string;

  /**
   * Writes the file, with its hash in the first line, and returns its absolute path.
   *
   * @throws the error of the file system
   */
  write(path: string): string {
    const file = sealed(this.toMarkdown());
    this.path = writeDocument(path, file, `document.${this.kind}`);
    this.#hash = unsealed(file).hash;
    this.#edited = false;
    return this.path;
  }

  /** Loads a document; null if there is no such file or it cannot be read. */
  protected static loadWith<T extends FrozenDocument>(path: string, parse: (text: string) => T): T | null {
    const file = readDocument(path);
    if (!file) return null;
    const document = parse(file.text);
    const { hash, edited } = unsealed(file.text);
    document.path = file.path;
    document.#hash = hash;
    document.#edited = edited;
    return document;
  }
}
