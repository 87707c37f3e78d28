import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HumanChannel } from '../human/humanChannel.js';
import { createTerminalUi } from '../terminal/terminalUi.js';
import { warnWithoutPerson } from './opening.js';

/** What is said at a start with this channel. */
function saidWith(channel: HumanChannel | null): string {
  const output = new PassThrough();
  const screen = { locale: 'en', verbose: false, color: false, columns: () => 200 } as const;
  const ui = createTerminalUi({ input: new PassThrough(), output, ...screen });
  warnWithoutPerson({ ui, ...screen, json: false }, channel);
  ui.close();
  return String(output.read() ?? '');
}

describe('D2.4: that nobody can answer is said', () => {
  const { isTTY } = process.stdin;
  beforeEach(() => {
    process.stdin.isTTY = false;
  });
  afterEach(() => {
    process.stdin.isTTY = isTTY;
  });

  it.each([1800, null])('where questions would wait (%s seconds)', (timeoutS) => {
    expect(saidWith(new HumanChannel({ timeoutS }))).toMatch(/nobody can answer questions.*--timeout 0/);
  });

  it('not where none waits, where none can be asked, and where somebody sits', () => {
    expect(saidWith(new HumanChannel({ timeoutS: 0 }))).toBe('');
    expect(saidWith(null)).toBe('');
    process.stdin.isTTY = true;
    expect(saidWith(new HumanChannel({ timeoutS: 1800 }))).toBe('');
  });
});
