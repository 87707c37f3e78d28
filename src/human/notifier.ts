import { spawn } from 'node:child_process';
import { KNOWN_KEYS } from '../credentials/knownKeys.js';
import { type Locale, text } from '../locale/locale.js';

/** What a person who is away is told. */
export interface Note {
  /** A question waits; the run has ended; 80 % or all of the budget is spent; a usage limit is waited for. */
  readonly event: 'question' | 'ended' | 'budget' | 'limit';
  readonly run: string;
  readonly step: string | null;
  readonly text: string;
}

/** Options of a Notifier. */
export interface NotifierOptions {
  /** Gets a line for the person about the first note that could not be sent. @default nobody is told */
  readonly onFailure?: (message: string) => void;
  /** Seconds that one note may take. @default 5 */
  readonly timeoutS?: number;
  /** Language of the failure line. @default the active locale */
  readonly locale?: Locale;
}

/**
 * Tells a person who is away: POSTs JSON to an `http(s)://` URL, or starts a command (no shell; double quotes group words) and
 * gives it the JSON on its input. One try, no redirect followed, no credential in sight. A failure harms nothing.
 *
 * @example
 * const notifier = new Notifier('notify-send "flower calls"', { onFailure: warn });
 * void notifier.notify({ event: 'question', run: 'r1', step: 'work', text: 'Which port?' });
 */
export class Notifier {
  #target: string | null;
  #onFailure: ((message: string) => void) | null;
  #timeoutS: number;
  #locale: Locale | undefined;

  constructor(target: string | null, options: NotifierOptions = {}) {
    this.#target = target?.trim() || null;
    this.#onFailure = options.onFailure ?? null;
    this.#timeoutS = options.timeoutS ?? 5;
    this.#locale = options.locale;
  }

  /** True if the note was taken. Never rejects; wait for it only where the process is about to end. */
  async notify(note: Note): Promise<boolean> {
    if (this.#target === null) return false;
    const { event, run, step, text: words } = note;
    const body = JSON.stringify({ event, run, step, text: words });
    try {
      if (/^https?:\/\//i.test(this.#target)) await post(this.#target, body, this.#timeoutS);
      else await start(this.#target, body, this.#timeoutS);
      return true;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  #report(error: unknown): void {
    const tell = this.#onFailure;
    this.#onFailure = null;
    try {
      tell?.(text('event.notifyFailed', { why: reasonOf(error) }, this.#locale));
    } catch {
      // A failure to tell of a failure is where it ends.
    }
  }
}

class Refused extends Error {}

async function post(url: string, body: string, timeoutS: number): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutS * 1000),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Refused(`HTTP ${response.status}`);
}

function start(command: string, body: string, timeoutS: number): Promise<void> {
  const [program = '', ...words] = wordsOf(command);
  const env = { ...process.env };
  for (const key of KNOWN_KEYS) delete env[key];
  // A group of its own, so that what the command has started can be ended with it.
  const child = spawn(program, words, {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: process.platform !== 'win32',
  });
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      endGroup(child.pid);
      reject(new Refused('ETIMEDOUT'));
    }, timeoutS * 1000);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Refused(`exit ${code ?? signal}`));
    });
    // A command that does not read its input is free to.
    child.stdin.on('error', () => {});
    child.stdin.end(body);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It ended just now.
  }
}

/** Words split at blanks; double quotes group, and an open one reaches to the end. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:[^\s"]|"[^"]*(?:"|$))+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ''));
}

/** A code, never a message: those quote the URL, which may hold a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  const { code, cause, name } = error as { code?: unknown; cause?: { code?: unknown }; name?: unknown };
  const found = [code, cause?.code].find((value) => typeof value === 'string');
  if (typeof found === 'string') return found;
  return name === 'TimeoutError' ? 'ETIMEDOUT' : String(name);
}
