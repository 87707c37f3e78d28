import { createHash } from 'node:crypto';
import { blocksOf, type Entry, resultId, uuidOf } from './entry.js';

/**
 * A uuid that is derived, never drawn: the harness writes what follows under it, and the next load must find the same parent.
 */
export function derivedUuid(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(parts.join('\n')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A result for the call `id` of `entry`, in the shape that the program itself writes. */
export function madeUpResult(entry: Entry, id: string, content: string): Entry {
  const source = uuidOf(entry) ?? '';
  return {
    ...outerFields(entry),
    type: 'user',
    uuid: derivedUuid(source, id),
    parentUuid: source,
    sourceToolAssistantUUID: source,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: false }] },
  };
}

/** Words that stand before `entry`, as from the program itself. */
export function madeUpPrompt(entry: Entry, words: string): Entry {
  return {
    ...outerFields(entry),
    type: 'user',
    uuid: derivedUuid('before', uuidOf(entry) ?? ''),
    parentUuid: entry.parentUuid,
    isMeta: true,
    message: { role: 'user', content: [{ type: 'text', text: words }] },
  };
}

const copied = [
  'sessionId',
  'cwd',
  'gitBranch',
  'version',
  'agentId',
  'isSidechain',
  'userType',
  'entrypoint',
  'timestamp',
];

function outerFields(entry: Entry): Record<string, unknown> {
  return Object.fromEntries(copied.filter((field) => field in entry).map((field) => [field, entry[field]]));
}

const derived = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

/** True for an entry that exists in curated copies only: the program draws its uuids, which then have another form. */
export function isDerived(entry: Entry): boolean {
  return derived.test(uuidOf(entry) ?? '');
}

/** True for a result that curation made up, told by its uuid alone. */
export function isMadeUp(entry: Entry): boolean {
  const source = entry.sourceToolAssistantUUID;
  if (!isDerived(entry)) return false;
  const blocks = blocksOf(entry);
  const id = blocks[0] && blocks.length === 1 ? resultId(blocks[0]) : null;
  return typeof source === 'string' && id !== null && entry.uuid === derivedUuid(source, id);
}
