import { blocksOf, callId, type Entry, isObject } from './entry.js';

/** Says of a Bash command line whether it only looks. */
export type LooksOnly = (command: string) => boolean;

export interface Call {
  readonly name: string;
  /** The command line of a Bash call, else null. */
  readonly command: string | null;
  /** Place among all calls of the list. */
  readonly order: number;
}

/** All calls of the list by id; of two with one id the first. */
export function callsOf(entries: readonly Entry[]): ReadonlyMap<string, Call> {
  const calls = new Map<string, Call>();
  for (const entry of entries) {
    if (entry.type !== 'assistant') continue;
    for (const block of blocksOf(entry)) {
      const id = callId(block);
      if (id === null || calls.has(id)) continue;
      const command = block.name === 'Bash' && isObject(block.input) ? block.input.command : null;
      calls.set(id, {
        name: String(block.name),
        command: typeof command === 'string' ? command : null,
        order: calls.size,
      });
    }
  }
  return calls;
}

const lookingTools = new Set(['Read', 'Grep', 'Glob']);

/** True for a call that changed nothing, however it ended. */
export function onlyLooks(call: Pick<Call, 'name' | 'command'>, looksOnly: LooksOnly): boolean {
  return lookingTools.has(call.name) || (call.command !== null && looksOnly(call.command));
}
