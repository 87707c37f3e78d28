import { spawn, spawnSync } from 'node:child_process';
import { impossibleHome, MAIN } from './flowerProgram.js';

/** Whether this machine has util-linux's `script`, which gives a program a terminal. That of macOS takes other flags. */
export const hasTerminal =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

export interface FlowerTerminal {
  /** Types keys once the screen has shown this, after whatever was waited for before. */
  type(after: RegExp, keys: string): Promise<void>;
  /** Takes the terminal away, for a test that failed. */
  stop(): void;
  /** The exit code and all that was on the screen, without its escape sequences. */
  readonly end: Promise<{ readonly code: number | null; readonly screen: string }>;
}

/** Starts the built program at a terminal, in an environment that is made here. */
export function flowerTerminal(
  args: readonly string[],
  options: { readonly url: string; readonly cwd: string },
): FlowerTerminal {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: options.cwd,
    env: {
      PATH: process.env.PATH,
      HOME: impossibleHome(),
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TERM: 'xterm',
      NO_COLOR: '1',
      ANTHROPIC_BASE_URL: options.url,
      ANTHROPIC_API_KEY: 'sk-fake',
    },
  });
  let screen = '';
  let seen = 0;
  let notice: () => void = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
    notice();
  });
  const type = async (after: RegExp, keys: string) => {
    for (;;) {
      const found = after.exec(screen.slice(seen));
      if (found) {
        seen += found.index + found[0].length;
        child.stdin.write(keys);
        return;
      }
      await new Promise<void>((resolve) => {
        notice = resolve;
      });
    }
  };
  const end = new Promise<{ code: number | null; screen: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, screen }));
  });
  return { type, stop: () => void child.kill('SIGTERM'), end };
}
