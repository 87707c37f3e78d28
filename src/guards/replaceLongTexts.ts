import { asRecord } from './preToolGuard.js';

/** Stores a text and gives what stands in its place; `field` is the name of the field that held it. */
export type StoreText = (text: string, field: string) => string;

/** Fields that are not for reading: paths and words that the harness checks, and data that is no text. */
const KEPT = new Set([
  'type',
  'mode',
  'url',
  'codeText',
  'filePath',
  'outputFile',
  'persistedOutputPath',
  'backgroundTaskId',
  'base64',
]);
/** So many characters of a list of file names stay as they are. */
const LIST_HEAD = 400;

/**
 * Replaces the long texts in the result of a tool, each by what `store` gives. The shape stays: the harness checks the result of a
 * built-in tool and takes the original if anything but a text changed. Returns the same value if nothing was long.
 */
export function replaceLongTexts(tool: string, response: unknown, threshold: number, store: StoreText): unknown {
  const isLong = (text: string) => text.length >= threshold;
  if (tool.startsWith('mcp__') && Array.isArray(response))
    return mapIfChanged(response, (block) => replaceInBlock(block, isLong, store));
  if (isPicture(response)) return response;
  const replaced = replaceFields(response, isLong, store, '');
  if (replaced === response || typeof replaced !== 'object') return replaced;
  // With these the harness would wrap the pointer into a pointer of its own.
  const { persistedOutputPath: _path, persistedOutputSize: _size, ...rest } = asRecord(replaced);
  return rest;
}

/** What Read and Bash answer for an image, a notebook or a document. */
function isPicture(response: unknown): boolean {
  const { type, file, isImage } = asRecord(response);
  return isImage === true || (file !== undefined && type !== undefined && type !== 'text');
}

function replaceFields(value: unknown, isLong: (text: string) => boolean, store: StoreText, field: string): unknown {
  if (typeof value === 'string') return isLong(value) ? store(value, field) : value;
  if (Array.isArray(value)) return field === 'filenames' ? replaceList(value, isLong, store) : value;
  if (typeof value !== 'object' || value === null) return value;
  const before = Object.entries(value);
  const after = before.map(
    ([key, inner]) => [key, KEPT.has(key) ? inner : replaceFields(inner, isLong, store, key)] as const,
  );
  return after.every(([, inner], i) => inner === before[i]?.[1]) ? value : Object.fromEntries(after);
}

/** A list of file names keeps its beginning and gets the pointer as its last entry. */
function replaceList(
  names: readonly unknown[],
  isLong: (text: string) => boolean,
  store: StoreText,
): readonly unknown[] {
  const all = names.join('\n');
  if (!isLong(all)) return names;
  let length = 0;
  const cut = names.findIndex((name) => {
    length += String(name).length + 1;
    return length > LIST_HEAD;
  });
  return [...names.slice(0, cut), store(all, 'filenames')];
}

/** A text block of an MCP result; images and resources stay as they are. */
function replaceInBlock(block: unknown, isLong: (text: string) => boolean, store: StoreText): unknown {
  const { type, text } = asRecord(block);
  if (type !== 'text' || typeof text !== 'string' || !isLong(text)) return block;
  return { ...asRecord(block), text: store(text, 'text') };
}

function mapIfChanged(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(change);
  return changed.every((item, i) => item === items[i]) ? items : changed;
}
