import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { text } from '../locale/locale.js';
import { isInside, realPath } from '../workbench/paths.js';
import { spillText } from '../workbench/spillText.js';
import type { Workbench } from '../workbench/workbench.js';
import { cutOutput } from './cutOutput.js';
import { postToolGuard } from './postToolGuard.js';
import { asRecord, type ToolCall } from './preToolGuard.js';
import { replaceLongTexts } from './replaceLongTexts.js';
import { BULKY } from './toolNames.js';

export interface SpillGuardOptions {
  /** A text of this many UTF-16 units or more is stored. @default 4000 */
  readonly threshold?: number;
  /** Tools whose results are looked at, joined by `|`. @default BULKY */
  readonly tools?: string;
  /** Leave workers' results alone. @default false */
  readonly mainOnly?: boolean;
  /**
   * Answer a worker's Read whole. What it reads is a file already, and who works with it reads the copy as well: one call more, and
   * nothing saved. Not so a coordinator, whose context has to last. @default false
   */
  readonly wholeReads?: boolean;
}

/** So much of the text stands in its place. */
const HEAD_LENGTH = 400;
/** What a person said or a role hands in is carried word for word. */
const OWN_TOOL = /^mcp__flower__/;

/**
 * Keeps long tool results out of the context: the text goes into a file of the workbench, the model gets its path and its first
 * 400 characters. Reading such a file back is let through whole.
 *
 * Two results can't be replaced by any hook: that of a command that failed (the harness cuts it to about 10 000 characters by
 * itself), and what Write and Edit answer, which is short.
 *
 * @example
 * const hooks = { PostToolUse: [spillGuard(workbench, { threshold: 8000 })] };
 */
export function spillGuard(workbench: Workbench, options: SpillGuardOptions = {}): HookCallbackMatcher {
  const { threshold = 4000, tools = BULKY, mainOnly = false, wholeReads = false } = options;
  const whole = ({ tool, mainThread }: ToolCall) => wholeReads && tool === 'Read' && !mainThread;
  return postToolGuard(tools, (call, response) => {
    if ((mainOnly && !call.mainThread) || OWN_TOOL.test(call.tool)) return {};
    if (whole(call) || readsSpilled(workbench, call)) return {};
    const spill = (long: string, field: string) => {
      const output = field === 'stdout' ? wholeOutput(call.tool, response) : null;
      const path = workbench.show(spillText(workbench.spill, output ?? long));
      const head = cutOutput(long, HEAD_LENGTH).replace(/\r\n|\r|\n/g, ' ');
      return text('spill.pointer', { n: output?.toString('utf8').length ?? long.length, path, head }, workbench.locale);
    };
    const replaced = replaceLongTexts(call.tool, response, threshold, spill);
    if (replaced === response) return {};
    return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: replaced } };
  });
}

/**
 * The harness hands on the first 30 000 characters of an output and keeps all of it in a file of its own. If that can't be read,
 * the result stays as the harness made it.
 */
function wholeOutput(tool: string, response: unknown): Buffer | null {
  const path = asRecord(response).persistedOutputPath;
  return tool === 'Bash' && typeof path === 'string' ? readFileSync(path) : null;
}

/** The pointer says "Read it": the answer to that must not become a pointer again. */
function readsSpilled(workbench: Workbench, { input, cwd }: ToolCall): boolean {
  const shown = workbench.show(workbench.spill);
  return stringsIn(input).some(
    (value) =>
      value.includes(workbench.spill) ||
      value.includes(shown) ||
      (isPath(value) && isInside(workbench.spill, realPath(resolve(cwd, value)))),
  );
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function isPath(value: string): boolean {
  return value !== '' && value.length < 1024 && !value.includes('\n');
}
