import type { AgentSpec } from '../agent/agentSpec.js';
import type { Books } from '../books/books.js';
import type { RoleUsage } from '../runtime/roleUsage.js';
import type { StepResult } from '../runtime/stepResult.js';
import type { RunOptions } from '../runtime/stepRun.js';
import type { Workbench } from '../workbench/workbench.js';

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
  readonly workbench?: Workbench | null;
  /** Puts right what a killed process left, before anything is resumed. */
  recover?(): Promise<{ readonly processes: number; readonly entries: number }>;
  hasSession?(sessionId: string): boolean | Promise<boolean>;
  /** What the steps of this run have used so far, by who used it. */
  usageByRole?(): Promise<readonly RoleUsage[]>;
  onSession?: ((sessionId: string) => void) | null;
}
