import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Watchdog } from './watchdog.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watch(seconds: number, isAlive = () => false) {
  let silent = 0;
  const watchdog = new Watchdog(seconds, { isAlive, onSilent: () => (silent += 1) });
  return { watchdog, silences: () => silent };
}

describe('the watchdog (case 25)', () => {
  it('calls after so many seconds without a word', () => {
    const { silences } = watch(1800);
    vi.advanceTimersByTime(1_799_000);
    expect(silences()).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(silences()).toBe(1);
  });

  it('does not call in a build of two hours that is heard of every 30 seconds', () => {
    const { watchdog, silences } = watch(1800);
    for (let s = 0; s < 7200; s += 30) {
      vi.advanceTimersByTime(30_000);
      watchdog.touch();
    }
    expect(silences()).toBe(0);
  });

  it('takes a question that waits for a person for life, and counts from its end', () => {
    let open = true;
    const { silences } = watch(60, () => open);
    vi.advanceTimersByTime(3_600_000);
    expect(silences()).toBe(0);
    open = false;
    vi.advanceTimersByTime(60_000);
    expect(silences()).toBe(1);
  });

  it.each([0, 30 * 24 * 3600])(
    'does not call at once for %d seconds, which are off or more than a timer takes',
    (seconds) => {
      const { watchdog, silences } = watch(seconds);
      vi.advanceTimersByTime(24 * 3_600_000);
      expect(silences()).toBe(0);
      watchdog.stop();
      expect(vi.getTimerCount()).toBe(0);
    },
  );
});
