import { type Phase, runTrial, type Trial, type Victim } from './trial.js';

export interface DrawOptions {
  readonly victim: Victim;
  /** How many kills. */
  readonly count: number;
  /** Which moments: the same seed draws the same parts of a run's life. */
  readonly seed: number;
  /** When an unhurt run does what, as `measureLife` tells. */
  readonly timeline: readonly number[];
  /** As in a trial. */
  readonly noGoal?: boolean;
}

export interface Outcome {
  readonly trial: Trial;
  /** False if the run was over before its moment came. */
  readonly killed: boolean;
  readonly phase: Phase;
  readonly violations: readonly string[];
}

/** The timeline of a run in which nobody is killed. It must keep all promises as well. */
export async function measureLife({ noGoal = false } = {}): Promise<readonly number[]> {
  const never = { requests: Number.POSITIVE_INFINITY, afterMs: 0 };
  const end = await runTrial({ victim: 'flower', moment: never, atOnce: false, noGoal });
  if (end.violations.length > 0) throw new Error(`a run that nobody kills: ${end.violations.join('; ')}`);
  return end.timeline;
}

/** Random moments that lie evenly over a run's life, in their order. */
export function drawTrials({ victim, count, seed, timeline, noGoal = false }: DrawOptions): Trial[] {
  const random = randomFrom(seed);
  const lifeMs = timeline.at(-1) ?? 0;
  return Array.from({ length: count }, (_, i) => {
    const ms = ((i + random()) / count) * lifeMs;
    const requests = timeline.filter((at) => at <= ms).length;
    const moment = { requests, afterMs: Math.round(ms - (timeline[requests - 1] ?? 0)) };
    return { victim, moment, atOnce: random() < 0.5, noGoal };
  });
}

/** Runs them, some at the same time. */
export async function runTrials(
  trials: readonly Trial[],
  options: { readonly parallel: number; readonly onEnd?: (outcome: Outcome) => void },
): Promise<Outcome[]> {
  const waiting = [...trials];
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let trial = waiting.shift(); trial; trial = waiting.shift()) {
      const outcome = await outcomeOf(trial);
      outcomes.push(outcome);
      options.onEnd?.(outcome);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  return outcomes;
}

/** What was wrong in a trial, and how to do it again. */
export function complaint({ trial, phase, violations }: Outcome): string {
  const { victim, moment, ...flags } = trial;
  const set = Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [name] : []));
  const when = 'pausedAt' in moment ? `pause:${moment.pausedAt}` : `${moment.requests}+${moment.afterMs}`;
  return [
    `node scripts/killRuns.mjs --again ${[victim, when, ...set].join(' ')}   (in ${phase})`,
    ...violations.map((line) => `  ${line}`),
  ].join('\n');
}

async function outcomeOf(trial: Trial): Promise<Outcome> {
  try {
    const { killed, phase, violations } = await runTrial(trial);
    return { trial, killed, phase, violations };
  } catch (error) {
    const why = error instanceof Error ? error.stack : error;
    return { trial, killed: false, phase: 'start', violations: [`the trial itself failed: ${why}`] };
  }
}

/** Numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
