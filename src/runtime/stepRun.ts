import type { AgentSpec } from '../agent/agentSpec.js';
import type { HandoffPolicy } from '../agent/handoffPolicy.js';
import type { HandInKind } from '../documents/handIn.js';
import type { Event } from '../events/event.js';
import type { HumanChannel } from '../human/humanChannel.js';
import type { HandInDesk } from '../tools/handIn.js';
import type { Interrupts } from './interrupts.js';
import type { StepResult } from './stepResult.js';
import type { TurnStop } from './turnStop.js';

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
  /** What a person says at an interrupt is a remark, to be weighed and not followed: for goal setter and judge. @default false */
  readonly remark?: boolean;
  /** Its open questions count as life. */
  readonly channel?: HumanChannel | null;
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
  /** What a person asks of this step and no other. */
  readonly interrupts: Interrupts;
  /** The session of the query that was made last, known from before its process began. */
  session: string | null;
  /** Window and threshold of the session that runs now. */
  policy: HandoffPolicy;
  /** The largest context of the main thread in this generation, tokens. */
  watermark: number;
  /** The person has been told that a handoff is near. */
  warned: boolean;
  /** Degraded handoffs in a row. */
  degraded: number;
  /** The stop of the turn that runs now. */
  stop: TurnStop | null;
  /** What the query that runs now has spent and no result has named yet. */
  open: () => OpenBill;
}

export interface OpenBill {
  readonly usd: number;
  /** Unix seconds: later entries of its sessions are not in it. */
  readonly countedUntil: number;
}

/** What may be handed in: the role's own document, and a handoff from the start, as a tool that came later would cost the cache. */
export function handInKinds(spec: AgentSpec, handoff: HandoffPolicy): HandInKind[] {
  return [...(spec.submit ? [spec.submit] : []), ...(handoff.enabled ? (['handoff'] as const) : [])];
}
