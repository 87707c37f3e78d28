/** What calendar and clock on a wall show. Months count from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** True for a name that the system knows as a time zone. */
export function isZone(name: string): boolean {
  try {
    return Boolean(formatter(name));
  } catch {
    return false;
  }
}

/** What the wall clock of a zone shows at an instant, unix seconds. */
export function wallTimeAt(instant: number, timeZone: string): WallTime & { readonly second: number } {
  const parts = formatter(timeZone).formatToParts(instant * 1000);
  const { year, month, day, hour, minute, second } = Object.fromEntries(
    parts.map(({ type, value }) => [type, Number(value)]),
  ) as Record<string, number>;
  return {
    year: year ?? 0,
    month: month ?? 0,
    day: day ?? 0,
    hour: hour ?? 0,
    minute: minute ?? 0,
    second: second ?? 0,
  };
}

/**
 * When the wall clock of a zone shows this, unix seconds; null for a date that does not exist. What it shows twice is meant the
 * second time; what it skips is counted on from before the skip, which is the later of the two ways to read it.
 *
 * @example
 * instantOf({ year: 2027, month: 3, day: 14, hour: 2, minute: 30 }, 'America/New_York'); // 07:30 UTC, shown there as 3:30
 */
export function instantOf(wall: WallTime, timeZone: string): number | null {
  const asUtc = utcOf(wall);
  if (new Date(asUtc * 1000).getUTCDate() !== wall.day) return null;
  const readings = [asUtc - DAY_S, asUtc + DAY_S].map((near) => asUtc - offsetAt(near, timeZone));
  const shown = readings.filter((reading) => reading + offsetAt(reading, timeZone) === asUtc);
  return Math.max(...(shown.length > 0 ? shown : readings));
}

const DAY_S = 86_400;

function utcOf({ year, month, day, hour, minute }: WallTime, second = 0): number {
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

/** Seconds that the zone is ahead of UTC at an instant. */
function offsetAt(instant: number, timeZone: string): number {
  const wall = wallTimeAt(instant, timeZone);
  return utcOf(wall, wall.second) - Math.floor(instant);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(timeZone, made);
  return made;
}
