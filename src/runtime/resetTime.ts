import { instantOf, isZone, type WallTime, wallTimeAt } from './wallTime.js';

export interface ResetTimeOptions {
  /** @default the clock */
  readonly now?: Date;
  /** IANA zone of a time that names none. @default the zone of this process */
  readonly timeZone?: string;
}

/**
 * Reads out of the words of a usage limit when it ends: unix seconds, null if they do not say. Understood are a `retry-after` with
 * seconds or an HTTP date, unix seconds behind a `|`, and a time of day, with or without a date and a zone in brackets.
 *
 * A time without a date is the next such time, one without a year the next such date; what passed at most ten minutes ago is
 * given as it is and means now. An hour that the zone skips, or has twice, is read as the later one.
 *
 * @example
 * resetTime("You've hit your session limit · resets 2:30am (Europe/Oslo)");
 */
export function resetTime(text: string | null | undefined, options: ResetTimeOptions = {}): number | null {
  if (!text) return null;
  const nowS = (options.now ?? new Date()).getTime() / 1000;
  return retryAfter(text, nowS) ?? behindBar(text) ?? timeOfDay(text, nowS, options.timeZone);
}

const JUST_NOW_S = 600;

function retryAfter(text: string, nowS: number): number | null {
  const found =
    /\bretry[-_ ]after["']?\s*[:=]?\s*["']?(?:(\d{1,9})(?!\d)|([a-z]{3}, \d\d [a-z]{3} \d{4} [\d:]{8} GMT))/i.exec(
      text,
    );
  if (!found) return null;
  const at = found[1] === undefined ? Date.parse(found[2] ?? '') / 1000 : Math.ceil(nowS + Number(found[1]));
  return Number.isNaN(at) ? null : at;
}

function behindBar(text: string): number | null {
  const found = /\|\s*(\d{9,10})(?!\d)/.exec(text);
  return found ? Number(found[1]) : null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** A time counts only behind a word that says what happens then: an error text may hold others. */
const BEGINNING = String.raw`\b(?:resets?|renews?|lifted|available|until|again)\b:?\s+(?:(?:on|at|after|from)\s+)*`;
const DATE = String.raw`(${MONTHS.join('|')})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?`;
const TIME = String.raw`(\d{1,2})(?::(\d\d)(?::\d\d)?)?(?![\d:])(?:\s*([ap])\.?m\b\.?)?`;
const ZONE = String.raw`(?:\s*\(([^()]+)\)|\s+(UTC|GMT)\b)?`;
const PHRASE = new RegExp(
  String.raw`${BEGINNING}(?:${DATE},?\s+(?:at\s+)?)?${TIME}(?:,?\s+(?:on\s+)?${DATE})?${ZONE}`,
  'gi',
);

function timeOfDay(text: string, nowS: number, timeZone: string | undefined): number | null {
  for (const found of text.matchAll(PHRASE)) {
    const phrase = readPhrase(found, timeZone);
    const at = phrase && nextInstant(phrase, nowS);
    if (at) return at;
  }
  return null;
}

interface Phrase {
  readonly hour: number;
  readonly minute: number;
  readonly date: { readonly month: number; readonly day: number; readonly year: number | null } | null;
  readonly timeZone: string;
}

function readPhrase(found: RegExpExecArray, timeZone: string | undefined): Phrase | null {
  const [, month1, day1, year1, hourText, minuteText, half, month2, day2, year2, bracket, universal] = found;
  const named = bracket !== undefined && isZone(bracket) ? bracket : universal;
  // A bare number may be any: "resets 5 times".
  if (minuteText === undefined && half === undefined && named === undefined) return null;
  const hour = hourOf(Number(hourText), half?.toLowerCase());
  const minute = Number(minuteText ?? 0);
  if (hour === null || minute > 59) return null;
  const month = month1 ?? month2;
  return {
    hour,
    minute,
    date: month === undefined ? null : dateOf(month, day1 ?? day2, year1 ?? year2),
    timeZone: named ?? timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function hourOf(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour < 24 ? hour : null;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half === 'p' ? 12 : 0);
}

function dateOf(month: string, day: string | undefined, year: string | undefined): Phrase['date'] {
  return { month: MONTHS.indexOf(month.toLowerCase()) + 1, day: Number(day), year: year ? Number(year) : null };
}

/** The first instant that the phrase can mean, from ten minutes ago on; a whole date means one only. */
function nextInstant({ hour, minute, date, timeZone }: Phrase, nowS: number): number | null {
  if (date?.year) return instantOf({ ...date, year: date.year, hour, minute }, timeZone);
  for (const day of date ? sameDays(date, nowS, timeZone) : daysAround(nowS, timeZone)) {
    const at = instantOf({ ...day, hour, minute }, timeZone);
    if (at !== null && at >= nowS - JUST_NOW_S) return at;
  }
  return null;
}

type Day = Pick<WallTime, 'year' | 'month' | 'day'>;

/** Yesterday is among them for a look just after midnight. */
function daysAround(nowS: number, timeZone: string): Day[] {
  const today = wallTimeAt(nowS, timeZone);
  return [-1, 0, 1, 2].map((n) => {
    const date = new Date(Date.UTC(today.year, today.month - 1, today.day + n));
    return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  });
}

/** So many years that a 29 February is among them. */
function sameDays(date: { readonly month: number; readonly day: number }, nowS: number, timeZone: string): Day[] {
  const { year } = wallTimeAt(nowS, timeZone);
  return Array.from({ length: 10 }, (_, n) => ({ month: date.month, day: date.day, year: year - 1 + n }));
}
