import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { impossibleHome, MAIN } from './flowerProgram.js';

/** Whether this machine has tmux, which gives a program a terminal whose screen can be read. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) {
  if (process.env.REQUIRE_TMUX) throw new Error('tmux is not installed, and REQUIRE_TMUX says that it must be');
  console.warn('skipped: tmux is not installed, so nothing can be seen on a real terminal');
}

export interface TmuxOptions {
  /** Where the program works. */
  readonly cwd: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** What is left when the program has ended. */
export interface TerminalEnd {
  readonly code: number;
  /** `stty -a` of the terminal, before the program started and after it ended. */
  readonly before: string;
  readonly after: string;
}

const run = promisify(execFile);
const PATIENCE_MS = 50_000;
const LOOK_EVERY_MS = 40;

/** A program in a terminal of its own, in an environment that is made here. Its server is nobody else's and ends with `close`. */
export class Tmux {
  readonly folder = mkdtempSync(join(tmpdir(), 'flower-tmux-'));
  readonly #socket = `flower-test-${randomBytes(6).toString('hex')}`;
  readonly #options: Required<TmuxOptions>;

  constructor(options: TmuxOptions) {
    this.#options = { columns: 100, rows: 40, env: {}, ...options };
  }

  /** Starts the built flower. */
  async flower(...args: string[]): Promise<void> {
    await this.start([process.execPath, MAIN, ...args].map(quoted).join(' '));
  }

  /**
   * Starts a line of shell. Its terminal stays when it has ended, with a program in it that shows each key it is sent. If the line
   * stops itself, `goOn` lets it go on.
   */
  async start(line: string): Promise<void> {
    const { columns, rows, cwd, env } = this.#options;
    const script = join(this.folder, 'terminal.sh');
    const program = join(this.folder, 'program.sh');
    writeFileSync(program, `echo $$ > ${this.#at('pid')}\nexec ${line}\n`);
    writeFileSync(
      script,
      `set -m
cd ${quoted(cwd)}
stty -a > ${this.#at('before')}
sh ${quoted(program)}
code=$?
case $code in 146|148)
  stty -a > ${this.#at('stopped')}
  until [ -e ${this.#at('on')} ]; do sleep 0.05; done
  fg > /dev/null
  code=$?
esac
stty -a > ${this.#at('after')}
echo $code > ${this.#at('code')}
exec cat -v
`,
    );
    const variables = { SHELL: '/bin/sh', LANG: 'C.UTF-8', HOME: impossibleHome(), NO_COLOR: '1', ...env };
    await this.#tmux(
      ...['-f', '/dev/null', 'set-option', '-g', 'history-limit', '50000', ';'],
      ...['set-option', '-s', 'set-clipboard', 'on', ';', 'set-option', '-g', 'status', 'off', ';'],
      ...['new-session', '-d', '-x', String(columns), '-y', String(rows)],
      ...['env', '-i', `PATH=${process.env.PATH}`, 'TERM=screen'],
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      ...['sh', script],
    );
  }

  /** Waits until the screen shows this, and gives its rows, without blanks at their ends. */
  async shows(what: RegExp | ((rows: string[]) => boolean)): Promise<string[]> {
    const isThere = typeof what === 'function' ? what : (rows: string[]) => what.test(rows.join('\n'));
    let rows: string[] = [];
    await this.#until(async () => {
      rows = await this.screen();
      return isThere(rows);
    }, `the screen never showed ${what}`);
    return rows;
  }

  /** What is on the screen now, from the first row to the last that holds something. */
  async screen(): Promise<string[]> {
    return rowsOf(await this.#tmux('capture-pane', '-p'));
  }

  /** Everything that has scrolled by, and the screen. Lines that the terminal broke are whole. */
  async everything(): Promise<string[]> {
    return rowsOf(await this.#tmux('capture-pane', '-p', '-J', '-S', '-'));
  }

  /** Types text as it stands. */
  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', text);
  }

  /** Presses keys by tmux's names, such as `Enter`, `C-c`. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  /** Pastes text as a terminal does: in brackets if the program has asked for them. */
  async paste(text: string): Promise<void> {
    const file = join(this.folder, 'paste');
    writeFileSync(file, text);
    await this.#tmux('load-buffer', file, ';', 'paste-buffer', '-p', '-d');
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Sends a signal to the program itself. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    process.kill(Number(await this.#file('pid')), signal);
  }

  /** The mode of the terminal, before the program started and while it is stopped. */
  async stopped(): Promise<{ before: string; stopped: string }> {
    return { before: await this.#file('before'), stopped: await this.#file('stopped') };
  }

  goOn(): void {
    writeFileSync(join(this.folder, 'on'), '');
  }

  async end(): Promise<TerminalEnd> {
    const code = Number(await this.#file('code'));
    return { code, before: await this.#file('before'), after: await this.#file('after') };
  }

  /** What the terminal was told besides its text: its title, and what was put into the clipboard. */
  async sideEffects(): Promise<{ title: string; clipboard: string }> {
    const [title, clipboard] = [
      await this.#tmux('display-message', '-p', '#{pane_title}'),
      await this.#tmux('list-buffers'),
    ];
    return { title: title.trim(), clipboard: clipboard.trim() };
  }

  /** Whether the cursor is seen now. */
  async showsCursor(): Promise<boolean> {
    return (await this.#tmux('display-message', '-p', '#{cursor_flag}')).trim() === '1';
  }

  /** Takes the terminal away, and whatever still runs in it. */
  async close(): Promise<void> {
    await this.#tmux('kill-server').catch(() => '');
    await this.#until(async () => !this.#isAlive(), 'the program outlives its terminal');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  #isAlive(): boolean {
    try {
      return process.kill(Number(readFileSync(join(this.folder, 'pid'), 'utf8')), 0);
    } catch {
      return false;
    }
  }

  #at(name: string): string {
    return quoted(join(this.folder, name));
  }

  async #file(name: string): Promise<string> {
    const path = join(this.folder, name);
    await this.#until(
      async () => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'),
      `no ${name} was written`,
    );
    return readFileSync(path, 'utf8');
  }

  async #until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (performance.now() > deadline)
        throw new Error(`${otherwise}:\n${(await this.screen().catch(() => [])).join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  async #tmux(...args: string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-L', this.#socket, ...args], {
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
      maxBuffer: 2 ** 26,
    });
    return stdout;
  }
}

function rowsOf(captured: string): string[] {
  return captured
    .replace(/\s+$/, '')
    .split('\n')
    .map((row) => row.trimEnd());
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
