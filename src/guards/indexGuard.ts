import { resolve } from 'node:path';
import type { HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { isInside, realPath } from '../workbench/paths.js';
import type { Workbench } from '../workbench/workbench.js';
import { postToolGuard } from './postToolGuard.js';

/**
 * Brings the workbench's index up to date after a tool has written into the workbench.
 *
 * @example
 * const hooks = { PostToolUse: [indexGuard(workbench)] };
 */
export function indexGuard(workbench: Workbench): HookCallbackMatcher {
  return postToolGuard('Write|Edit', ({ input, cwd }) => {
    const path = input.file_path;
    if (typeof path === 'string' && isInside(workbench.root, realPath(resolve(cwd, path)))) workbench.refresh();
    return {};
  });
}
