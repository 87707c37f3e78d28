import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resetTime } from './resetTime.js';
import { wallTimeAt } from './wallTime.js';

const at = (iso: string) => Date.parse(iso) / 1000;
const read = (text: string, now: string, timeZone = 'UTC') => resetTime(text, { now: new Date(now), timeZone });

describe('C15 the end of a usage limit, as people see it named', () => {
  it.each([
    [
      'the next morning',
      '2026-11-30T23:10+01:00',
      "You've hit your session limit · resets 2:30am (Europe/Oslo)",
      '2026-12-01T01:30Z',
    ],
    [
      'the evening of another zone',
      '2026-11-30T23:10Z',
      "You've hit your session limit · resets 8pm (America/New_York)",
      '2026-12-01T01:00Z',
    ],
    [
      'a date of a weekly limit',
      '2026-11-30T12:00Z',
      "You've hit your weekly limit · resets Dec 3, 9am (Asia/Kolkata)",
      '2026-12-03T03:30Z',
    ],
    [
      'a date across the turn of the year',
      '2026-12-30T12:00Z',
      'limit reached · resets Jan 2, 9am (UTC)',
      '2027-01-02T09:00Z',
    ],
    ['unix seconds', '2026-05-01T00:00Z', 'usage limit reached|1798761600', '2027-01-01T00:00Z'],
    [
      'a time that has just passed',
      '2026-11-30T20:01+01:00',
      'session limit · resets 8pm (Europe/Amsterdam)',
      '2026-11-30T19:00Z',
    ],
    ['an hour that does not exist', '2027-03-14T00:30-05:00', 'resets 2:30am (America/New_York)', '2027-03-14T07:30Z'],
    ['an hour that comes twice', '2026-11-01T00:10-04:00', 'resets 1:30am (America/New_York)', '2026-11-01T06:30Z'],
    ['seconds of a header', '2026-11-30T12:00Z', 'retry-after: 7200', '2026-11-30T14:00Z'],
    ['seconds of a header in JSON', '2026-11-30T12:00Z', '{"retry-after":"7200"}', '2026-11-30T14:00Z'],
    ['an HTTP date', '2026-11-30T12:00Z', 'Retry-After: Wed, 02 Dec 2026 07:28:00 GMT', '2026-12-02T07:28Z'],
  ])('%s', (_, now, text, expected) => {
    expect(read(text, now)).toBe(at(expected));
  });

  it('takes a date with a year and no zone in the zone of the process', () => {
    const text = 'Usage limit. Try again at Dec 3rd, 2026 12:27 AM.';
    expect(read(text, '2026-11-30T12:00Z', 'Asia/Tokyo')).toBe(at('2026-12-02T15:27Z'));
    const own = resetTime(text, { now: new Date('2026-11-30T12:00Z') });
    expect(own).toBe(new Date(2026, 11, 3, 0, 27).getTime() / 1000);
  });
});

describe('R9.18 forms of a time', () => {
  it.each([
    ['resets 20:00', '2026-11-30T20:00Z'],
    ['resets at 20 (Europe/Oslo)', '2026-11-30T19:00Z'],
    ['Resets at 8:00 P.M. UTC.', '2026-11-30T20:00Z'],
    ['available again at 12am', '2026-12-01T00:00Z'],
    ['blocked until 12pm', '2026-11-30T12:00Z'],
    ['resets 9am on Dec 3 (Asia/Kolkata)', '2026-12-03T03:30Z'],
    ['resets December 3 at 9:15am', '2026-12-03T09:15Z'],
    ['resets Feb 29, 9am', '2028-02-29T09:00Z'],
    ['resets Nov 30, 2026, 9am', '2026-11-30T09:00Z'],
    ['resets 8pm (your local time)', '2026-11-30T20:00Z'],
    ['resets 5 times a day, next resets 8pm', '2026-11-30T20:00Z'],
  ])('%s', (text, expected) => {
    expect(read(text, '2026-11-30T12:05Z')).toBe(at(expected));
  });

  it('takes a time that passed within ten minutes for now, an older one for the next', () => {
    const text = 'resets 11:55pm (UTC)';
    expect(read(text, '2026-12-01T00:05Z')).toBe(at('2026-11-30T23:55Z'));
    expect(read(text, '2026-12-01T00:06Z')).toBe(at('2026-12-01T23:55Z'));
    const dated = 'resets Dec 31, 11:55pm (UTC)';
    expect(read(dated, '2027-01-01T00:04Z')).toBe(at('2026-12-31T23:55Z'));
    expect(read(dated, '2027-01-01T00:06Z')).toBe(at('2027-12-31T23:55Z'));
  });

  it.each([
    'session limit reached, resets soon',
    'resets 25:00 (UTC)',
    'resets 13pm',
    'resets 8:75pm',
    'resets Feb 30, 2027 9am',
    'resets 2026-12-03',
    'resets 5 times a day',
    'failed at 12:30:05, the limit is 20000|30000',
    'Fixed the rate limit handling at 8pm.',
    '',
  ])('finds none in %j', (text) => {
    expect(read(text, '2026-11-30T12:00Z')).toBeNull();
  });

  it('finds none in nothing', () => {
    expect(resetTime(null)).toBeNull();
    expect(resetTime(undefined)).toBeNull();
  });
});

const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC');
const instants = fc.integer({ min: at('2025-01-01'), max: at('2045-01-01') });

describe('R9.18 any zone, any time', () => {
  it('reads back what a clock in that zone shows, or the second time it shows it', () => {
    fc.assert(
      fc.property(zones, instants, fc.integer({ min: 0, max: 82_000 }), fc.boolean(), (zone, nowS, ahead, dated) => {
        const end = Math.floor((nowS + ahead) / 60) * 60;
        const wall = wallTimeAt(end, zone);
        const found = resetTime(words(wall, zone, dated), { now: new Date(nowS * 1000) });
        expect(found).not.toBeNull();
        expect(wallTimeAt(found ?? 0, zone)).toEqual(wall);
        // A zone that puts its clock back shows the same time again, at most an hour later.
        expect([0, 1800, 3600]).toContain((found ?? 0) - end);
      }),
      { numRuns: 2000 },
    );
  });

  it('never throws, and gives no time before the last ten minutes for words without a year', () => {
    const bits = fc.constantFrom(
      ...['resets', 'until', 'try again at', 'Dec', 'Feb 30', '3rd', ',', '9', '9am', '12:60', '24:00', '2:30 pm', '|'],
      ...['(UTC)', '(Mars/Base)', '()', 'retry-after:', 'on', '·', '31', 'Mar 14', 'Oct 25', '(Europe/Berlin)'],
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 8 }), instants, zones, (parts, nowS, timeZone) => {
        const found = resetTime(parts.join(' '), { now: new Date(nowS * 1000), timeZone });
        expect(found === null || (Number.isFinite(found) && found >= nowS - 600)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

function words(wall: ReturnType<typeof wallTimeAt>, zone: string, dated: boolean): string {
  const hour = `${wall.hour % 12 || 12}:${String(wall.minute).padStart(2, '0')}${wall.hour < 12 ? 'am' : 'pm'}`;
  const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const date = dated ? `${months[wall.month - 1]} ${wall.day}, ` : '';
  return `limit reached · resets ${date}${hour} (${zone})`;
}
