import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { type Locale, text } from '../locale/locale.js';

/**
 * Adds a person's words to the end of a file, under a heading with the time of day. What the file says already is history and
 * stays as it is; only the hash of a frozen file is renewed with it, in one atomic write. Throws if the file cannot be written.
 */
export function appendAmendment(path: string, words: string, label: string, locale: Locale): void {
  const file = resolve(path);
  const old = readIfThere(file) ?? `# ${text('amend.fileTitle', {}, locale)}\n`;
  const time = new Date().toTimeString().slice(0, 8);
  const heading = locale === 'zh' ? `## ${label}(${time})` : `## ${label} (${time})`;
  const body = words.replace(/\r\n?/g, '\n').replace(/^#/gm, ' #');
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomic.sync(file, renewHash(`${old}${old.endsWith('\n') ? '' : '\n'}\n${heading}\n${body}\n`));
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function renewHash(content: string): string {
  const line = /^<!-- flower sha256=[0-9a-f]{64} -->\r?\n/.exec(content)?.[0];
  if (line === undefined) return content;
  const rest = content.slice(line.length);
  const hash = createHash('sha256').update(rest.replace(/\r\n?/g, '\n')).digest('hex');
  return `<!-- flower sha256=${hash} -->\n${rest}`;
}
