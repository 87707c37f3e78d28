import type { AgentSpec } from '../agent/agentSpec.js';
import type { Event } from '../events/event.js';
import type { HandInDesk } from '../tools/handIn.js';
import type { StepResult } from './stepResult.js';

/** How one call of `Runtime.run` differs from the spec. */
export interface RunOptions {
  /** Row key in the books and name in events. @default the spec's name */
  readonly stepName?: string | null;
  /** Session id to go on with. */
  readonly resume?: string | null;
  /** Branch off it instead. @default false */
  readonly fork?: boolean;
  /** Go on from this message of it; for the first attempt only. */
  readonly resumeAt?: string | null;
  /** Called synchronously with every event; what it throws goes to `uiErrors` and changes nothing. */
  readonly onEvent?: ((event: Event) => void) | null;
  /** The items that a verdict handed in must cover. */
  readonly checks?: readonly string[] | null;
}

/** All that belongs to one running step. It lives here and not on the Runtime, so that two steps at once do not mix. */
export interface StepRun {
  readonly spec: AgentSpec;
  readonly name: string;
  readonly result: StepResult;
  readonly options: RunOptions;
  /** Takes the documents of this step, over all its attempts. */
  readonly desk: HandInDesk;
  readonly emit: (event: Event) => void;
}
