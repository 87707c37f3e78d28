import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HumanChannel } from '../human/humanChannel.js';
import { createTerminalUi } from '../terminal/terminalUi.js';
import { handoffOf, warnWithoutPerson } from './opening.js';
import type { Screen } from './screen.js';

/** What `act` gives, and what it says on the screen meanwhile. */
function onScreen<T>(act: (screen: Screen) => T): { given: T; said: string } {
  const output = new PassThrough();
  const screen = { locale: 'en', verbose: false, color: false, columns: () => 200 } as const;
  const ui = createTerminalUi({ input: new PassThrough(), output, ...screen });
  const given = act({ ui, ...screen, json: false });
  ui.close();
  return { given, said: String(output.read() ?? '') };
}

const saidWith = (channel: HumanChannel | null) => onScreen((screen) => warnWithoutPerson(screen, channel)).said;

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

describe('D1.11: when sessions hand over can be said from outside', () => {
  it('by the window, which is the one that counts', () => {
    const { given, said } = onScreen((screen) => handoffOf(screen, { window: 200_000 }));
    expect(given).toMatchObject({ enabled: true, window: 200_000, at: 150_000 });
    expect(said).toBe('');
  });

  it('D1.5: by a window that is too small for a start, with a warning', () => {
    expect(onScreen((screen) => handoffOf(screen, { window: 60_000 })).said).toMatch(/60000 means handoff at 10000/);
  });

  it('never, or as the settings say', () => {
    expect(onScreen((screen) => handoffOf(screen, { noHandoff: true })).given).toBe(false);
    expect(onScreen((screen) => handoffOf(screen, {})).given).toBeUndefined();
  });
});
