import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How much worse a ratio may get before the check fails. Absolute times are not compared: another machine has others. */
const TOLERANCE = 1.25;
const cwd = fileURLToPath(new URL('../../', import.meta.url));

/** The ratios of a fresh result that are worse than those of the last release, or stand on one side only, in words. */
export function worseThanReleased({ bench, ratios }) {
  const before = new Map((releasedResult(bench)?.ratios ?? []).map((ratio) => [ratio.name, ratio]));
  const gone = [...before.keys()].filter((name) => ratios.every((ratio) => ratio.name !== name));
  return [
    ...ratios.flatMap(({ name, value, noisy }) => {
      const was = before.get(name)?.value;
      if (was === undefined) return [`${bench}: ${name} has no committed figure`];
      return !noisy && value > was * TOLERANCE ? [`${bench}: ${name} is ${value}, was ${was}`] : [];
    }),
    ...gone.map((name) => `${bench}: ${name} is measured no more`),
  ];
}

/** The figures that were committed with the newest tag of a version; before the first one, those of the last commit. */
function releasedResult(bench) {
  const file = `bench/results/${bench}.json`;
  const from = git('describe', '--tags', '--abbrev=0', '--match', 'v*') ?? 'HEAD';
  const text = git('show', `${from}:${file}`) ?? git('show', `HEAD:${file}`);
  return text === null ? null : JSON.parse(text);
}

function git(...command) {
  try {
    return execFileSync('git', command, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
