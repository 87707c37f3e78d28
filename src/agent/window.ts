import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { userEnvPath } from '../credentials/userEnvPath.js';

/** Where the figure for a context window comes from. */
export type WindowSource = 'option' | 'env' | 'overflow' | 'harness' | 'name';

export interface LearntWindow {
  /** Tokens. */
  readonly window: number;
  readonly source: WindowSource;
}

/** Variables that say which model answers where, and `FLOWER_WINDOW`: the environment, or what stands in its place. */
export type WindowSettings = Readonly<Record<string, string | undefined>>;

/** Tokens of the largest window that the known models have; taken where nothing is known, because an overflow only costs a handoff. */
const LARGE = 1_000_000;
const SMALL = 200_000;

/**
 * The context window in tokens, as far as it is known without asking: `FLOWER_WINDOW`, else what an overflow has taught, else a guess
 * by the model's name.
 *
 * @example
 * defaultWindow(); // 1000000
 */
export function defaultWindow(settings: WindowSettings = process.env): number {
  return knownWindow(settings).window;
}

/** {@link defaultWindow} with its source. */
export function knownWindow(settings: WindowSettings = process.env): LearntWindow {
  const set = Number(settings.FLOWER_WINDOW);
  if (Number.isInteger(set) && set > 0) return { window: set, source: 'env' };
  const learnt = calibratedWindow(settings);
  return learnt === null
    ? { window: windowByName(modelIn(settings).toLowerCase()), source: 'name' }
    : { window: learnt, source: 'overflow' };
}

/** A guess by name. `1m` counts only as a token of its own, and before `haiku`: a haiku with `[1m]` has a million. */
function windowByName(name: string): number {
  if (/(^|[^a-z0-9])1m([^a-z0-9]|$)/.test(name)) return LARGE;
  return name.includes('haiku') ? SMALL : LARGE;
}

/** The file in which overflows are remembered, beside the user's `.env`. */
export function calibPath(): string {
  return join(dirname(userEnvPath()), '.windows');
}

/** Tokens at which this endpoint refused a prompt of this model as too long; null if it never did. */
export function calibratedWindow(settings: WindowSettings = process.env): number | null {
  const value = readRecord()[calibKey(settings)];
  return typeof value === 'number' && value > 0 ? value : null;
}

/**
 * Remembers that a prompt of this size was refused as too long. The figure only ever falls; `FLOWER_WINDOW` or an explicit window
 * beats it. A record that cannot be written is not worth a failure.
 */
export function rememberOverflow(context: number, settings: WindowSettings = process.env): void {
  if (!(context > 0)) return;
  const record = readRecord();
  const key = calibKey(settings);
  const old = record[key];
  record[key] = typeof old === 'number' && old > 0 ? Math.min(old, context) : context;
  try {
    mkdirSync(dirname(calibPath()), { recursive: true });
    writeFileAtomic.sync(calibPath(), `${JSON.stringify(record, null, 2)}\n`);
  } catch {
    // The next overflow will teach it again.
  }
}

function readRecord(): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(readFileSync(calibPath(), 'utf8'));
    return typeof record === 'object' && record !== null && !Array.isArray(record) ? { ...record } : {};
  } catch {
    return {};
  }
}

function calibKey(settings: WindowSettings): string {
  return `${settings.ANTHROPIC_BASE_URL || 'default'}|${modelIn(settings)}`;
}

function modelIn(settings: WindowSettings): string {
  return settings.ANTHROPIC_MODEL || settings.ANTHROPIC_DEFAULT_OPUS_MODEL || '';
}
