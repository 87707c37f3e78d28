import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk';
import { findOnPath } from './findOnPath.js';
import { endMarked } from './leftovers.js';
import { sendSignal } from './processes.js';

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
 * The process of one query. It gets a process group of its own, so that it can be ended with its helpers, a mark that all it
 * starts inherits, as its shells have sessions of their own, and a parent-death signal where the system has one: after a `kill -9` of
 * Node a harness would otherwise work, and spend, for a whole turn more.
 */
export class HarnessProcess {
  readonly #running: Set<HarnessProcess>;
  readonly #mark = randomUUID();
  #pid: number | null = null;
  /** Null before it is started. */
  #ended: Promise<void> | null = null;
  /** By a signal: it has not ended its commands itself. */
  #wasKilled = false;
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
      env: { ...options.env, FLOWER_QUERY: this.#mark } as NodeJS.ProcessEnv,
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
      this.#ended = new Promise((resolve) => {
        child.once('exit', (code, signal) => {
          this.#wasKilled = signal !== null || (code ?? 0) > SIGNAL_CODES;
          resolve(this.#gone());
        });
      });
    }
    return child as SpawnedProcess;
  };

  /** Ends it: asked first, then for good. A harness that is asked stops its commands itself. */
  end(): void {
    this.signal('SIGTERM');
    setTimeout(() => this.signal('SIGKILL'), KILL_AFTER_MS).unref();
  }

  /**
   * To be awaited when the query is over, before anything goes on in its place: a command of a harness that was killed must not work
   * on beside it. What a worker has left running on purpose, such as a server, stays until the run ends.
   */
  async over(): Promise<void> {
    if (this.#ended === null) return;
    if (this.#pid !== null) this.end();
    await this.#ended;
    if (this.#wasKilled) await endMarked('FLOWER_QUERY', this.#mark);
  }

  /** Sends a signal to its process group, if it still runs. */
  signal(signal: NodeJS.Signals): void {
    if (this.#pid !== null && !sendSignal(-this.#pid, signal)) this.#gone();
  }

  #gone(): void {
    this.#pid = null;
    this.#running.delete(this);
  }
}

const STDERR_CHARACTERS = 2000;
const KILL_AFTER_MS = 5000;
/** An exit code above it is the number of a signal, as shells give it. */
const SIGNAL_CODES = 128;

let setpriv: string | null | undefined;

function withDeathSignal(command: string, args: readonly string[]): [command: string, args: string[]] {
  if (setpriv === undefined) setpriv = process.platform === 'linux' ? workingSetpriv() : null;
  return setpriv ? [setpriv, ['--pdeathsig', 'TERM', '--', command, ...args]] : [command, [...args]];
}

/** Null also where it does not know how, as that of BusyBox: every start would fail. */
function workingSetpriv(): string | null {
  const path = findOnPath('setpriv');
  const tried = path && spawnSync(path, ['--pdeathsig', 'TERM', '--', 'true'], { stdio: 'ignore', timeout: 5000 });
  return tried && tried.status === 0 ? path : null;
}
