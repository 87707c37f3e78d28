import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk';
import { processEntries, sendSignal } from './processes.js';

/** The harness processes of one Runtime, each the affair of one query. */
export class HarnessProcesses {
  readonly #running = new Set<HarnessProcess>();

  /** A handle for the process of the next query. */
  begin(): HarnessProcess {
    return new HarnessProcess(this.#running);
  }

  /** Sends a signal to the group of every harness that still runs. Never throws. */
  signal(signal: NodeJS.Signals): void {
    for (const harness of this.#running) harness.signal(signal);
  }
}

/**
 * The process of one query. It gets a process group of its own, so that it can be ended with everything that it started, and a
 * parent-death signal where the system has one: after a `kill -9` of Node a harness would otherwise work, and spend, for a whole
 * turn more.
 */
export class HarnessProcess {
  readonly #running: Set<HarnessProcess>;
  #pid: number | null = null;
  /** The last words on its standard error: why it did not start. */
  lastStderr = '';
  /** The folder in which it writes sessions down; null before it is started. Of a resumed session it goes with the query. */
  configDir: string | null = null;

  constructor(running: Set<HarnessProcess>) {
    this.#running = running;
  }

  /** For the SDK's `spawnClaudeCodeProcess`. */
  readonly spawn = (options: SpawnOptions): SpawnedProcess => {
    this.configDir = options.env.CLAUDE_CONFIG_DIR ?? null;
    const [command, args] = withDeathSignal(options.command, options.args);
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env as NodeJS.ProcessEnv,
      signal: options.signal,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.lastStderr = (this.lastStderr + text).slice(-STDERR_CHARACTERS);
    });
    if (child.pid !== undefined) {
      this.#pid = child.pid;
      this.#running.add(this);
      child.once('exit', () => this.#gone());
    }
    return child as SpawnedProcess;
  };

  /** Ends it with all that it started: asked first, then for good. A harness that is asked stops its commands itself. */
  end(): void {
    this.signal('SIGTERM');
    setTimeout(() => this.#kill(), KILL_AFTER_MS).unref();
  }

  /** Sends a signal to its process group, if it still runs. */
  signal(signal: NodeJS.Signals): void {
    if (this.#pid !== null && !sendSignal(-this.#pid, signal)) this.#gone();
  }

  /** Its shells have sessions of their own, which the signal to the group does not reach. */
  #kill(): void {
    if (this.#pid === null) return;
    const started = descendantsOf(this.#pid);
    this.signal('SIGKILL');
    for (const pid of started) sendSignal(pid, 'SIGKILL');
  }

  #gone(): void {
    this.#pid = null;
    this.#running.delete(this);
  }
}

const STDERR_CHARACTERS = 2000;
const KILL_AFTER_MS = 5000;

/** What a process started, directly or through others, where the system shows it. */
function descendantsOf(root: number): number[] {
  const entries = processEntries();
  const found = [root];
  for (const parent of found) {
    for (const entry of entries) if (entry.parent === parent) found.push(entry.pid);
  }
  return found.slice(1);
}

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
