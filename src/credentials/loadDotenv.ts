import { loadSettings, type Setting, type Settings, type Source } from './loadSettings.js';
import { noticeText } from './noticeText.js';
import { userEnvPath } from './userEnvPath.js';

/** What this module put into `process.env`, so that a later load does not mistake it for the environment that was inherited. */
const placed = new Map<string, Setting>();
/** What a person has just typed; null = taken away. It holds for this process, whatever files say. */
const adopted = new Map<string, string | null>();
const reported = new Set<string>();
let latest: Settings | null = null;

/**
 * Puts the settings that apply (`loadSettings`) into `process.env`. Calling it again looks everything up anew; what was inherited
 * or set by other code stays. With a path only that file is read, and what it sets outlasts later calls without a path.
 *
 * Returns what the files gave. Warnings that concern the person at the keyboard are reported once per process.
 *
 * @throws FlowerError `env_file_missing` if the file that `FLOWER_ENV` names cannot be read
 * @example
 * loadDotenv(null, { workspace: '/home/ann/app', onWarning: (line) => console.error(line) });
 */
export function loadDotenv(
  path: string | null = null,
  options: {
    /** Files win over the environment. @default false */
    readonly override?: boolean;
    /** Directory whose `.env` counts before the current directory's. */
    readonly workspace?: string;
    /** @default process.emitWarning */
    readonly onWarning?: (text: string) => void;
  } = {},
): Record<string, string> {
  const { override = false, workspace = null, onWarning = (text) => process.emitWarning(text) } = options;
  const settings = loadSettings({ env: inheritedEnvironment(), path, override, workspace });
  if (path === null) {
    latest = settings;
    for (const [key, { source }] of placed) {
      if (source.kind !== 'explicit' && !settings.values.has(key) && !adopted.has(key)) forget(key);
    }
  }
  const given: Record<string, string> = {};
  for (const [key, setting] of settings.values) {
    if (setting.source.kind === 'process' || adopted.has(key)) continue;
    process.env[key] = setting.value;
    placed.set(key, setting);
    given[key] = setting.value;
  }
  for (const notice of settings.notices) {
    if (notice.kind === 'skipped' || notice.kind === 'unreadable' || reported.has(JSON.stringify(notice))) continue;
    reported.add(JSON.stringify(notice));
    onWarning(noticeText(notice));
  }
  return given;
}

/**
 * Makes settings that were just saved to the user's file hold in this process at once, over whatever was there; null takes a key
 * away. Gives back what will outrank them at the next start.
 *
 * @example
 * for (const { key, source } of adoptSettings(values)) console.error(`${key} is also set in ${sourceText(source)}`);
 */
export function adoptSettings(
  values: Readonly<Record<string, string | null>>,
  options: { readonly workspace?: string } = {},
): { key: string; source: Source }[] {
  const { sources } = loadSettings({ env: inheritedEnvironment(), workspace: options.workspace ?? null });
  const shadows = Object.keys(values).flatMap((key) => {
    const [strongest] = sources.get(key) ?? [];
    return strongest && ['process', 'named', 'project'].includes(strongest.kind) ? [{ key, source: strongest }] : [];
  });
  for (const [key, value] of Object.entries(values)) {
    adopted.set(key, value);
    placed.delete(key);
    if (value === null) delete process.env[key];
    else {
      process.env[key] = value;
      placed.set(key, { value, source: { kind: 'user', path: userEnvPath() } });
    }
  }
  return shadows;
}

/** Where the value that `process.env` holds for this key now comes from; null if it has none. */
export function sourceOf(key: string): Source | null {
  const setting = placed.get(key);
  if (setting && setting.value === process.env[key]) return setting.source;
  return process.env[key] ? { kind: 'process', path: null } : null;
}

/** What the last call of `loadDotenv` without a path found, null before the first. For showing; `process.env` is what counts. */
export function loadedSettings(): Settings | null {
  return latest;
}

function inheritedEnvironment(): Record<string, string | undefined> {
  const env = { ...process.env };
  for (const [key, { value, source }] of placed) {
    if (source.kind !== 'explicit' && env[key] === value) delete env[key];
  }
  return env;
}

function forget(key: string): void {
  if (process.env[key] === placed.get(key)?.value) delete process.env[key];
  placed.delete(key);
}
