import { savedResult } from './results.mjs';

/** How much worse a ratio may get before the check fails. Absolute times are not compared: another machine has others. */
const TOLERANCE = 1.25;

/** The ratios of a fresh result that are worse than the committed ones, in words. */
export function worseThanSaved(result) {
  const saved = new Map((savedResult(result.bench)?.ratios ?? []).map((ratio) => [ratio.name, ratio]));
  return result.ratios.flatMap(({ name, value, atLeast, noisy }) => {
    const before = saved.get(name)?.value;
    if (before === undefined || noisy) return [];
    const worse = atLeast === undefined ? value > before * TOLERANCE : value < before / TOLERANCE;
    return worse ? [`${result.bench}: ${name} is ${value}, was ${before}`] : [];
  });
}
