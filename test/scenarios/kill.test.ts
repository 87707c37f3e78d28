import { describe, expect, it } from 'vitest';
import { DURABLE_WRITES, type DurableWrite } from '../../src/durableWrites.js';
import { ANSWER_MS } from '../support/killLab/chain.js';
import { complaint, drawTrials, measureLife, type Outcome, runTrials } from '../support/killLab/series.js';
import type { Trial } from '../support/killLab/trial.js';

/** Each trial waits most of the time: for Node to start, for the model, for the pause after a failure. */
const PARALLEL = 3;
const PATIENCE_MS = 600_000;

/** What the model may take for all of a run, so that ten moments lie close. What comes on top is the machine's, idle or busy. */
const CHAIN_MS = 4000;

/** Which time of those that a run comes by, where the first one says little. */
const TIMES: Partial<Record<DurableWrite, number>> = {
  'store.append': 12,
  'books.steps': 5,
  'books.events': 3,
  'books.other': 4,
  'lineage.step': 3,
  'view.manifest': 4,
  'view.lineage': 2,
};

/** Where a kill once cost something, and one of each kind. `npm run nightly` stops at all of them. */
const SOME: readonly string[] = [
  'lock:after',
  'store.append:after#12',
  'books.steps:before#5',
  'lineage.step:after#1',
  'books.outcome:after',
  'document.brief:before',
  'handoff.archive:before',
];

/** Writes that this run does not make, and the test that kills there. */
const ELSEWHERE: Partial<Record<DurableWrite, string>> = {
  'database.schema': 'src/database/migrations.test.ts',
  'store.import': 'test/contract/storeCrash.test.ts',
  'store.delete': 'test/contract/storeCrash.test.ts',
  'books.mail': 'src/books/crash.test.ts',
  'lineage.archive': 'src/books/crash.test.ts',
  'document.amendment': 'none of its own: the same atomic write as the brief',
};

/** A kill -9 in a run of `flower` on the real program (A3). The nightly one also sets a goal and has it judged. */
describe.runIf(process.platform === 'linux')(
  'after a kill the next start goes on, and nothing that was paid for is lost',
  () => {
    it.each(['flower', 'harness'] as const)(
      'at 10 moments of the %s, spread over the run',
      async (victim) => {
        const seed = Number(process.env.KILL_SEED ?? Date.now() % 2 ** 31);
        console.log(`kills of ${victim}: seed ${seed}`);
        const timeline = await measureLife({ noGoal: true });
        const requests = timeline.length - 1;
        expect(requests * ANSWER_MS).toBeLessThanOrEqual(CHAIN_MS);
        const trials = drawTrials({ victim, count: 10, seed, timeline, noGoal: true });
        expect(broken(await runTrials(trials, { parallel: PARALLEL }))).toEqual([]);
      },
      PATIENCE_MS,
    );

    it(
      'right before or right after a write that must outlast the process',
      async () => {
        const trials = (process.env.KILL_POINTS === 'all' ? everyPoint() : SOME).map((pausedAt, i): Trial => {
          const handsOver = pausedAt.includes('handoff');
          return { victim: 'flower', moment: { pausedAt }, atOnce: i % 3 === 0, handsOver };
        });
        const outcomes = await runTrials(trials, { parallel: PARALLEL });
        expect(broken(outcomes)).toEqual([]);
        // One that is never reached would kill nobody.
        expect(outcomes.filter(({ killed }) => !killed).map(({ trial }) => trial.moment)).toEqual([]);
      },
      PATIENCE_MS,
    );
  },
);

function broken(outcomes: readonly Outcome[]): string[] {
  return outcomes.filter(({ violations }) => violations.length > 0).map(complaint);
}

function everyPoint(): string[] {
  const names = DURABLE_WRITES.filter((name) => !ELSEWHERE[name]);
  return names.flatMap((name) => [`${name}:before#${TIMES[name] ?? 1}`, `${name}:after#${TIMES[name] ?? 1}`]);
}
