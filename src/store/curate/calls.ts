import { type Block, blocksOf, callId, type Entry, isObject } from './entry.js';

/** Says of a Bash command line whether it only looks. */
export type LooksOnly = (command: string) => boolean;

export interface Call {
  readonly name: string;
  /** The command line of a Bash call, else null. */
  readonly command: string | null;
}

/** What a `tool_use` block calls. */
export function callIn(block: Block): Call {
  const command = block.name === 'Bash' && isObject(block.input) ? block.input.command : null;
  return { name: String(block.name), command: typeof command === 'string' ? command : null };
}

/** A call with its place among all calls of the list. */
export interface OrderedCall extends Call {
  readonly order: number;
}

/** All calls of the list by id; of two with one id the first. */
export function callsOf(entries: readonly Entry[]): ReadonlyMap<string, OrderedCall> {
  const calls = new Map<string, OrderedCall>();
  for (const entry of entries) {
    if (entry.type !== 'assistant') continue;
    for (const block of blocksOf(entry)) {
      const id = callId(block);
      if (id === null || calls.has(id)) continue;
      const { name, command } = callIn(block);
      calls.set(id, { name, command, order: calls.size });
    }
  }
  return calls;
}

const lookingTools = new Set(['Read', 'Grep', 'Glob']);

/** True for a call that changed nothing, however it ended. */
export function onlyLooks(call: Call, looksOnly: LooksOnly): boolean {
  return lookingTools.has(call.name) || (call.command !== null && looksOnly(call.command));
}
