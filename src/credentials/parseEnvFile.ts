import { parse } from 'dotenv';

/** Something in a `.env` that its writer most likely meant otherwise. Never holds a value. */
export interface EnvProblem {
  readonly kind: 'open_quote' | 'cut_at_hash' | 'bad_key';
  /** Counted from 1. */
  readonly line: number;
  readonly key: string;
}

export interface EnvFile {
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly EnvProblem[];
}

/**
 * Reads the text of a `.env` file. Syntax and values are those of `dotenv`; each assignment is handed to it alone, so that a quote
 * somebody forgot to close cannot swallow the assignments below it.
 *
 * @example
 * parseEnvFile('export A="x # y"  # note').values.get('A'); // 'x # y'
 */
export function parseEnvFile(source: string): EnvFile {
  const values = new Map<string, string>();
  const problems: EnvProblem[] = [];
  for (const { line, lines, entries, openQuote } of statementsOf(source)) {
    for (const [key, value] of entries) {
      const report = (kind: EnvProblem['kind']) => problems.push({ kind, line, key });
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) {
        report('bad_key');
        continue;
      }
      values.set(key, value);
      if (openQuote) report('open_quote');
      else if (lines.length === 1 && isCutAtHash(lines[0] ?? '')) report('cut_at_hash');
    }
  }
  return { values, problems };
}

/** One line of a `.env`, or the lines that one quoted value takes; without entries for a comment, a blank or stray text. */
export interface EnvStatement {
  /** Of its first line, counted from 1. */
  readonly line: number;
  readonly lines: readonly string[];
  readonly entries: readonly (readonly [key: string, value: string])[];
  readonly openQuote: boolean;
}

/** Splits a `.env` into statements; their lines together are the whole text. */
export function* statementsOf(source: string): Generator<EnvStatement> {
  const all = source.split(/\r\n?|\n/);
  for (let index = 0; index < all.length; ) {
    const { lineCount, openQuote } = measureAssignment(all, index);
    const lines = all.slice(index, index + lineCount);
    yield { line: index + 1, lines, entries: Object.entries(parse(lines.join('\n'))), openQuote };
    index += lineCount;
  }
}

const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+(?:\s*=|:\s)\s*(.*)$/;
const NEXT_ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*[^\s=]/;
const QUOTED = /^(?:'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`)\s*(?:#.*)?$/;

/** How many lines the assignment that begins at `index` takes, and whether its quote was left open. */
function measureAssignment(lines: readonly string[], index: number): { lineCount: number; openQuote: boolean } {
  const value = ASSIGNMENT.exec(lines[index] ?? '')?.[1] ?? '';
  const quote = value[0];
  if (quote !== '"' && quote !== "'" && quote !== '`') return { lineCount: 1, openQuote: false };
  const closing = new RegExp(`(?<!\\\\)${quote}`);
  if (closing.test(value.slice(1))) return { lineCount: 1, openQuote: false };
  for (let end = index + 1; end < lines.length; end++) {
    const line = lines[end] ?? '';
    if (NEXT_ASSIGNMENT.test(line)) break;
    if (!closing.test(line)) continue;
    if (QUOTED.test([value, ...lines.slice(index + 1, end + 1)].join('\n'))) {
      return { lineCount: end - index + 1, openQuote: false };
    }
    break;
  }
  return { lineCount: 1, openQuote: !QUOTED.test(value) };
}

function isCutAtHash(line: string): boolean {
  const value = ASSIGNMENT.exec(line)?.[1] ?? '';
  if (QUOTED.test(value)) return false;
  const hash = line.indexOf('#', line.length - value.length);
  return hash > 0 && !/\s/.test(line[hash - 1] ?? '');
}
