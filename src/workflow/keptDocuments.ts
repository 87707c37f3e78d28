import { createHash } from 'node:crypto';
import { readDocumentFile } from '../documents/documentFile.js';

/** The name under which the books keep how brief and goal were when the last run ended. */
export const DOCUMENTS_KEPT = 'documents';

/** SHA-256 of the files of brief and goal, null for one that is not there. */
export interface KeptDocuments {
  readonly brief: string | null;
  readonly goal: string | null;
}

/** Brief and goal as they are now. */
export function documentsNow(brief: string | null | undefined, goal: string | null | undefined): KeptDocuments {
  return { brief: fileHash(brief), goal: fileHash(goal) };
}

function fileHash(path: string | null | undefined): string | null {
  try {
    return path ? createHash('sha256').update(readDocumentFile(path)).digest('hex') : null;
  } catch {
    return null;
  }
}
