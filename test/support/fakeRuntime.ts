import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { AgentSpec } from '../../src/agent/agentSpec.js';
import { Books } from '../../src/books/books.js';
import { Brief } from '../../src/documents/brief.js';
import { Goal } from '../../src/documents/goal.js';
import { Verdict } from '../../src/documents/verdict.js';
import type { VerdictItem } from '../../src/documents/verdictItems.js';
import { Event } from '../../src/events/event.js';
import { StepResult } from '../../src/runtime/stepResult.js';
import type { RunOptions } from '../../src/runtime/stepRun.js';
import { Workbench } from '../../src/workbench/workbench.js';
import type { RuntimeLike } from '../../src/workflow/runtimeLike.js';

/** One call of `run`, as it came. */
export interface FakeCall {
  readonly spec: AgentSpec;
  readonly prompt: string;
  readonly step: string;
  readonly resume: string | null;
  readonly fork: boolean;
  readonly options: RunOptions;
}

/** What a step gives; `do` acts in its place first, as a worker would. */
export interface FakeAnswer extends Partial<Omit<StepResult, 'durationS' | 'toJSON'>> {
  readonly do?: (call: FakeCall, runtime: FakeRuntime) => unknown;
}

export type FakeScript = (call: FakeCall, n: number) => FakeAnswer | string;

const opened: Books[] = [];
afterEach(() => {
  for (const books of opened.splice(0)) books.close();
});

/** A workspace with a run directory in it. */
export function fakePlace(): { workspace: string; runDir: string; notes: string; brief: string; goal: string } {
  const workspace = join(realpathSync(mkdtempSync(join(tmpdir(), 'flower-fake-'))), 'work');
  mkdirSync(workspace);
  const notes = join(workspace, '.flower', 'notes');
  return {
    workspace,
    runDir: join(workspace, 'runs'),
    notes,
    brief: join(notes, 'brief.md'),
    goal: join(notes, 'goal.md'),
  };
}

/** A Runtime without a harness: a script answers each step. With a place it has books, so that a later one goes on from there. */
export class FakeRuntime implements RuntimeLike {
  readonly calls: FakeCall[] = [];
  readonly events: Event[] = [];
  /** Sessions that the store has; null: it has all. */
  alive: readonly string[] | null = null;
  onSession: ((sessionId: string) => void) | null = null;
  readonly runId?: string;
  readonly books?: Books;
  readonly workspace?: string;
  readonly runDir?: string;
  readonly manifestPath?: string;
  readonly workbench?: Workbench;
  readonly #script: FakeScript;
  readonly #results: StepResult[] = [];
  static #count = 0;

  constructor(script: FakeScript, place?: { readonly workspace: string; readonly runDir: string }) {
    this.#script = script;
    if (!place) return;
    this.workspace = place.workspace;
    this.runDir = place.runDir;
    this.manifestPath = join(place.runDir, 'manifest.json');
    this.workbench = new Workbench(place.workspace, { locale: 'en' });
    this.books = Books.open(place.runDir, { locale: 'en' });
    opened.push(this.books);
    FakeRuntime.#count += 1;
    this.runId = `run-${FakeRuntime.#count}`;
  }

  get steps(): string[] {
    return this.calls.map(({ step }) => step);
  }

  async run(spec: AgentSpec, prompt: string, options: RunOptions = {}): Promise<StepResult> {
    const { resume = null, fork = false } = options;
    const call = { spec, prompt, step: options.stepName ?? spec.name, resume, fork, options };
    this.calls.push(call);
    const answer = this.#script(call, this.calls.length);
    const { do: act, ...given } = typeof answer === 'string' ? { text: answer } : answer;
    const sessionId = given.sessionId ?? (resume && !fork ? resume : `s${this.calls.length}`);
    this.onSession?.(sessionId);
    await act?.(call, this);
    const handIn = given.handIn ?? null;
    const now = Date.now() / 1000;
    const result = new StepResult({
      ok: true,
      startedAt: now,
      endedAt: now,
      ...given,
      step: call.step,
      sessionId,
      handIn,
      text: given.text ?? (handIn ? handIn.document.toMarkdown() : ''),
    });
    this.#results.push(result);
    this.books?.putSteps(
      this.runId ?? '',
      this.#results.map((row) => ({ ...row.toJSON(), run: this.runId ?? '' })),
    );
    return result;
  }

  hasSession(sessionId: string): boolean {
    return this.alive === null || this.alive.includes(sessionId);
  }

  readonly onEvent = (event: Event): void => {
    this.events.push(event);
  };

  /** A shell command as the harness reports it. */
  static bash(call: FakeCall, command: string, failure: string | null = null): void {
    const id = `t${Math.random()}`;
    call.options.onEvent?.(
      new Event('tool_call', { tool: 'Bash', text: command, payload: { id, input: { command } } }),
    );
    call.options.onEvent?.(
      new Event('tool_result', { text: failure ?? 'ok', payload: { tool_use_id: id, is_error: failure !== null } }),
    );
  }
}

export const FULL_BRIEF = {
  goal: 'A word counter for the reader.',
  accept: 'it prints 3 for "a b c"',
  bounds: 'no dependency',
  unknowns: 'none',
} as const;

export function briefHandIn(fields: Partial<typeof FULL_BRIEF> = {}): FakeAnswer {
  return { handIn: { kind: 'brief', document: Brief.fromFields({ ...FULL_BRIEF, ...fields }, { locale: 'en' }) } };
}

export function goalHandIn(checks: readonly string[], statement = 'It counts words.'): FakeAnswer {
  return { handIn: { kind: 'goal', document: new Goal({ statement, checks }, { locale: 'en' }) } };
}

/** A verdict by its items, `'met'` standing for met with evidence. */
export function verdictHandIn(
  items: readonly (VerdictItem['state'] | Partial<VerdictItem>)[],
  reason = '',
): FakeAnswer {
  const full = items.map((item, i): VerdictItem => {
    const given = typeof item === 'string' ? { state: item } : item;
    return { number: i + 1, state: 'met', evidence: `looked at ${i + 1}`, ...given };
  });
  const state = full.some((item) => item.state === 'failed')
    ? 'not_yet'
    : full.some((item) => item.state === 'unverifiable')
      ? 'unreachable'
      : 'achieved';
  return { handIn: { kind: 'verdict', document: new Verdict({ state, reason, items: full }, { locale: 'en' }) } };
}
