import type { AgentSpec } from '../agent/agentSpec.js';
import type { Books } from '../books/books.js';
import type { StepResult } from '../runtime/stepResult.js';
import type { RunOptions } from '../runtime/stepRun.js';

/**
 * What a workflow needs to run its steps: a Runtime, or anything with its `run`. Without `runDir` and `workspace` nothing is
 * remembered between processes.
 */
export interface RuntimeLike {
  run(spec: AgentSpec, prompt: string, options?: RunOptions): Promise<StepResult>;
  readonly runDir?: string;
  readonly workspace?: string;
  readonly runId?: string;
  readonly books?: Books;
  readonly manifestPath?: string;
  /** Puts right what a killed process left, before anything is resumed. */
  recover?(): Promise<{ readonly processes: number; readonly entries: number }>;
  hasSession?(sessionId: string): boolean | Promise<boolean>;
  onSession?: ((sessionId: string) => void) | null;
}
