import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { type Locale, text } from '../locale/locale.js';
import { statementsOf } from './parseEnvFile.js';
import { userEnvPath } from './userEnvPath.js';

/**
 * Stores settings in the user's own file: keys with a value are set, keys with null are taken out, everything else in the file
 * stays as it is. The file is readable by its owner alone at every moment, and is never half written.
 *
 * @throws TypeError for a value that no `.env` can hold; an Error of the file system
 * @example
 * saveUserEnv({ ANTHROPIC_API_KEY: 'sk-ant-…', ANTHROPIC_AUTH_TOKEN: null });
 */
export function saveUserEnv(
  values: Readonly<Record<string, string | null>>,
  options: { readonly path?: string; readonly locale?: Locale } = {},
): void {
  const { path = userEnvPath(), locale } = options;
  const added = Object.entries(values).flatMap(([key, value]) => (value ? [`${key}=${quoted(key, value)}`] : []));
  const kept = keptLines(path, new Set(Object.keys(values)));
  const head = kept[0]?.startsWith('# flower') ? [] : [text('setup.file_head', {}, locale)];
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileAtomic.sync(path, `${[...head, ...kept, ...added].join('\n')}\n`, { mode: 0o600 });
}

function keptLines(path: string, replaced: ReadonlySet<string>): string[] {
  let source = '';
  try {
    source = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .trimEnd();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  if (source === '') return [];
  return [...statementsOf(source)].flatMap(({ lines, entries }) =>
    entries.some(([key]) => replaced.has(key)) ? [] : lines,
  );
}

/** The value as `dotenv` reads it back. */
function quoted(key: string, value: string): string {
  const quote = ['', "'", '"', '`'].find((mark) => readsBack(`${mark}${value}${mark}`, value));
  if (quote === undefined) throw new TypeError(`saveUserEnv: ${key} must fit on one line of a .env file`);
  return `${quote}${value}${quote}`;
}

function readsBack(written: string, value: string): boolean {
  const statements = [...statementsOf(`K=${written}`)];
  return !/[\r\n]/.test(value) && statements.length === 1 && statements[0]?.entries[0]?.[1] === value;
}
