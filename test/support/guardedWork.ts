import { join } from 'node:path';
import { Brief } from '../../src/documents/brief.js';
import { Goal } from '../../src/documents/goal.js';
import type { Event } from '../../src/events/event.js';
import { Runtime } from '../../src/runtime/runtime.js';
import type { RuntimeOptions } from '../../src/runtime/runtimeOptions.js';
import {
  call,
  type Reply,
  type RoleScripts,
  roleOf,
  type Sim,
  type SimRequest,
  say,
  startSim,
} from '../../src/sim/index.js';
import type { Ctx } from '../../src/workflow/ctx.js';
import { type StarterOptions, starterFlow } from '../../src/workflow/starterFlow.js';
import { tempFolder } from './flowerProgram.js';
import { smallestRun } from './scripts.js';

export interface GuardedRun {
  readonly ctx: Ctx;
  readonly events: readonly Event[];
  /** What the person was asked. */
  readonly questions: readonly string[];
  /** The first request of each session or resume of a role, in order. */
  prompts(role: ReturnType<typeof roleOf>): string[];
  readonly requests: readonly SimRequest[];
}

/** A directory in which whole runs of `starterFlow` follow each other, on the real program and a scripted model. */
export class GuardedWork {
  readonly #folder = tempFolder('guarded');
  readonly workspace = join(this.#folder.path, 'work');
  readonly runDir = join(this.workspace, 'runs');
  readonly notes = join(this.workspace, '.flower', 'notes');
  readonly goalPath = join(this.notes, 'goal.md');
  readonly briefPath = join(this.notes, 'brief.md');
  #sim: Sim | null = null;

  /** With brief and goal there, so that a run begins with work. */
  static clarified(checks: readonly string[] = ['hello.txt says hello']): GuardedWork {
    const work = new GuardedWork();
    const fields = { goal: 'A greeting.', accept: 'hello.txt says hello', bounds: 'none', unknowns: 'none' };
    new Brief(fields, { locale: 'en' }).write(work.briefPath);
    new Goal({ statement: 'hello.txt is there', checks }, { locale: 'en' }).write(work.goalPath);
    return work;
  }

  /** @param answers of the person, in turn; when they are used up nobody is there */
  async run(
    words: string,
    scripts: RoleScripts,
    options: StarterOptions & {
      readonly answers?: readonly string[];
      readonly runtime?: Partial<RuntimeOptions>;
      readonly onEvent?: (event: Event, runtime: Runtime) => void;
    } = {},
  ): Promise<GuardedRun> {
    const { answers = [], onEvent, runtime: more, ...rest } = options;
    const sim = this.#sim ?? (await startSim({ script: smallestRun(scripts) }));
    this.#sim = sim;
    sim.setScript(smallestRun(scripts));
    const before = sim.requests.length;
    const { workspace, runDir } = this;
    const flow = starterFlow(words, {
      workspace,
      runDir,
      timeoutS: answers.length > 0 ? 30 : 0,
      locale: 'en',
      ...rest,
    });
    const { channel } = flow;
    const left = [...answers];
    const events: Event[] = [];
    const questions: string[] = [];
    const runtime = new Runtime({
      workspace,
      runDir,
      workbench: flow.workbench ?? false,
      locale: 'en',
      settings: { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'sk-fake' },
      ...more,
    });
    try {
      const ctx = await flow.run(runtime, {
        onEvent: (event) => {
          events.push(event);
          if (event.kind === 'ask' && event.payload.state === 'asked') {
            questions.push(event.text);
            const answer = left.shift();
            if (answer === undefined) channel?.close();
            else channel?.answer(String(event.payload.id), answer);
          }
          onEvent?.(event, runtime);
        },
      });
      const requests = sim.requests.slice(before).filter(({ kind }) => kind === 'message');
      const prompts = (role: ReturnType<typeof roleOf>) =>
        requests.filter((request) => request.turn === 0 && roleOf(request) === role).map(({ prompt }) => prompt);
      return { ctx, events, questions, prompts, requests };
    } finally {
      await runtime.close();
    }
  }

  get faults(): readonly unknown[] {
    return this.#sim?.faults ?? [];
  }

  async remove(): Promise<void> {
    await this.#sim?.close();
    this.#folder.remove();
  }
}

type State = 'met' | 'failed' | 'unverifiable';

/** A judge that hands in these states, one list a round as the prompts count them. */
export function rules(states: readonly State[], reason = ''): (request: SimRequest) => Reply {
  return (request) =>
    request.turn > 0
      ? say('Handed in.')
      : call('mcp__flower__submit_verdict', {
          items: states.map((state, i) => ({ number: i + 1, state, evidence: `looked at item ${i + 1}: ${state}` })),
          reason,
        });
}
