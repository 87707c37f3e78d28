import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Event } from '../events/event.js';
import { HumanChannel } from '../human/humanChannel.js';
import { createTerminalUi, type TerminalUi, type TerminalUiOptions } from './terminalUi.js';
import { columnsOf, graphemesOf } from './width.js';

/** As much of a terminal as flower uses. Anything else that is sent to it fails the test. */
class FakeTerminal extends PassThrough {
  readonly isTTY = true;
  readonly modes: string[] = [];
  columns: number;
  /** One entry a row; a wide character takes two cells, the second one empty. */
  #rows: { cells: string[]; goesOn: boolean }[] = [{ cells: [], goesOn: false }];
  #row = 0;
  #column = 0;

  constructor(columns = 60) {
    super();
    this.columns = columns;
  }

  override write(chunk: unknown): boolean {
    for (const piece of String(chunk).split(/(\u001b\[[?\d;]*[A-Za-z]|[\r\n])/)) this.#take(piece);
    return true;
  }

  /** What stands on the screen; `|` is the cursor. */
  get screen(): string {
    const rows = this.#rows.map(({ cells }) => cells.join(''));
    const left = (this.#rows[this.#row]?.cells ?? []).slice(0, this.#column).join('');
    rows[this.#row] = `${left}|${(rows[this.#row] ?? '').slice(left.length)}`;
    return rows.join('\n');
  }

  /** Breaks long lines anew, as most terminals do. */
  resize(columns: number): void {
    const old = this.#rows;
    const cursor = { row: this.#row, column: this.#column };
    this.columns = columns;
    this.#rows = [{ cells: [], goesOn: false }];
    this.#row = 0;
    this.#column = 0;
    let place = { row: 0, column: 0 };
    for (const [row, { cells, goesOn }] of old.entries()) {
      for (let at = 0; at <= cells.length; at++) {
        if (row === cursor.row && at === cursor.column) place = { row: this.#row, column: this.#column };
        if (at < cells.length && cells[at] !== '') this.#put(cells[at] ?? '');
      }
      if (row < old.length - 1 && !goesOn) this.#take('\n');
    }
    this.#row = place.row;
    this.#column = place.column;
    this.emit('resize');
  }

  #take(piece: string): void {
    const here = this.#rows[this.#row];
    if (piece === '\r') this.#column = 0;
    else if (piece === '\n') this.#down(false);
    else if (piece === '\u001b[K') here?.cells.splice(this.#column);
    else if (piece === '\u001b[1A') this.#row = Math.max(0, this.#row - 1);
    else if (piece.startsWith('\u001b[?')) this.modes.push(piece.slice(2));
    else if (!/^\u001b\[[\d;]*m$/.test(piece)) for (const grapheme of graphemesOf(piece)) this.#put(grapheme);
  }

  #down(goesOn: boolean): void {
    const here = this.#rows[this.#row];
    if (here) here.goesOn = goesOn;
    this.#row++;
    this.#column = 0;
    this.#rows[this.#row] ??= { cells: [], goesOn: false };
  }

  #put(grapheme: string): void {
    if (/[\u0000-\u001f\u007f-\u009f]/.test(grapheme))
      throw new Error(`sent to the terminal: ${JSON.stringify(grapheme)}`);
    const width = columnsOf(grapheme);
    if (this.#column > 0 && this.#column + width > this.columns) this.#down(true);
    const cells = this.#rows[this.#row]?.cells ?? [];
    for (let at = cells.length; at < this.#column; at++) cells.push(' ');
    cells.splice(this.#column, width, grapheme, ...(width === 2 ? [''] : []));
    this.#column += width;
  }
}

class FakeKeyboard extends PassThrough {
  readonly isTTY = true;
  isRaw = false;
  setRawMode(on: boolean): void {
    this.isRaw = on;
  }
  type(keys: string): void {
    this.emit('data', Buffer.from(keys));
  }
}

const open: TerminalUi[] = [];
afterEach(() => {
  for (const ui of open.splice(0)) ui.close();
  vi.useRealTimers();
});

function atTerminal(options: Partial<TerminalUiOptions> & { width?: number } = {}) {
  const { width, ...rest } = options;
  const [keyboard, terminal] = [new FakeKeyboard(), new FakeTerminal(width)];
  const channel = new HumanChannel({ locale: 'en' });
  const ui = createTerminalUi({
    input: keyboard,
    output: terminal,
    channel,
    locale: 'en',
    verbose: false,
    color: false,
    columns: () => terminal.columns,
    ...rest,
  });
  channel.onEvent = ui.onEvent;
  open.push(ui);
  return { ui, channel, terminal, keyboard, type: (keys: string) => keyboard.type(keys) };
}

/** A script behind a pipe, its output in a file. */
function atPipe(options: Partial<TerminalUiOptions> = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const channel = new HumanChannel({ locale: 'en' });
  const ui = createTerminalUi({
    input,
    output,
    channel,
    locale: 'en',
    verbose: false,
    color: false,
    columns: () => undefined,
    ...options,
  });
  channel.onEvent = ui.onEvent;
  open.push(ui);
  return { ui, channel, input, shown: () => String(output.read() ?? '') };
}

const answerPrompt = 'Your answer (Enter = skip, let it decide) > ';

describe('answering (C14, C15)', () => {
  it.each([
    ['2\r', 'drop'],
    ['neither\r', 'neither'],
  ])('%j answers', async (keys, answer) => {
    const { channel, type, terminal } = atTerminal();
    const asked = channel.ask('Keep it?', ['keep', 'drop']);
    expect(terminal.screen).toBe(`\n  ? Keep it?\n     1) keep\n     2) drop\n${answerPrompt}|`);
    type(keys);
    expect(await asked).toMatchObject({ state: 'answered', answer });
    expect(terminal.screen).toContain(`> ${keys.trim()}\n  + ${answer}\n`);
  });

  it('D3.2: Enter alone skips', async () => {
    const { channel, type } = atTerminal();
    const asked = channel.ask('Keep it?');
    type('\r');
    expect((await asked).state).toBe('declined');
  });

  it('C14.3: with several open the oldest is answered and the next one is shown again', async () => {
    const { channel, type, terminal } = atTerminal();
    const [first, second] = [channel.ask('First?'), channel.ask('Second?', ['a', 'b'])];
    type('one\r');
    expect((await first).answer).toBe('one');
    expect(terminal.screen).toMatch(/\+ one\n\n {2}\? Second\?\n {5}1\) a\n {5}2\) b\n/);
    type('2\r');
    expect((await second).answer).toBe('b');
  });

  it('C15.4, D3.16: a line begun before the question opened keeps its destination', async () => {
    const { channel, type, terminal } = atTerminal();
    type('use t');
    const asked = channel.ask('Keep it?');
    expect(terminal.screen).toContain('> use t|');
    type('abs\r');
    expect(channel.mail.map((mail) => mail.text)).toEqual(['use tabs']);
    expect(terminal.screen).toContain(`\n${answerPrompt}|`);
    type('yes\r');
    expect((await asked).answer).toBe('yes');
  });

  it('C15.4: and so does the next one, once the first was cleared', async () => {
    const { channel, type } = atTerminal();
    type('x');
    const asked = channel.ask('Keep it?');
    type('\u0015yes\r');
    expect((await asked).answer).toBe('yes');
    expect(channel.mail).toEqual([]);
  });

  it('C15.8: an answer that comes too late becomes mail, one that was given elsewhere is not sent', async () => {
    const { channel, type, terminal } = atTerminal();
    const asked = channel.ask('Keep it?', null, { timeoutS: 0.01 });
    type('yes');
    expect((await asked).state).toBe('timeout');
    type('\r');
    expect(channel.mail).toHaveLength(1);
    expect(terminal.screen).toContain('! That question had timed out; your words are delivered as a\n  message');

    const elsewhere = channel.ask('And this?');
    type('no');
    channel.answer((await Promise.race([elsewhere, channel.asks.at(-1)]))?.id ?? '', 'by the page');
    type('\r');
    expect(terminal.screen).toContain('> no\n! Already answered elsewhere; your words were not sent');
    expect(channel.mail).toHaveLength(1);
  });

  it('C12.2: what was typed before a question is no answer to it', async () => {
    const { channel, type } = atTerminal();
    type('early\r');
    const asked = channel.ask('Keep it?', ['keep']);
    expect(channel.asks[0]?.state).toBe('asked');
    type('1\r');
    expect((await asked).answer).toBe('keep');
    expect(channel.mail.map((mail) => mail.text)).toEqual(['early']);
  });

  it('D3.15: a pasted paragraph is one answer', async () => {
    const { channel, type } = atTerminal();
    const asked = channel.ask('What?');
    type('\u001b[200~one\rtwo\r\u001b[201~');
    expect(channel.asks[0]?.state).toBe('asked');
    type('\r');
    expect((await asked).answer).toBe('one\ntwo');
  });
});

describe('mail and side questions (C16, C17)', () => {
  it('D3.5: text without a question is mail, and is confirmed once', () => {
    const { channel, type, terminal } = atTerminal();
    type('use tabs\r!stop it\r');
    expect(channel.mail.map(({ text, workers }) => [text, workers])).toEqual([
      ['use tabs', false],
      ['stop it', true],
    ]);
    expect(terminal.screen.match(/Received/g)).toHaveLength(2);
  });

  it('? goes aside, also while a question is open', () => {
    const onAside = vi.fn();
    const { channel, type } = atTerminal({ onAside });
    void channel.ask('Keep it?');
    type('? how far is it\r？为什么\r');
    expect(onAside.mock.calls).toEqual([['how far is it'], ['为什么']]);
    expect(channel.asks[0]?.state).toBe('asked');
  });

  it('D4.3: says where nothing can go', () => {
    const { type, terminal } = atTerminal({ channel: null });
    type('words\r? question\r');
    expect(terminal.screen).toContain('! This workflow has no inbox.');
    expect(terminal.screen).toContain('(side questions are not available now)');
  });

  it('a door that fails is shown and harms nothing', () => {
    const onAside = () => {
      throw new Error('no engine');
    };
    const { channel, type, terminal } = atTerminal({ onAside });
    type('? how far\ruse tabs\r');
    expect(terminal.screen).toContain('! Error: no engine');
    expect(channel.mail).toHaveLength(1);
  });

  it('Z42: Enter alone while a usage limit is waited for tries at once', () => {
    const onNudge = vi.fn();
    const { ui, type } = atTerminal({ onNudge });
    type('\r');
    ui.onEvent(new Event('retry', { text: 'limit', payload: { limit: true, until: Date.now() / 1000 + 60 } }));
    type('\r');
    ui.onEvent(new Event('text', { text: 'going on' }));
    type('\r');
    expect(onNudge).toHaveBeenCalledTimes(1);
  });
});

describe('the line stays while output scrolls (C12)', () => {
  it('D3.14: half-typed text and the place of the cursor survive', () => {
    const { ui, type, terminal } = atTerminal({ channel: null });
    type('确认 word\u001b[D\u001b[D');
    ui.onEvent(new Event('error', { text: 'something' }));
    expect(terminal.screen).toMatch(/^ {2}! something\n {2}- 0:00 · \$0\.00\n> 确认 wo\|rd$/);
    type('x');
    expect(terminal.screen).toMatch(/> 确认 wox\|rd$/);
  });

  it('a prompt that does not fit is a hint behind the cursor until something is typed', () => {
    const { type, terminal } = atTerminal();
    expect(terminal.screen).toBe('> |(type to add a requirement, delivered at the next chec...');
    type('a');
    expect(terminal.screen).toBe('> a|');
  });

  it('a long line scrolls sideways and never wraps', () => {
    const { type, terminal } = atTerminal({ width: 20 });
    type('0123456789abcdefghijklmnopq');
    expect(terminal.screen).toBe('> abcdefghijklmnopq|');
    terminal.resize(80);
    expect(terminal.screen).toMatch(/> 0123456789abcdefghijklmnopq\|$/);
  });

  it('survives every size, and the text is unchanged afterwards', () => {
    const { ui, type, terminal } = atTerminal({ width: 80 });
    type('안녕하세요 🌼 hello');
    for (const width of [7, 2, 1, 0, 7, 80, 1, 80]) {
      terminal.resize(width);
      ui.onEvent(new Event('retry', { text: 'again' }));
    }
    expect(terminal.screen).toMatch(/\n> 안녕하세요 🌼 hello\|$/);
  });

  it('D4.5: gives the terminal back', () => {
    const { ui, keyboard, terminal, type } = atTerminal();
    expect(keyboard.isRaw).toBe(true);
    type('half');
    ui.onEvent(new Event('retry', { text: 'again' }));
    ui.close();
    ui.close();
    expect(keyboard.isRaw).toBe(false);
    expect(terminal.modes).toEqual(['?2004h', '?2004l']);
    expect(terminal.screen.trimEnd()).toBe('  ~ again\n|');
  });

  it('gives it back when the process ends without having closed it', () => {
    const { keyboard } = atTerminal();
    const restore = process.listeners('exit').at(-1);
    restore?.(0);
    expect(keyboard.isRaw).toBe(false);
  });
});

describe('Ctrl-C (C18)', () => {
  const heard = async (words: Promise<string>) => words;

  it('D4.1, D4.7: stops at once, takes a sentence, goes on; the next press is a first one again', async () => {
    const calls: Promise<string>[] = [];
    const onLeave = vi.fn();
    const { ui, channel, type, terminal } = atTerminal({
      width: 100,
      onInterrupt: (words) => calls.push(heard(words)),
      onLeave,
    });
    ui.onEvent(new Event('step', { text: 'work' }));
    void channel.ask('Keep it?');
    type('\u0003');
    expect(calls).toHaveLength(1);
    expect(terminal.screen).toContain('stopping…');
    expect(terminal.screen).toMatch(/Interrupted\. Anything to say\? \(Enter = nothing, go on\) > \|$/);
    type('use tabs\r');
    expect(await calls[0]).toBe('use tabs');
    expect(terminal.screen).toContain('! This turn is interrupted.');
    expect(terminal.screen).toContain('(1 question is still open; it is not affected)');
    expect(channel.asks[0]?.state).toBe('asked');
    type('\u0003');
    expect(calls).toHaveLength(2);
    expect(onLeave).not.toHaveBeenCalled();
  });

  it('D4.2: a second press leaves, a press without a run to stop leaves too', () => {
    const onLeave = vi.fn();
    const { type } = atTerminal({ onInterrupt: () => {}, onLeave });
    type('\u0003\u0003');
    expect(onLeave).toHaveBeenCalledTimes(1);
    const idle = vi.fn();
    atTerminal({ onLeave: idle }).type('\u0003');
    expect(idle).toHaveBeenCalledTimes(1);
  });

  it('C18.7, D4.4: the end of input while words are awaited counts as none', async () => {
    const calls: Promise<string>[] = [];
    const { type } = atTerminal({ onInterrupt: (words) => calls.push(heard(words)) });
    type('\u0003\u0004');
    expect(await calls[0]).toBe('');
  });
});

describe('end of input (C19)', () => {
  it('D3.13: Ctrl-D closes the channel, says so once, and takes the line away', async () => {
    const { channel, type, terminal, keyboard } = atTerminal();
    const asked = channel.ask('Keep it?');
    type('\u0004\u0004');
    expect(await asked).toMatchObject({ state: 'declined', answer: expect.stringContaining('input closed') });
    expect((await channel.ask('And this?')).state).toBe('timeout');
    expect(terminal.screen.match(/Input closed/g)).toHaveLength(1);
    expect(terminal.screen).not.toContain('Your answer');
    expect(keyboard.isRaw).toBe(false);
  });

  it('C9.3, D2.5, D9.5: the lines of a pipe answer; at its end every question settles at once', async () => {
    const { channel, input, shown } = atPipe();
    const asked = channel.ask('Keep it?', ['keep', 'drop']);
    input.write('2\n');
    expect((await asked).answer).toBe('drop');
    input.end();
    await vi.waitFor(() => expect(channel.closed).toBe(true));
    expect((await channel.ask('And this?')).state).toBe('timeout');
    const output = shown();
    expect(output).toContain('! Input closed');
    expect(output).not.toMatch(/[\u001b\r]|Your answer/);
  });

  it('leaves the channel open where somebody else can answer', async () => {
    const { channel, input } = atPipe({ closeChannelAtEnd: false });
    const asked = channel.ask('Keep it?');
    input.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(channel.pending()).toHaveLength(1);
    channel.answer('q1', 'from the page');
    expect((await asked).answer).toBe('from the page');
  });
});

describe('questions that settle by themselves (C39.2)', () => {
  it('after the given time, by default or first option', async () => {
    vi.useFakeTimers();
    const { channel } = atTerminal({ autoAnswerS: 20 });
    const [first, second] = [channel.ask('A?', ['x', 'y'], { default: 'y' }), channel.ask('B?', ['x', 'y'])];
    vi.advanceTimersByTime(19_000);
    expect(channel.pending()).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect([(await first).answer, (await second).answer]).toEqual(['y', 'x']);
  });

  it('at once without a terminal, or when the person has gone', async () => {
    const piped = atPipe({ autoAnswerS: 3600 });
    expect((await piped.channel.ask('A?', ['x'])).answer).toBe('x');
    piped.input.end();
    expect(await piped.channel.ask('B?')).toMatchObject({ state: 'declined' });
    expect(piped.channel.closed).toBe(false);

    const { channel, type } = atTerminal({ autoAnswerS: 3600 });
    const waiting = channel.ask('A?', ['x']);
    type('\u0004');
    expect((await waiting).answer).toBe('x');
  });
});

describe('reading outside a run', () => {
  it('C10: the start prompt takes one line, Ctrl-C and Ctrl-D are no line', async () => {
    const { ui, type, terminal } = atTerminal({ channel: undefined });
    const read = ui.readLine('What? ‹one sentence›');
    expect(terminal.screen).toBe('What? one sentence\n> |');
    type('build it\r');
    expect(await read).toBe('build it');
    expect(terminal.screen).toBe('What? one sentence\n> build it\n|');
    const again = ui.readLine('What?');
    type('\u0003');
    expect(await again).toBeNull();
  });

  it('D7.2: a secret is not shown', async () => {
    const { ui, type, terminal } = atTerminal({ channel: undefined });
    const read = ui.readLine('Token?', { hidden: true });
    type('sk-secret');
    expect(terminal.screen).toBe('Token?\n> |');
    type('\r');
    expect(await read).toBe('sk-secret');
    expect(terminal.screen).not.toContain('secret');
  });

  it('C31.10, D2.3: a pipe of three lines is one request of three lines, and nothing is printed', async () => {
    const { ui, input, shown } = atPipe({ channel: undefined });
    input.end('one\ntwo\r\nthree\n');
    expect(await ui.readAll()).toBe('one\ntwo\nthree');
    expect(shown()).toBe('');
  });

  it('D4.10: reads by key from the first key on', () => {
    const keyboard = new FakeKeyboard();
    const order: string[] = [];
    keyboard.setRawMode = (on) => order.push(on ? 'by key' : 'by line');
    keyboard.on('newListener', (event) => order.push(String(event)));
    atTerminal({ input: keyboard });
    expect(order[0]).toBe('by key');
    expect(order).toContain('keypress');
  });

  it('D4.6: after a run what is typed goes to the dialogue, never to the run', async () => {
    const { ui, channel, type } = atTerminal();
    const asked = channel.ask('Still there?');
    ui.disconnect();
    const read = ui.readLine('Token?', { hidden: true });
    type('sk-secret\r');
    expect(await read).toBe('sk-secret');
    expect(channel.mail).toEqual([]);
    expect(channel.pending()).toHaveLength(1);
    channel.close('over');
    expect((await asked).answer).not.toContain('sk-secret');
  });

  it('D5.14: what is said meanwhile stands above the prompt and what was typed there', () => {
    const { ui, type, terminal } = atTerminal({ channel: undefined });
    void ui.readLine('What?');
    type('buil');
    ui.notice('version 2 is available', 'dim', '- ');
    expect(terminal.screen).toBe('What?\n- version 2 is available\n> buil|');
  });

  it('lines that come before there is a run wait for it', async () => {
    const { ui, channel, type } = atTerminal({ channel: undefined });
    type('first\rsecond\r');
    expect(await ui.readLine('What?')).toBe('first');
    ui.connect(channel);
    expect(channel.mail.map((mail) => mail.text)).toEqual(['second']);
  });
});
