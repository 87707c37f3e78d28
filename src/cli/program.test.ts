import { afterEach, describe, expect, it, vi } from 'vitest';
import { setLocale, text } from '../locale/locale.js';
import { bashScript } from './completion/bash.js';
import { fishScript } from './completion/fish.js';
import { zshScript } from './completion/zsh.js';
import { completedProgram } from './completion.js';
import { Exit } from './exit.js';
import { describeCommand, helpText } from './helpText.js';
import { manPage } from './manPage.js';
import { buildProgram, type GoFlags } from './program.js';

const started = vi.hoisted(() => ({ go: vi.fn(), once: vi.fn(), status: vi.fn(), demo: vi.fn() }));
vi.mock('./go.js', () => ({ go: started.go }));
vi.mock('./once.js', () => ({ once: started.once }));
vi.mock('./demo.js', () => ({ demo: started.demo }));
vi.mock('./status.js', () => ({ status: started.status }));

afterEach(() => {
  setLocale(null);
  vi.clearAllMocks();
  process.exitCode = undefined;
});

const parse = (...args: string[]) => buildProgram().parseAsync(args, { from: 'user' });

/** The flags that `go` got. */
async function goFlags(...args: string[]): Promise<GoFlags> {
  started.go.mockResolvedValue(0);
  await parse(...args);
  return started.go.mock.calls[0]?.[1] as GoFlags;
}

/** What was refused, and with which code. */
async function refused(...args: string[]): Promise<string> {
  const error = await parse(...args).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Exit);
  expect((error as Exit).code).toBe(2);
  return (error as Exit).message;
}

describe('flags', () => {
  it('C2.7: stand before or after the command; of two the later one holds, and one that is absent takes nothing away', async () => {
    expect(await goFlags('-w', '/a', 'go', '-w', '/b', 'x')).toMatchObject({ workspace: '/b' });
    vi.clearAllMocks();
    expect(await goFlags('-v', '-w', '/a', 'go', 'x', '-T')).toMatchObject({
      workspace: '/a',
      verbose: true,
      trim: true,
    });
  });

  it('D1.13: words are joined to one request', async () => {
    await goFlags('go', 'make', 'me', 'a', '--timeout', '0', 'thing');
    expect(started.go.mock.calls[0]?.[0]).toBe('make me a thing');
  });

  it.each([
    [['--rounds', '0'], '--rounds', 'D1.6'],
    [['--rounds', '1.5'], '--rounds', 'D1.6'],
    [['--asks', '-2'], '--asks', 'D1.7'],
    [['--timeout', '-1'], '--timeout', 'D1.8'],
    [['--timeout', 'nan'], '--timeout', 'D1.22'],
    [['--timeout', 'inf'], '--timeout', 'D1.22'],
    [['--timeout', '0x10'], '--timeout', 'D1.22'],
    [['--window', '0'], '--window', 'D1.5'],
    [['--budget', '0'], '--budget', 'C4.3'],
    [['--budget', '1e400'], '--budget', 'C4.3'],
  ] as const)('%j is a usage error that names the flag and the value (%s, %s)', async (args, flag, _rule) => {
    expect(await refused('go', 'x', ...args)).toContain(`${flag}: ${args[1]} (`);
  });

  it.each([
    [['--asks', '-1'], { asks: -1 }],
    [['--timeout', 'forever'], { timeout: Number.POSITIVE_INFINITY }],
    [['--timeout', '.5'], { timeout: 0.5 }],
    [['--no-goal', '--no-trim', '--no-handoff'], { noGoal: true, noTrim: true, noHandoff: true }],
    [['--budget', '2.50'], { budget: 2.5 }],
    [[], { asks: -1, rounds: 3, timeout: 1800 }],
  ] as const)('%j', async (args, expected) => {
    expect(await goFlags('go', 'x', ...args)).toMatchObject(expected);
  });

  it('D6.4: tools are trimmed, and a list without any is refused', async () => {
    started.once.mockResolvedValue(0);
    await parse('once', 'hi', '-t', 'Read, Grep,,');
    expect(started.once.mock.calls[0]?.[1]).toMatchObject({ tools: ['Read', 'Grep'] });
    expect(await refused('once', 'hi', '-t', ' , ')).toContain('--tools');
    expect(await refused('once', 'hi', '-p', 'root')).toContain('bypassPermissions');
  });

  it('a value may look like a flag', async () => {
    started.once.mockResolvedValue(0);
    await parse('once', 'hi', '-i', '-v is a flag');
    expect(started.once.mock.calls[0]?.[1]).toMatchObject({ instructions: '-v is a flag' });
  });
});

describe('flags beside each other (D1.10)', () => {
  it.each([
    ['--rounds 2 --no-goal', ['--rounds', '--no-goal']],
    ['--judge-can-run --no-goal', ['--judge-can-run', '--no-goal']],
    ['--rounds 2 --clarify-only', ['--rounds', '--clarify-only']],
    ['--no-goal --clarify-only', ['--no-goal', '--clarify-only']],
    ['--judge-can-run --clarify-only', ['--judge-can-run', '--clarify-only']],
    ['--isolate --clarify-only', ['--isolate', '--clarify-only']],
    ['--bequest --clarify-only', ['--bequest', '--clarify-only']],
    ['--window 200000 --no-handoff', ['--window', '--no-handoff']],
  ])('%s: one line for the start', async (typed, [a = '', b = '']) => {
    expect((await goFlags('go', 'x', ...typed.split(' '))).pointless).toEqual([text('notice.unused', { a, b })]);
  });

  it('demo says that it works elsewhere', async () => {
    started.demo.mockResolvedValue(0);
    await parse('-w', '/a', 'demo', '-T');
    expect(started.demo.mock.calls[0]?.[0].pointless).toEqual([
      text('notice.demo', { flag: '--workspace' }),
      text('notice.demo', { flag: '--trim' }),
    ]);
  });

  it('a default is not given', async () => {
    expect((await goFlags('go', 'x', '--no-goal')).pointless).toEqual([]);
  });

  it.each([
    [['go', 'x', '-T', '--no-trim'], '--trim', '--no-trim'],
    [['-T', 'go', 'x', '--no-trim'], '--trim', '--no-trim'],
    [['once', 'x', '--fork'], '--fork', '--resume'],
    [['status', 'a', '-r', 'b'], 'RUN-DIR', '--run-dir'],
    [['-r', 'b', 'analyze', 'a'], 'RUN-DIR', '--run-dir'],
  ] as const)('%j is a usage error', async (args, a, b) => {
    const message = await refused(...args);
    expect(message).toContain(a);
    expect(message).toContain(b);
  });
});

describe('words that are commands (C2.6, C2.9, D1.14)', () => {
  it.each(['run', 'once'])('%s without its word says how to make it the request', async (word) => {
    expect(await refused(word)).toContain(`flower go ${word}`);
  });

  it.each(['setup', 'demo', 'doctor'])('%s with a word too many does too', async (word) => {
    expect(await refused(word, 'of', 'mine')).toContain(`flower go ${word}`);
  });

  it('an unknown shell does too', async () => {
    const program = buildProgram();
    await program.parseAsync(['completion', 'tcsh'], { from: 'user' });
    expect(process.exitCode).toBe(2);
  });

  it.each([['en'], ['zh']] as const)('%s: update says how it is done, and go update is a request', async (locale) => {
    setLocale(locale);
    const program = buildProgram();
    program.isDefaulted = true;
    await expect(program.parseAsync(['go', 'update'], { from: 'user' })).rejects.toThrow(
      text('update.how', {}, locale),
    );
    await goFlags('go', 'update');
    expect(started.go.mock.calls[0]?.[0]).toBe('update');
  });
});

describe('help, man page and completion come from one definition (C2.8, C38.2, D1.15)', () => {
  const program = () => buildProgram();
  const flagsIn = (words: string) => new Set(words.match(/(?<![\w-])--[a-z][a-z-]+/g));

  it.each(['en', 'zh'] as const)('%s: nothing in it is left in another language, and no mark-up', (locale) => {
    setLocale(locale);
    const whole = [program(), ...program().commands].map((command) => helpText(command, 80)).join('\n');
    if (locale === 'zh') expect(whole).not.toMatch(/\b(Usage|Options|Commands|display|default:|choices:)\b/);
    expect(whole).not.toMatch(/\*\*|\{\w+\}|‹|›|undefined/);
    for (const line of whole.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('the flags of the command come first, then the global ones, in a group of their own', () => {
    const [go] = program().commands;
    const titles = describeCommand(go ?? program()).groups.map(({ title }) => title);
    expect(titles).toEqual([text('help.head.arguments'), text('help.head.flags'), text('help.group.global')]);
  });

  it('all of them name the same flags', () => {
    const all = new Set([program(), ...program().commands].flatMap((command) => [...flagsIn(helpText(command, 200))]));
    expect(all.size).toBeGreaterThan(25);
    expect(flagsIn(manPage(program(), { version: '1' }).replaceAll('\\-', '-').replaceAll('\\fB', ' '))).toEqual(all);
    const completed = completedProgram(program());
    expect(flagsIn(bashScript(completed))).toEqual(all);
    expect(flagsIn(zshScript(completed))).toEqual(all);
    const fish = new Set([...fishScript(completed).matchAll(/ -l ([a-z-]+)/g)].map(([, name]) => `--${name}`));
    expect(fish).toEqual(all);
  });

  it('the man page holds no line that its formatter would take for a command', () => {
    const lines = manPage(program(), { version: '1' }).split('\n');
    for (const line of lines.filter((one) => /^[.']/.test(one))) expect(line).toMatch(/^\.(TH|SH|SS|TP|B|br)\b/);
  });
});
