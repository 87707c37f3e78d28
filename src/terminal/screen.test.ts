import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Screen } from './screen.js';
import { TerminalLock } from './terminalLock.js';

afterEach(() => vi.useRealTimers());

const output = () => {
  const written: string[] = [];
  const stream = new PassThrough();
  stream.write = (chunk: unknown, done?: unknown) => {
    written.push(String(chunk));
    if (typeof done === 'function') done();
    return true;
  };
  return { stream, written };
};

describe('Screen', () => {
  it('C21.8: one message is one write, the kept rows included', () => {
    const { stream, written } = output();
    const screen = new Screen({ output: stream, isTerminal: true, columns: () => 10 });
    screen.keep(['row'], { before: '> ab', after: 'c' });
    screen.keep(['row'], { before: '> ab', after: 'c' });
    screen.write('line\n');
    expect(written).toEqual(['row\n> abc\r> ab', '\r\u001b[K\u001b[1A\u001b[Kline\nrow\n> abc\r> ab']);
  });

  it('D3.14: erases every row that a line takes on a screen that became narrower', () => {
    const { stream, written } = output();
    let columns = 20;
    const screen = new Screen({ output: stream, isTerminal: true, columns: () => columns });
    screen.keep([], { before: '0123456789', after: '' });
    columns = 4;
    screen.keep([], null);
    expect(written[1]).toBe(`\r\u001b[K${'\u001b[1A\u001b[K'.repeat(2)}`);
  });

  it('D3.14: erases what stands below the cursor too, and no row more than the line takes', () => {
    const { stream, written } = output();
    let columns = 20;
    const screen = new Screen({ output: stream, isTerminal: true, columns: () => columns });
    screen.keep(['a · b'], { before: '> 12', after: '3456789' });
    columns = 5;
    screen.keep([], null);
    // Three rows of input with the cursor in the first, and one row above, whose dot is as narrow as most terminals draw it.
    expect(written[1]).toBe(`\n\n\r\u001b[K${'\u001b[1A\u001b[K'.repeat(3)}`);
  });

  it('C45: reaches no further than the screen, however small that became', () => {
    const { stream, written } = output();
    let columns = 20;
    const screen = new Screen({ output: stream, isTerminal: true, columns: () => columns, height: () => 2 });
    screen.keep(['row'], { before: '> 12', after: '3456789' });
    columns = 1;
    screen.keep([], null);
    expect(written[1]).toBe('\n\r\u001b[K\u001b[1A\u001b[K');
  });

  it('C12.8: draws no rows where there is no terminal', () => {
    const { stream, written } = output();
    const screen = new Screen({ output: stream, isTerminal: false, columns: () => 80 });
    screen.keep(['row'], { before: '> ', after: '' });
    screen.write('line\n');
    expect(written).toEqual(['line\n']);
  });

  it('C20.3: survives a terminal that is gone', () => {
    const { stream } = output();
    const screen = new Screen({ output: stream, isTerminal: true, columns: () => 80 });
    stream.write = () => {
      throw new Error('EIO');
    };
    expect(() => screen.write('line\n')).not.toThrow();
    expect(() => stream.emit('error', new Error('EPIPE'))).not.toThrow();
  });

  it('C21.9, D5.13: waits for another process without holding this one up, in order, and not for ever', () => {
    vi.useFakeTimers();
    const { stream, written } = output();
    let isFree = false;
    const released = vi.fn();
    const screen = new Screen({
      output: stream,
      isTerminal: false,
      columns: () => 80,
      lock: { tryTake: () => isFree, release: released },
    });
    screen.write('one\n');
    screen.write('two\n');
    expect(written).toEqual([]);
    isFree = true;
    vi.advanceTimersByTime(10);
    expect(written).toEqual(['one\ntwo\n']);
    expect(released).toHaveBeenCalledTimes(1);

    isFree = false;
    screen.write('three\n');
    vi.advanceTimersByTime(1_990);
    expect(written).toHaveLength(1);
    vi.advanceTimersByTime(20);
    expect(written[1]).toBe('three\n');

    screen.write('four\n');
    screen.flush();
    expect(written[2]).toBe('four\n');
  });
});

describe('TerminalLock (C21.9)', () => {
  it('one holder at a time, found by device; a lock that cannot be had does not stop anybody', () => {
    const directory = mkdtempSync(join(tmpdir(), 'flower-tty-'));
    const device = openSync('/dev/null', 'w');
    const [a, b] = [new TerminalLock(device, { directory }), new TerminalLock(device, { directory })];
    expect(a.tryTake()).toBe(true);
    expect(a.tryTake()).toBe(true);
    expect(b.tryTake()).toBe(false);
    a.release();
    expect(b.tryTake()).toBe(false);
    a.release();
    expect(b.tryTake()).toBe(true);
    b.release();
    a.close();
    b.close();
    expect(new TerminalLock(device, { directory: join(directory, 'missing') }).tryTake()).toBe(true);
    expect(new TerminalLock(9999, { directory }).tryTake()).toBe(true);
    rmSync(directory, { recursive: true, force: true });
  });
});
