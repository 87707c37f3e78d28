import { readFileSync } from 'node:fs';
import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';

type Entry = SessionStoreEntry;
type Block = { readonly type: string; readonly [key: string]: unknown };

/** A recorded transcript: entries as the SDK handed them to `append`. */
export function recorded(name: 'session' | 'subagent' | 'compact'): Entry[] {
  const text = readFileSync(new URL(`../fixtures/transcripts/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export function user(uuid: string, parentUuid: string | null, content: string | readonly Block[], extra = {}): Entry {
  return { type: 'user', uuid, parentUuid, message: { role: 'user', content }, ...extra };
}

export function assistant(
  uuid: string,
  parentUuid: string | null,
  id: string,
  content: readonly Block[],
  extra = {},
): Entry {
  return { type: 'assistant', uuid, parentUuid, message: { id, role: 'assistant', model: 'm-1', content }, ...extra };
}

export function text(words: string): Block {
  return { type: 'text', text: words };
}

export function call(id: string, name: string, input: object = {}): Block {
  return { type: 'tool_use', id, name, input };
}

export function bash(id: string, command: string): Block {
  return call(id, 'Bash', { command });
}

export function result(id: string, content: unknown, extra = {}): Block {
  return { type: 'tool_result', tool_use_id: id, content, ...extra };
}

/** One Bash call after another with its result, in one chain that hangs on `parent`. */
export function calls(rows: readonly (readonly [command: string, output: string])[], parent: string | null): Entry[] {
  return rows.flatMap(([command, output], i) => [
    assistant(`call${i}`, i === 0 ? parent : `result${i - 1}`, `msg_${i}`, [bash(`toolu_${i}`, command)]),
    user(`result${i}`, `call${i}`, [result(`toolu_${i}`, output)]),
  ]);
}

/** The contents of all results, in order. */
export function resultContents(entries: readonly Entry[]): unknown[] {
  return entries
    .flatMap((entry) => blocks(entry).filter((block) => block.type === 'tool_result'))
    .map((b) => b.content);
}

export function blocks(entry: Entry | undefined): readonly Block[] {
  const content = (entry?.message as { content?: unknown } | undefined)?.content;
  return Array.isArray(content) ? content : [];
}

/** Uuids of the chain from the last chain entry to its beginning. */
export function chain(entries: readonly Entry[]): unknown[] {
  const byUuid = new Map(entries.map((entry) => [entry.uuid as unknown, entry]));
  const walked: unknown[] = [];
  let current = entries.findLast((entry) => 'parentUuid' in entry);
  while (current && !walked.includes(current.uuid)) {
    walked.push(current.uuid);
    current = byUuid.get(current.parentUuid);
  }
  return walked;
}

export function find(entries: readonly Entry[], uuid: string): Entry | undefined {
  return entries.find((entry) => entry.uuid === uuid);
}
