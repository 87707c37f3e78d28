import { COMMANDS, NAMES_ONLY, VERSION_PROBES } from './commands.js';
import { judgeGit } from './git.js';
import { judgeArguments } from './judgeArguments.js';
import { isDevice, type Word } from './readWord.js';
import { type Refusal, refuse } from './refusal.js';

/** Judges one simple command: a listed program, written plainly, with arguments that only look. */
export function judgeCommand(words: readonly Word[]): Refusal | null {
  const [verb, ...rest] = words;
  if (!verb) return refuse('empty');
  if (!verb.literal && verb.source !== '[') return refuse('spelling', verb.source);
  const name = verb.source;
  if (rest.length === 1 && own(VERSION_PROBES, name)?.includes(rest[0]?.source ?? '')) return null;
  if (name === 'git') return judgeGit(rest);
  const rules = own(COMMANDS, name);
  if (!rules) return refuse('unlisted', name);
  return judgeDevices(name, rest) ?? judgeArguments(rest, rules);
}

function judgeDevices(name: string, words: readonly Word[]): Refusal | null {
  const device = NAMES_ONLY.has(name) ? undefined : words.find((word) => isDevice(word.value));
  return device ? refuse('endless', device.source) : null;
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
