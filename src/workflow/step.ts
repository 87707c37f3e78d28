import type { AgentSpec } from '../agent/agentSpec.js';
import type { RunOutcome } from '../books/types.js';
import type { StepResult } from '../runtime/stepResult.js';
import type { Ctx } from './ctx.js';

export type Awaitable<T> = T | Promise<T>;
export type StepPrompt<Values extends object = Record<string, unknown>> = string | ((ctx: Ctx<Values>) => string);
/** The names that a workflow's values allow; any name if they have no type. */
export type StepName<Values extends object> = string extends keyof Values ? string : keyof Values & string;

/** Which attempt of a step a result belongs to, from 1. */
export interface Attempt {
  readonly number: number;
  /** How many there may be. */
  readonly of: number;
}

export interface StepOptions<Values extends object = Record<string, unknown>> {
  /** Go on with the session of this earlier step. @default null: the step's own session of an earlier process, else a new one */
  readonly resumeFrom?: NoInfer<StepName<Values>> | null;
  /** With `resumeFrom`: branch off. @default false */
  readonly fork?: boolean;
  /** What a person says at an interrupt is a remark to be weighed, not an order: for those who judge. @default false */
  readonly remark?: boolean;
  /**
   * An independent verdict on every attempt stands in `ctx._verdict` when the gate returns. The outcome of the run is then about
   * this step: whether it claims to be done, and what was verified. `withGoal` sets it. @default false
   */
  readonly guarded?: boolean;
  /** Further attempts after the first. @default 0 */
  readonly retries?: number;
  /** Decides whether the result counts. Called once for each attempt that ended well. */
  readonly gate?: ((result: StepResult, ctx: Ctx<Values>, attempt: Attempt) => Awaitable<boolean>) | null;
  /** What happens when no attempt passed. @default 'stop' */
  readonly onFail?: 'stop' | 'skip' | 'continue';
  /** False skips the step; it must then fill `ctx` itself if later steps need its value. */
  readonly when?: ((ctx: Ctx<Values>) => Awaitable<boolean>) | null;
  /** Words that send the next attempt back into the same session; empty starts over, or gives up after an attempt that failed. */
  readonly onReject?: ((result: StepResult, ctx: Ctx<Values>) => Awaitable<string>) | null;
  /** The prompt when the step goes on with its own session of an earlier process. */
  readonly resumePrompt?: StepPrompt<Values> | null;
  /** The value for `ctx`. @default the result's text */
  readonly reduce?: ((result: StepResult, ctx: Ctx<Values>) => string) | null;
}

/**
 * One stage of a workflow: an agent, what it is asked, and the rules for what comes in and out. The name is a key that must stay the
 * same from one process to the next: lineage and books know the step by it.
 *
 * @throws {TypeError} for an empty name, one that begins with `_`, and retries that are no whole number from 0
 * @example
 * new Step('work', coder, (ctx) => `Do this: ${ctx.plan}`, { retries: 2, gate: (result) => result.text.includes('done') });
 */
export class Step<Values extends object = Record<string, unknown>> {
  readonly name: string;
  readonly spec: AgentSpec;
  readonly prompt: StepPrompt<Values>;
  readonly resumeFrom: string | null;
  readonly fork: boolean;
  readonly remark: boolean;
  readonly guarded: boolean;
  readonly retries: number;
  readonly gate: NonNullable<StepOptions<Values>['gate']> | null;
  readonly onFail: 'stop' | 'skip' | 'continue';
  readonly when: NonNullable<StepOptions<Values>['when']> | null;
  readonly onReject: NonNullable<StepOptions<Values>['onReject']> | null;
  readonly resumePrompt: StepPrompt<Values> | null;
  readonly reduce: NonNullable<StepOptions<Values>['reduce']> | null;

  constructor(
    name: NoInfer<StepName<Values>>,
    spec: AgentSpec,
    prompt: StepPrompt<Values>,
    options: StepOptions<Values> = {},
  ) {
    if (!name || name.startsWith('_')) {
      throw new TypeError(`Step: name must not be empty or begin with '_' (private keys of ctx do), got '${name}'`);
    }
    const retries = options.retries ?? 0;
    if (!Number.isInteger(retries) || retries < 0) {
      throw new TypeError(`Step: retries must be an integer of at least 0, got ${retries}`);
    }
    this.name = name;
    this.spec = spec;
    this.prompt = prompt;
    this.resumeFrom = options.resumeFrom ?? null;
    this.fork = options.fork ?? false;
    this.remark = options.remark ?? false;
    this.guarded = options.guarded ?? false;
    this.retries = retries;
    this.gate = options.gate ?? null;
    this.onFail = options.onFail ?? 'stop';
    this.when = options.when ?? null;
    this.onReject = options.onReject ?? null;
    this.resumePrompt = options.resumePrompt ?? null;
    this.reduce = options.reduce ?? null;
  }

  /** The prompt for a fresh start, or for going on. */
  render(ctx: Ctx<Values>, options: { readonly resuming?: boolean } = {}): string {
    const prompt = (options.resuming && this.resumePrompt) || this.prompt;
    return typeof prompt === 'function' ? prompt(ctx) : prompt;
  }

  /** A copy with every field carried over and the patched ones changed. */
  with(
    patch: Partial<StepOptions<Values> & { name: string; spec: AgentSpec; prompt: StepPrompt<Values> }>,
  ): Step<Values> {
    const { name, spec, prompt, ...options } = { ...this, ...patch };
    return new Step(name as StepName<Values>, spec, prompt, options as StepOptions<Values>);
  }
}

/** How a StepAbort shows in the outcome of the run. */
export interface AbortFacts {
  /** @default 'aborted' */
  readonly ended?: Extract<RunOutcome['ended'], 'aborted' | 'interrupted' | 'budget_exhausted'>;
  /** What is known of the goal although no verdict was made. @default what the last verdict says */
  readonly verified?: RunOutcome['verified'];
}

/** Thrown by a gate to end the whole workflow: no further attempt would help. */
export class StepAbort extends Error {
  override readonly name = 'StepAbort';
  readonly facts: AbortFacts;

  constructor(message: string, facts: AbortFacts = {}) {
    super(message);
    this.facts = facts;
  }
}
