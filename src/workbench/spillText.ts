import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

/** Writes a text into the folder, under a name made from its content, so that the same text is stored once. Returns the path. */
export function spillText(folder: string, text: string | Buffer): string {
  const bytes = Buffer.from(text);
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.txt`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileAtomic.sync(path, bytes);
  }
  return path;
}
