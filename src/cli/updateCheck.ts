import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { isOn } from '../credentials/isOn.js';
import { sourceCheckout } from '../credentials/loadSettings.js';
import { userEnvPath } from '../credentials/userEnvPath.js';
import { text } from '../locale/locale.js';
import { flowerVersion } from '../workflow/flowerVersion.js';

const DAY_S = 24 * 3600;
const PAUSE_AFTER_FAILURE_S = 3600;
const PATIENCE_MS = 6000;
/** npm reads the settings of the folder that it starts in: those of a project must not choose whom it asks. */
const NOBODYS = parse(process.cwd()).root;

export interface UpdateCheckOptions {
  /** @default what `process.stdin` is */
  readonly isTerminal?: boolean;
  /** @default whether this package lies in a source checkout */
  readonly isCheckout?: boolean;
  /** @default the version of this package */
  readonly version?: string;
  /** Unix seconds. @default now */
  readonly now?: number;
}

/**
 * Asks npm in the background, once a day, whether there is a newer flower: npm knows which registry this machine uses. Nothing is ever
 * installed, nothing waits for the answer, and whatever goes wrong is nobody's business.
 *
 * @returns gives up the question and tells the line to show, null if there is none
 * @example
 * const news = startUpdateCheck();
 * await run();
 * console.log(news());
 */
export function startUpdateCheck(options: UpdateCheckOptions = {}): () => string | null {
  const {
    isTerminal = process.stdin.isTTY ?? false,
    isCheckout = sourceCheckout() !== null,
    version = flowerVersion(),
    now = Date.now() / 1000,
  } = options;
  if (!isTerminal || isCheckout || isOn(process.env.FLOWER_NO_UPDATE) || now < nextCheck()) return () => null;
  let newest: string | null = null;
  const asked = execFile(
    'npm',
    ['view', 'flower-agent', 'version'],
    { timeout: PATIENCE_MS, cwd: NOBODYS },
    (error, answer) => {
      newest = error ? null : (/^\d+\.\d+\.\d+$/m.exec(answer)?.[0] ?? null);
      keepNextCheck(now + (newest === null ? PAUSE_AFTER_FAILURE_S : DAY_S));
    },
  );
  asked.unref();
  return () => {
    asked.kill();
    return newest !== null && isNewer(newest, version) ? text('update.found', { new: newest, old: version }) : null;
  };
}

/** Compares two released versions. */
function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  const differs = a?.findIndex((part, i) => part !== b?.[i]) ?? -1;
  return differs >= 0 && (a?.[differs] ?? 0) > (b?.[differs] ?? 0);
}

function statePath(): string {
  return join(dirname(userEnvPath()), '.update');
}

/** Unix seconds; 0 if nothing was ever asked. */
function nextCheck(): number {
  try {
    const { next } = JSON.parse(readFileSync(statePath(), 'utf8')) as { next?: unknown };
    return typeof next === 'number' ? next : 0;
  } catch {
    return 0;
  }
}

function keepNextCheck(next: number): void {
  try {
    mkdirSync(dirname(statePath()), { recursive: true });
    writeFileAtomic.sync(statePath(), `${JSON.stringify({ next: Math.round(next) })}\n`);
  } catch {
    // Then it is asked again next time.
  }
}
