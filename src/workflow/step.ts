import type { AgentSpec } from '../agent/agentSpec.js';
import type { StepResult } from '../runtime/stepResult.js';
import type { Ctx } from './ctx.js';

export type Awaitable<T> = T | Promise<T>;
export type StepPrompt = string | ((ctx: Ctx) => string);

export interface StepOptions {
  /** Go on with the session of this earlier step. @default null: the step's own session of an earlier process, else a new one */
  readonly resumeFrom?: string | null;
  /** With `resumeFrom`: branch off. @default false */
  readonly fork?: boolean;
  /** What a person says at an interrupt is a remark to be weighed, not an order: for those who judge. @default false */
  readonly remark?: boolean;
  /** Further attempts after the first. @default 0 */
  readonly retries?: number;
  /** Decides whether the result counts. Called once for each attempt that ended well. */
  readonly gate?: ((result: StepResult, ctx: Ctx) => Awaitable<boolean>) | null;
  /** What happens when no attempt passed. @default 'stop' */
  readonly onFail?: 'stop' | 'skip' | 'continue';
  /** False skips the step; it must then fill `ctx` itself if later steps need its value. */
  readonly when?: ((ctx: Ctx) => Awaitable<boolean>) | null;
  /** Words that send the next attempt back into the same session; empty starts over. */
  readonly onReject?: ((result: StepResult, ctx: Ctx) => Awaitable<string>) | null;
  /** The prompt when the step goes on with its own session of an earlier process. */
  readonly resumePrompt?: StepPrompt | null;
  /** The value for `ctx`. @default the result's text */
  readonly reduce?: ((result: StepResult, ctx: Ctx) => string) | null;
}

/**
 * One stage of a workflow: an agent, what it is asked, and the rules for what comes in and out. The name is a key that must stay the
 * same from one process to the next: lineage and books know the step by it.
 *
 * @example
 * new Step('work', coder, (ctx) => `Do this: ${ctx.plan}`, { retries: 2, gate: (result) => result.text.includes('done') });
 */
export class Step {
  readonly name: string;
  readonly spec: AgentSpec;
  readonly prompt: StepPrompt;
  readonly resumeFrom: string | null;
  readonly fork: boolean;
  readonly remark: boolean;
  readonly retries: number;
  readonly gate: NonNullable<StepOptions['gate']> | null;
  readonly onFail: 'stop' | 'skip' | 'continue';
  readonly when: NonNullable<StepOptions['when']> | null;
  readonly onReject: NonNullable<StepOptions['onReject']> | null;
  readonly resumePrompt: StepPrompt | null;
  readonly reduce: NonNullable<StepOptions['reduce']> | null;

  constructor(name: string, spec: AgentSpec, prompt: StepPrompt, options: StepOptions = {}) {
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
    this.retries = retries;
    this.gate = options.gate ?? null;
    this.onFail = options.onFail ?? 'stop';
    this.when = options.when ?? null;
    this.onReject = options.onReject ?? null;
    this.resumePrompt = options.resumePrompt ?? null;
    this.reduce = options.reduce ?? null;
  }

  /** The prompt for a fresh start, or for going on. */
  render(ctx: Ctx, options: { readonly resuming?: boolean } = {}): string {
    const prompt = (options.resuming && this.resumePrompt) || this.prompt;
    return typeof prompt === 'function' ? prompt(ctx) : prompt;
  }

  /** A copy with every field carried over and the patched ones changed. */
  with(patch: Partial<StepOptions & { name: string; spec: AgentSpec; prompt: StepPrompt }>): Step {
    const { name, spec, prompt, ...options } = { ...this, ...patch };
    return new Step(name, spec, prompt, options);
  }
}

/** Thrown by a gate to end the whole workflow: no further attempt would help. */
export class StepAbort extends Error {
  override readonly name = 'StepAbort';
}
