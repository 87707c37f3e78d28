import { resolve } from 'node:path';
import type { HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { isInside, realPath } from '../workbench/paths.js';
import type { Workbench } from '../workbench/workbench.js';
import { postToolGuard } from './postToolGuard.js';
import { asRecord, type ToolCall } from './preToolGuard.js';

const INDEXED = ['Write', 'Edit'];

/**
 * Brings the workbench's index up to date after a tool has written into the workbench.
 *
 * @example
 * const hooks = { PostToolUse: [indexGuard(workbench)] };
 */
export function indexGuard(workbench: Workbench): HookCallbackMatcher {
  return postToolGuard(INDEXED.join('|'), (call) => {
    refreshAfter(workbench, call);
    return {};
  });
}

/** The same for the calls of a batch, whose hook runs anyway: one more hook costs each call milliseconds. */
export function refreshAfterBatch(
  workbench: Workbench,
  batch: { readonly cwd: string; readonly tool_calls: readonly { tool_name: string; tool_input: unknown }[] },
): void {
  for (const { tool_name: tool, tool_input } of batch.tool_calls) {
    if (!INDEXED.includes(tool)) continue;
    try {
      refreshAfter(workbench, { input: asRecord(tool_input), cwd: batch.cwd });
    } catch {
      // The call has happened; the next session's first message brings the index up to date.
    }
  }
}

function refreshAfter(workbench: Workbench, { input, cwd }: Pick<ToolCall, 'input' | 'cwd'>): void {
  const path = input.file_path;
  if (typeof path === 'string' && isInside(workbench.root, realPath(resolve(cwd, path)))) workbench.refresh();
}
