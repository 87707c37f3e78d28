import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import writeFileAtomic from 'write-file-atomic';
import { text } from '../locale/locale.js';
import { cutText } from '../workbench/cutText.js';
import { isInside } from '../workbench/paths.js';
import type { Workbench } from '../workbench/workbench.js';
import { postToolGuard } from './postToolGuard.js';
import type { ToolCall } from './preToolGuard.js';
import { BULKY } from './toolNames.js';

export interface SpillGuardOptions {
  /** A text of this many UTF-16 units or more is stored. @default 4000 */
  readonly threshold?: number;
  /** Tools whose results are looked at, joined by `|`. @default BULKY */
  readonly tools?: string;
  /** Leave workers' results alone. @default false */
  readonly mainOnly?: boolean;
}

const HEAD_LENGTH = 400;

/**
 * Keeps long tool results out of the context: the text goes into a file of the workbench, the model gets the path and the first
 * 400 characters.
 *
 * @example
 * const hooks = { PostToolUse: [spillGuard(workbench, { threshold: 8000 })] };
 */
export function spillGuard(workbench: Workbench, options: SpillGuardOptions = {}): HookCallbackMatcher {
  const { threshold = 4000, tools = BULKY, mainOnly = false } = options;
  return postToolGuard(tools, (call, response) => {
    if ((mainOnly && !call.mainThread) || readsSpilled(workbench, call)) return {};
    const replaced = replaceLong(response, threshold, (long) => spill(workbench, long));
    if (replaced === response) return {};
    return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: replaced } };
  });
}

function replaceLong(value: unknown, threshold: number, store: (text: string) => string): unknown {
  if (typeof value === 'string') return value.length >= threshold ? store(value) : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, replaceLong(field, threshold, store)] as const);
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  if (entries.every(([key, field]) => (value as Record<string, unknown>)[key] === field)) return value;
  delete copy.persistedOutputPath;
  delete copy.persistedOutputSize;
  return copy;
}

function spill(workbench: Workbench, long: string): string {
  const name = `${createHash('sha256').update(long, 'utf8').digest('hex').slice(0, 16)}.txt`;
  const path = join(workbench.spill, name);
  mkdirSync(workbench.spill, { recursive: true });
  if (!existsSync(path)) writeFileAtomic.sync(path, long);
  const head = cutText(long, HEAD_LENGTH).replace(/\r\n|\r|\n/g, ' ');
  return text('spill.pointer', { n: long.length, path: workbench.show(path), head }, workbench.locale);
}

function readsSpilled(workbench: Workbench, { input, cwd }: ToolCall): boolean {
  const shown = workbench.show(workbench.spill);
  return Object.values(input).some(
    (value) =>
      typeof value === 'string' &&
      (value.includes(workbench.spill) || value.includes(shown) || isInside(workbench.spill, resolve(cwd, value))),
  );
}
