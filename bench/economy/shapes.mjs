/**
 * What is done in each job, in characters where nothing else is said. A package is the work of one dispatch, in calls: `looks` read
 * what is there, each of the `edits` is a Read and an Edit of a file that a Write made. `spread` says how the packages differ: the
 * smallest, the middle and the largest one; without it they are equal.
 *
 * The first has the figures of a measured run: its tokens are those of the run, its characters four times as many, as the sim counts a
 * token as four bytes. The second has the number of calls and the pace of another run, and sizes that are chosen.
 */
export const shapes = {
  'HT001, a program from nothing': {
    packages: 23,
    // Thousand tokens of output of a worker.
    spread: [12, 72, 184],
    calls: { bash: 45, looks: 9, writes: 6, edits: 11 },
    // 3.6 M characters of text in 1,893 calls; 2.3 M tokens of output, 0.65 M of them thinking.
    sizes: {
      bashResult: 2000,
      readResult: 3000,
      command: 3000,
      written: 12_000,
      edited: 2000,
      said: 300,
      thought: 1360,
    },
    // 200 K characters of text on the main thread, for 23 dispatches and 9 other calls.
    dispatch: { brief: 3000, report: 4200, inbox: 9 },
    around: { clarify: 4, goal: 11, judge: 36, checks: 10 },
    secondsPerTurn: 19,
  },
  'HT002, an installation': {
    packages: 6,
    calls: { bash: 24, looks: 6, writes: 1, edits: 2 },
    sizes: {
      bashResult: 3500,
      readResult: 3000,
      command: 800,
      written: 12_000,
      edited: 2000,
      said: 300,
      thought: 1360,
    },
    dispatch: { brief: 3000, report: 4200, inbox: 1 },
    around: { clarify: 8, goal: 11, judge: 36, checks: 5 },
    secondsPerTurn: 12,
  },
  'long reading, few edits': {
    packages: 4,
    calls: { bash: 1, looks: 36, writes: 1, edits: 1 },
    sizes: {
      bashResult: 2000,
      readResult: 16_000,
      command: 300,
      written: 9000,
      edited: 1000,
      said: 300,
      thought: 1360,
    },
    dispatch: { brief: 3000, report: 4200, inbox: 0 },
    around: { clarify: 8, goal: 11, judge: 36, checks: 5 },
    secondsPerTurn: 12,
  },
};

/** Sizes that are the same in every shape. */
export const common = {
  /** One package in the prompt of a single session and in the plan of a loop. */
  planned: 600,
  /** What a loop's session notes down for the next one. */
  progress: 1000,
  /** The summary that a session makes of itself when it compacts. */
  summary: 20_000,
  brief: 3000,
};
