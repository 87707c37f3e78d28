/** The two functions of a clock that waiting needs. A test gives its own; `globalThis` is one. */
export interface Timers {
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
}

const SLICE_MS = 10_000;

/**
 * Calls `onEnd` after so many seconds in which this machine was awake, and returns how to call that off. It counts in slices:
 * whatever a timer does while the machine sleeps, one sleep costs at most one slice, so whoever opens the lid again finds the
 * time that was left. A single timer could not run for more than 24 days either.
 */
export function startWait(seconds: number, onEnd: () => void, timers: Timers): () => void {
  let left = seconds * 1000;
  let timer: unknown;
  const next = () => {
    const slice = Math.min(left, SLICE_MS);
    timer = timers.setTimeout(() => {
      left -= slice;
      if (left > 0) next();
      else onEnd();
    }, slice);
  };
  next();
  return () => timers.clearTimeout(timer);
}
