/** The parts of a run's outcome that decide about the exit code. */
export interface ExitFacts {
  readonly ended: 'finished' | 'failed' | 'aborted' | 'interrupted' | 'budget_exhausted';
  readonly claimed: boolean;
  readonly verified: 'achieved' | 'not_yet' | 'unreachable' | 'accepted' | 'not_judged';
}

/**
 * The program's exit code for an outcome: 0 done, 3 not achieved, 4 needs a person, 5 budget used up, 6 a step failed,
 * 130 interrupted.
 *
 * @example
 * process.exitCode = exitCodeOf(workflow.context._outcome);
 */
export function exitCodeOf({ ended, claimed, verified }: ExitFacts): 0 | 3 | 4 | 5 | 6 | 130 {
  if (ended === 'interrupted') return 130;
  if (ended === 'budget_exhausted') return 5;
  if (verified === 'unreachable') return 4;
  if (claimed && verified === 'not_yet') return 3;
  return ended === 'finished' && verified !== 'not_yet' ? 0 : 6;
}
