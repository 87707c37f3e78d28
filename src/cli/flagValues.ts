import { text } from '../locale/locale.js';
import { Exit } from './exit.js';

/** A usage error about the value of one flag. */
function badValue(flag: string, value: string, want: string): Exit {
  return new Exit(2, text('usage.value', { flag, value, want }));
}

/** Reads a whole number that is not below `least`. */
export function integer(flag: string, least: number): (value: string) => number {
  return (value) => {
    const n = Number(value);
    if (/^-?[0-9]+$/.test(value) && Number.isSafeInteger(n) && n >= least) return n;
    throw badValue(flag, value, text('usage.wantInteger', { least }));
  };
}

/** Reads how long a question waits: seconds, infinitely many for `forever`. */
export function seconds(flag: string): (value: string) => number {
  return (value) => {
    if (value === 'forever') return Number.POSITIVE_INFINITY;
    if (DECIMAL.test(value)) return Number(value);
    throw badValue(flag, value, text('usage.wantSeconds'));
  };
}

/** Reads US dollars, more than none. */
export function dollars(flag: string): (value: string) => number {
  return (value) => {
    if (DECIMAL.test(value) && Number(value) > 0) return Number(value);
    throw badValue(flag, value, text('usage.wantDollars'));
  };
}

/** Reads names separated by commas. */
export function names(flag: string): (value: string) => string[] {
  return (value) => {
    const found = value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    if (found.length > 0) return found;
    throw badValue(flag, value, text('usage.wantNames'));
  };
}

/** Reads one of these words. */
export function oneOf(flag: string, words: readonly string[]): (value: string) => string {
  return (value) => {
    if (words.includes(value)) return value;
    throw badValue(flag, value, words.join(', '));
  };
}

const DECIMAL = /^(?:[0-9]{1,12}(?:\.[0-9]*)?|\.[0-9]+)$/;
