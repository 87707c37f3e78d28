import type { HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import type { Workbench } from '../workbench/workbench.js';

export interface WorkerStartOptions {
  /** One more paragraph for every worker, such as what its own worktree lacks. @default '' */
  readonly note?: string;
  /** Told when the block could not be made; the worker then starts without it. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Tells every worker, at its start, where the workbench is and that long output belongs there. It is the only way to tell them:
 * neither the session's system prompt nor the index reaches a worker.
 *
 * @example
 * const hooks = { SubagentStart: [workerStartHook(workbench, { onFailure: report })] };
 */
export function workerStartHook(workbench: Workbench, options: WorkerStartOptions = {}): HookCallbackMatcher {
  return {
    hooks: [
      async () => {
        try {
          const additionalContext = [workbench.workerBlock(), options.note].filter(Boolean).join('\n\n');
          return { hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext } };
        } catch (error) {
          tell(options.onFailure, error);
          return {};
        }
      },
    ],
  };
}

/** A listener that throws must not stop a worker. */
function tell(listener: WorkerStartOptions['onFailure'], error: unknown): void {
  try {
    listener?.(error);
  } catch {}
}
