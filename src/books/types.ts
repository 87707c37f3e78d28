/** How a run came to its end: three facts, none derived from another, and why. */
export interface RunOutcome {
  readonly ended: 'finished' | 'failed' | 'aborted' | 'interrupted' | 'budget_exhausted';
  /** The last work round ended well. */
  readonly claimed: boolean;
  readonly verified: 'achieved' | 'not_yet' | 'unreachable' | 'accepted' | 'not_judged';
  readonly reason: string;
}

/** One run of this directory. Times are unix seconds. */
export interface RunRecord {
  readonly run: string;
  /** The span between two `--new` that it belongs to. */
  readonly epoch: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Null for a run that still works, was killed, or kept no outcome. */
  readonly outcome: RunOutcome | null;
  /** Until when it waits for a usage limit. */
  readonly limitUntil: number | null;
}

/** One executed step as `manifest.json` shows it. Rows of an older directory can lack keys. Times are unix seconds. */
export interface ManifestRow {
  readonly step: string;
  readonly session_id: string | null;
  readonly ok: boolean;
  readonly cost_usd: number;
  readonly num_turns: number;
  readonly text: string;
  readonly error: string | null;
  readonly started_at: number;
  readonly ended_at: number;
  readonly attempts: number;
  readonly errors: readonly string[];
  readonly resumed: boolean;
  readonly retired: readonly string[];
  readonly context: number;
  readonly duration_s: number;
  readonly run: string;
  /** Part of `cost_usd` is estimated: from usage, or because a model has no list price. */
  readonly cost_estimated?: true;
  /** The document that the step handed in by tool: its kind and its fields. */
  readonly hand_in?: Readonly<Record<string, unknown>>;
}

/** One event of a run. `seq` counts from 1 without gaps; `step` is empty before the first step. */
export interface EventRow {
  readonly seq: number;
  /** Unix seconds. */
  readonly at: number;
  readonly step: string;
  readonly kind: string;
  readonly text: string;
  readonly tool: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Events in the order of `seq`; with `more`, ask again with `after` = the last one's `seq`. */
export interface EventPage {
  readonly events: readonly EventRow[];
  readonly more: boolean;
}

/** Words of a person as the inbox keeps them. `kept` says whether they stand in the brief too. */
export interface StoredMail {
  readonly id: string;
  readonly text: string;
  /** Unix seconds. */
  readonly sentAt: number;
  readonly taken: boolean;
  /** For the workers as well. */
  readonly workers: boolean;
  readonly kept: 'appended' | 'until_frozen' | 'no_brief' | 'failed';
}

/** A session whose history in the store has a hole, and the transcript that it can be filled from. */
export interface Repair {
  readonly storeKey: string;
  /** Unix seconds. */
  readonly since: number;
  readonly transcript: string | null;
}
