import { closeSync, openSync, readSync } from 'node:fs';
import { cutText } from './cutText.js';

const HEAD_BYTES = 4096;
const HEAD_LINES = 8;
const MAX_LENGTH = 100;

/**
 * One line that says what a file is for, taken from its head: the `desc:` mark, else its first comment, else the first line of
 * its docstring, else `''`. Only 4 KiB are read, so that a log of gigabytes costs no more than a script.
 */
export function describeFile(path: string): string {
  const lines = readHead(path)
    .split(/\r\n|\r|\n/, HEAD_LINES)
    .map((line) => line.replace(/\p{Cc}+/gu, ' ').trim());
  for (const line of lines) {
    const marked = /^(?:#|\/\/|--)\s*desc\s*[:：]\s*(\S.*)$/i.exec(line)?.[1];
    if (marked !== undefined) return marked;
  }
  // A shebang names the interpreter and says nothing about the script.
  const comment = lines.find((line) => /^(?:#(?!!)|\/\/|--)/.test(line) && line.length > 3);
  if (comment !== undefined) return cutText(comment.replace(/^[#/\-\s]+/, ''), MAX_LENGTH);
  const opening = lines.findIndex((line) => /^("""|''')/.test(line));
  if (opening === -1) return '';
  const docstring = lines.slice(opening).map((line) => line.replace(/^("""|''')|("""|''')$/g, '').trim());
  return cutText(docstring.find((line) => line !== '') ?? '', MAX_LENGTH);
}

function readHead(path: string): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const length = readSync(file, buffer, 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, length).replace(/^\uFEFF/, '');
  } finally {
    closeSync(file);
  }
}
