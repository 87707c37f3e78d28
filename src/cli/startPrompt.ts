import { createInterface } from 'node:readline';

/** Asks for one line at the terminal; null for Ctrl-C and Ctrl-D. The part in `‹…›` is a remark. */
export function askLine(heading: string): Promise<string | null> {
  process.stdout.write(`${heading.replace(/[‹›]/gu, '')}\n`);
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ', historySize: 0 });
  return new Promise((resolve) => {
    const settle = (line: string | null) => {
      resolve(line);
      lines.close();
    };
    lines.once('line', settle);
    lines.once('SIGINT', () => settle(null));
    lines.once('close', () => resolve(null));
    lines.prompt();
  });
}

/** All of an input that is no terminal, trimmed: a request may have several lines. */
export async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of input) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8').trim();
}
