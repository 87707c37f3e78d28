import { readFileSync } from 'node:fs';

/** A row of a table of command lines. */
export interface CommandRow {
  readonly command: string;
  readonly allow: boolean;
  readonly reason: string;
}

const fixtures = new URL('../../src/shell/fixtures/', import.meta.url);

/** Reads a table `command, verdict, reason`; `\n`, `\r`, `\t`, `\\` in a command stand for the characters. */
export function readRows(name: string): CommandRow[] {
  const [, ...lines] = readFileSync(new URL(name, fixtures), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [command = '', verdict = '', reason = ''] = line.split('\t');
    return {
      command: command.replace(/\\([nrt\\])/g, (_, char: string) => ({ n: '\n', r: '\r', t: '\t' })[char] ?? '\\'),
      allow: verdict === 'allow',
      reason,
    };
  });
}

/** The commands that must be possible while looking around, fixed before the rules were written. */
export function readLookAround(): string[] {
  return readFileSync(new URL('lookAround.txt', fixtures), 'utf8').trimEnd().split('\n');
}
