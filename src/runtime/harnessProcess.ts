import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk';

/**
 * The harness processes of one Runtime. Each gets a process group of its own, so that it can be ended with everything that it
 * started, and a parent-death signal where the system has one: after a `kill -9` of Node a harness would otherwise work, and spend,
 * for a whole turn more.
 */
export class HarnessProcesses {
  readonly #groups = new Set<number>();
  /** The last words on the standard error of the process that was started last: why one did not start. */
  lastStderr = '';

  /** For the SDK's `spawnClaudeCodeProcess`. */
  readonly spawn = (options: SpawnOptions): SpawnedProcess => {
    const [command, args] = withDeathSignal(options.command, options.args);
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env as NodeJS.ProcessEnv,
      signal: options.signal,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    this.lastStderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.lastStderr = (this.lastStderr + text).slice(-STDERR_CHARACTERS);
    });
    const { pid } = child;
    if (pid !== undefined) {
      this.#groups.add(pid);
      child.once('exit', () => this.#groups.delete(pid));
    }
    return child as SpawnedProcess;
  };

  /** Ends every harness that runs, with all that it started: asked first, then for good. */
  end(): void {
    this.signal('SIGTERM');
    setTimeout(() => this.signal('SIGKILL'), KILL_AFTER_MS).unref();
  }

  /** Sends a signal to the group of every harness that still runs. Never throws. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of this.#groups) {
      try {
        process.kill(-pid, signal);
      } catch {
        this.#groups.delete(pid);
      }
    }
  }
}

const STDERR_CHARACTERS = 2000;
const KILL_AFTER_MS = 5000;

let setpriv: string | null | undefined;

function withDeathSignal(command: string, args: readonly string[]): [command: string, args: string[]] {
  if (setpriv === undefined) setpriv = process.platform === 'linux' ? findOnPath('setpriv') : null;
  return setpriv ? [setpriv, ['--pdeathsig', 'TERM', '--', command, ...args]] : [command, [...args]];
}

function findOnPath(program: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, program);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here; the next folder.
    }
  }
  return null;
}
