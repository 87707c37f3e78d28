import { existsSync } from 'node:fs';
import { SHIPPED_PLUGIN } from '../agent/buildOptions.js';
import { knownWindow, type WindowSource } from '../agent/window.js';
import { describeEnv } from '../credentials/describeEnv.js';
import { loadDotenv, loadedSettings, sourceOf } from '../credentials/loadDotenv.js';
import { noticeText, sourceText } from '../credentials/noticeText.js';
import { activeLocale, setLocale, text } from '../locale/locale.js';
import { OWN_VARIABLES } from '../runtime/harnessEnvironment.js';
import type { Screen } from './screen.js';

/**
 * Puts the settings for this workspace into effect. Gives the lines that whoever starts flower should see: with `verbose` also what
 * was left out, and all that is in effect.
 */
export function loadSettingsFor(
  workspace: string,
  options: { readonly verbose?: boolean | undefined; readonly pluginDir?: string } = {},
): SettingsLines {
  const { verbose = false, pluginDir = SHIPPED_PLUGIN } = options;
  const warnings: string[] = [];
  loadDotenv(null, { workspace, onWarning: (line) => warnings.push(line) });
  // The language is chosen once; settings may have named it.
  setLocale(activeLocale());
  return {
    warnings,
    details: verbose ? [...leftOut(), ...overruled(), ...withoutPlugin(pluginDir), ...inEffect()] : [],
  };
}

export interface SettingsLines {
  readonly warnings: readonly string[];
  readonly details: readonly string[];
}

export function showSettings({ ui }: Screen, { warnings, details }: SettingsLines): void {
  for (const line of warnings) ui.notice(line, 'yellow', '! ');
  for (const line of details) ui.notice(line, 'dim');
}

/** Where the figure for the context window comes from, in words. */
export function windowSourceText(source: WindowSource): string {
  return text(`window.source.${source}`);
}

function leftOut(): string[] {
  const notices = loadedSettings()?.notices ?? [];
  return notices.filter(({ kind }) => kind === 'skipped' || kind === 'unreadable').map((notice) => noticeText(notice));
}

/** Settings of the harness that somebody made, but which are flower's own to make. */
function overruled(): string[] {
  const keys = OWN_VARIABLES.filter((name) => process.env[name]);
  return keys.length > 0 ? [text('dump.overruled', { keys: keys.join(', ') })] : [];
}

/** A worker's skills come with it. */
function withoutPlugin(pluginDir: string): string[] {
  return existsSync(pluginDir) ? [] : [text('dump.no_plugin', { path: pluginDir })];
}

function inEffect(): string[] {
  const { window, source } = knownWindow();
  const rows = Object.entries(describeEnv()).map(([key, value]) => {
    const from = sourceOf(key);
    return `${key} = ${value}${from ? ` ‹${text('dump.source', { source: sourceText(from) })}›` : ''}`;
  });
  return [...rows, text('dump.window', { window, source: windowSourceText(source) })];
}
