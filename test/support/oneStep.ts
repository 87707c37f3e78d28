import { join } from 'node:path';
import { AgentSpec, type AgentSpecInit } from '../../src/agent/agentSpec.js';
import type { Event } from '../../src/events/event.js';
import { type ProcessEntry, processEntries } from '../../src/runtime/processes.js';
import { Resilience, type ResilienceOptions } from '../../src/runtime/resilience.js';
import { Runtime } from '../../src/runtime/runtime.js';
import type { RuntimeOptions } from '../../src/runtime/runtimeOptions.js';
import { type Script, type Sim, startSim } from '../../src/sim/index.js';
import { tempFolder } from './flowerProgram.js';

export interface OneStep {
  readonly sim: Sim;
  readonly workspace: string;
  readonly runDir: string;
  readonly runtime: Runtime;
  readonly events: Event[];
  /** Seconds that the resilience policy was asked to sleep, in order. */
  readonly slept: number[];
  /** The clock that the resilience policy goes by. */
  readonly clock: { now(): number; move(seconds: number): void };
  readonly spec: AgentSpec;
  /** A further Runtime on the same run directory, as a later process would make it. */
  again(options?: Partial<RuntimeOptions>): Runtime;
  close(): Promise<void>;
}

/** For a test that counts something else than the harness's own retries. */
export const NO_RETRIES = { CLAUDE_CODE_MAX_RETRIES: '0' };

/** A Runtime against a scripted model, with a clock that only moves when flower sleeps. */
export async function oneStep(
  script: Script,
  options: {
    readonly runtime?: Partial<RuntimeOptions>;
    readonly resilience?: ResilienceOptions;
    readonly spec?: Partial<AgentSpecInit>;
  } = {},
): Promise<OneStep> {
  const sim = await startSim({ script });
  const folder = tempFolder('one-step');
  const workspace = join(folder.path, 'work');
  const runDir = join(folder.path, 'runs');
  const slept: number[] = [];
  let now = Date.now() / 1000;
  const resilience = new Resilience({
    sleep: async (seconds) => {
      slept.push(seconds);
      now += seconds;
    },
    now: () => now,
    probe: async () => true,
    random: () => 0.5,
    ...options.resilience,
  });
  const settings = { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'sk-fake' };
  const opened: Runtime[] = [];
  const again = (more: Partial<RuntimeOptions> = {}) => {
    const runtime = new Runtime({ workspace, runDir, settings, resilience, ...options.runtime, ...more });
    opened.push(runtime);
    return runtime;
  };
  return {
    sim,
    workspace,
    runDir,
    runtime: again(),
    events: [],
    slept,
    clock: {
      now: () => now,
      move: (seconds) => {
        now += seconds;
      },
    },
    spec: new AgentSpec({ name: 'work', instructions: 'Work.', allowedTools: ['Bash', 'Read'], ...options.spec }),
    again,
    close: async () => {
      for (const runtime of opened) await runtime.close();
      await sim.close();
      folder.remove();
    },
  };
}

/** The processes that a Runtime started and that still run, shells included. */
export function processesOf({ projectKey }: Runtime): ProcessEntry[] {
  const entries = processEntries().filter(({ isZombie }) => !isZombie);
  return entries.filter((entry) => entry.variable('FLOWER_OWNER')?.startsWith(projectKey));
}

/** Runs a test's body with a Runtime of its own, for tests that run side by side. */
export async function withStep<T>(
  script: Script,
  options: Parameters<typeof oneStep>[1],
  body: (at: OneStep) => Promise<T>,
): Promise<T> {
  const at = await oneStep(script, options);
  try {
    return await body(at);
  } finally {
    await at.close();
  }
}
