import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FlowerError } from '../errors.js';
import { text } from '../locale/locale.js';
import { Exit, guarded } from './exit.js';

let code: typeof process.exitCode;
let said: string;
beforeEach(() => {
  code = process.exitCode;
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((words) => {
    said += String(words);
    return true;
  });
});
afterEach(() => {
  process.exitCode = code;
  vi.restoreAllMocks();
});

/** The exit code and what stands on standard error when a command ends so. */
async function end(command: () => Promise<number>, verbose = false): Promise<[unknown, string]> {
  await guarded(verbose, command);
  return [process.exitCode, said];
}

const throws = (error: unknown) => () => Promise.reject(error);

describe('how a command ends (C30, Z134)', () => {
  it.each([
    ['done', 0],
    ['not achieved', 3],
    ['needs a person', 4],
    ['budget used up', 5],
    ['a step failed', 6],
    ['interrupted', 130],
  ])('%s: with the code that it gives, %i', async (_name, given) => {
    expect(await end(async () => given)).toEqual([given, '']);
  });

  it.each([
    ['could not start', new Exit(1, 'no credentials'), 1, 'no credentials'],
    ['could not start, and the library says why', new FlowerError('run_locked', 'in use'), 1, 'in use'],
    ['usage', new Exit(2, 'bad value'), 2, 'bad value'],
    ['the budget is used up before a step', new Exit(5, 'spent'), 5, 'spent'],
    ['a fault of flower itself', new Error('oops'), 1, text('error.internal', { why: 'oops' })],
  ])('%s: with a message', async (_name, error, expected, message) => {
    expect(await end(throws(error))).toEqual([expected, `${message}\n`]);
  });

  it('C30.1: shows a stack with -v alone', async () => {
    const [, words] = await end(throws(new Error('oops')), true);
    expect(words).toMatch(/^flower itself failed: oops.*\nError: oops\n\s+at /);
  });
});
