import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built program. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface FlowerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface FlowerOptions {
  /** What `ANTHROPIC_BASE_URL` is; without one there are no credentials either. */
  readonly url?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What standard input holds; without it the input is closed at once. */
  readonly input?: string;
  /** Arguments for Node itself. */
  readonly node?: readonly string[];
}

/** Starts the built program in an environment that is made here: PATH, a HOME that cannot exist, and what the test gives. */
export function startFlower(
  args: readonly string[],
  options: FlowerOptions = {},
): ChildProcess & { readonly end: Promise<FlowerEnd> } {
  const child = spawn(process.execPath, [...(options.node ?? []), MAIN, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: {
      PATH: process.env.PATH,
      HOME: impossibleHome(),
      LANG: 'C.UTF-8',
      ...(options.url && { ANTHROPIC_BASE_URL: options.url, ANTHROPIC_API_KEY: 'sk-fake' }),
      ...options.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(options.input ?? '');
  const end = new Promise<FlowerEnd>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return Object.assign(child, { end });
}

/** Runs the built program to its end. */
export function runFlower(args: readonly string[], options: FlowerOptions = {}): Promise<FlowerEnd> {
  return startFlower(args, options).end;
}

/** A fresh folder below the temporary one, and a function that removes it. */
export function tempFolder(name: string): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `flower-${name}-`)));
  return { path, remove: () => removeFolder(path) };
}

/** A program that was told to end may still write into it. Each try looks at the folder anew, which those of `rmSync` do not. */
function removeFolder(path: string): void {
  for (let left = 100; ; left -= 1) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (left === 0 || (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

let home: string | undefined;

/** A path below a regular file: nothing can be read or written there, not even by root. */
export function impossibleHome(): string {
  if (home === undefined) {
    const file = join(mkdtempSync(join(tmpdir(), 'flower-nohome-')), 'a-regular-file');
    writeFileSync(file, '');
    home = join(file, 'home');
  }
  return home;
}
