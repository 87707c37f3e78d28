import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { setLocale, text } from '../locale/locale.js';
import { createTerminalUi } from '../terminal/terminalUi.js';
import { columnsOf } from '../terminal/width.js';
import { loadSettingsFor, type SettingsLines, showSettings } from './settings.js';

const inherited = { ...process.env };
afterEach(() => {
  for (const key of Object.keys(process.env)) if (!(key in inherited)) delete process.env[key];
  setLocale(null);
  vi.unstubAllEnvs();
});

/** A workspace with these settings of its own. */
function workspaceWith(settings: string): string {
  const workspace = join(mkdtempSync(join(tmpdir(), 'flower-settings-')), 'work');
  mkdirSync(workspace);
  writeFileSync(join(workspace, '.env'), settings);
  return workspace;
}

/** The lines as they come to a screen of so many columns. */
function shown(lines: SettingsLines, columns: number): string {
  const output = new PassThrough();
  const options = { locale: 'en', verbose: true, color: false, columns: () => columns } as const;
  const ui = createTerminalUi({ input: new PassThrough(), output, ...options });
  showSettings({ ui, locale: 'en', color: false, columns: () => columns, verbose: true, json: false }, lines);
  ui.close();
  return String(output.read());
}

it('D1.23: settings are those of the workspace, wherever the command was typed', () => {
  loadSettingsFor(workspaceWith('ANTHROPIC_MODEL=of-the-workspace\n'));
  expect(process.env.ANTHROPIC_MODEL).toBe('of-the-workspace');
});

it('D1.18: what -v shows of them has lost its escapes and fits the screen', () => {
  const model = `"\u001b[2Jmodel ${'m'.repeat(60)}"`;
  const screen = shown(loadSettingsFor(workspaceWith(`ANTHROPIC_MODEL=${model}\n`), { verbose: true }), 40);
  expect(screen).toContain('ANTHROPIC_MODEL = model');
  expect(screen.replace(/\s/g, '')).toContain('m'.repeat(60));
  expect(screen).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  for (const line of screen.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(40);
});

it('D9.7: -v says so where the plugin is missing that brings the skills', () => {
  const pluginDir = join(tmpdir(), 'flower-no-plugin');
  const line = text('dump.no_plugin', { path: pluginDir }, 'en');
  expect(loadSettingsFor(workspaceWith(''), { verbose: true, pluginDir }).details).toContain(line);
  expect(loadSettingsFor(workspaceWith(''), { verbose: true }).details.join()).not.toContain('skills');
});
