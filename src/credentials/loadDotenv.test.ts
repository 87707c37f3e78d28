import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkCredentials } from './checkCredentials.js';
import { describeEnv } from './describeEnv.js';
import { adoptSettings, loadDotenv, loadedSettings, sourceOf } from './loadDotenv.js';
import { userEnvPath } from './userEnvPath.js';

const inherited = { ...process.env };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'flower-dotenv-'));
  process.env.HOME = root;
  for (const directory of ['a', 'b', '.config/flower']) mkdirSync(join(root, directory), { recursive: true });
});
afterEach(() => {
  loadDotenv(null, { onWarning: () => {} });
  for (const key of Object.keys(process.env)) if (!(key in inherited)) delete process.env[key];
  Object.assign(process.env, inherited);
  rmSync(root, { recursive: true, force: true });
});

const write = (path: string, content: string) => writeFileSync(join(root, path), content);
const load = (workspace: string) => loadDotenv(null, { workspace: join(root, workspace), onWarning: () => {} });

describe('loadDotenv (R1.81)', () => {
  it('sets what applies, gives it back and remembers where it came from', () => {
    write('a/.env', 'ANTHROPIC_AUTH_TOKEN=\nFROM_PROJECT=1');
    write('.config/flower/.env', 'ANTHROPIC_AUTH_TOKEN=token-of-user');
    expect(load('a')).toEqual({ ANTHROPIC_AUTH_TOKEN: 'token-of-user', FROM_PROJECT: '1' });
    expect(process.env.ANTHROPIC_AUTH_TOKEN).toBe('token-of-user');
    expect(sourceOf('ANTHROPIC_AUTH_TOKEN')).toEqual({ kind: 'user', path: userEnvPath() });
    expect(sourceOf('HOME')).toEqual({ kind: 'process', path: null });
    expect(sourceOf('NOT_SET_ANYWHERE')).toBeNull();
    expect(loadedSettings()?.files).toEqual([join(root, 'a', '.env'), userEnvPath()]);
  });

  it('looks everything up anew when called again, and what it set before is not taken for inherited', () => {
    write('a/.env', 'ONLY_A=a\nBOTH=a');
    write('b/.env', 'BOTH=b');
    load('a');
    load('b');
    expect([process.env.ONLY_A, process.env.BOTH]).toEqual([undefined, 'b']);
    process.env.BOTH = 'set by the program';
    load('a');
    expect([process.env.BOTH, sourceOf('BOTH')?.kind]).toEqual(['set by the program', 'process']);
  });

  it('keeps what a named file set when it is called without a path afterwards', () => {
    write('own.env', 'OWN=1');
    write('a/.env', 'OWN=2');
    expect(loadDotenv(join(root, 'own.env'))).toEqual({ OWN: '1' });
    expect(load('a')).toEqual({});
    expect([process.env.OWN, sourceOf('OWN')?.kind]).toEqual(['1', 'explicit']);
  });

  it('C26.8, D7.4: settings that were just typed hold at once, over what files and environment say; what will outrank them is named', () => {
    write('a/.env', 'ANTHROPIC_MODEL=of-project');
    process.env.ANTHROPIC_API_KEY = 'exported';
    load('a');
    const typed = { ANTHROPIC_AUTH_TOKEN: 'typed', ANTHROPIC_API_KEY: null, ANTHROPIC_MODEL: 'mine' };
    const shadows = adoptSettings(typed, { workspace: join(root, 'a') });
    expect(shadows.map(({ key, source }) => [key, source.kind])).toEqual([
      ['ANTHROPIC_API_KEY', 'process'],
      ['ANTHROPIC_MODEL', 'project'],
    ]);
    load('a');
    expect([process.env.ANTHROPIC_AUTH_TOKEN, process.env.ANTHROPIC_API_KEY, process.env.ANTHROPIC_MODEL]).toEqual([
      'typed',
      undefined,
      'mine',
    ]);
    expect(sourceOf('ANTHROPIC_MODEL')?.kind).toBe('user');
  });

  it('tells the same warning once in a process', () => {
    write('a/.env', 'A=cut#here');
    const onWarning = vi.fn();
    loadDotenv(null, { workspace: join(root, 'a'), onWarning });
    loadDotenv(null, { workspace: join(root, 'a'), onWarning });
    expect(onWarning).toHaveBeenCalledTimes(1);
  });
});

describe('checkCredentials (R1.80)', () => {
  it('accepts either of the two', () => {
    expect(checkCredentials({ env: { ANTHROPIC_API_KEY: 'x' } })).toBeNull();
    expect(checkCredentials({ env: { ANTHROPIC_AUTH_TOKEN: 'x' } })).toBeNull();
  });

  it.each(['en', 'zh'] as const)('D7.6: says in %s what is missing and every place that was looked at', (locale) => {
    const missing = checkCredentials({ env: { HOME: '/home/me', ANTHROPIC_API_KEY: '' }, locale });
    for (const part of [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      '/home/me/.config/flower/.env',
      '`.env`',
      '~/.claude/settings.json',
    ]) {
      expect(missing).toContain(part);
    }
    expect(missing?.split('\n')).toHaveLength(4);
  });
});

describe('describeEnv (R1.85)', () => {
  it('shows of a secret its first four characters and its length, of a short one the length alone', () => {
    const env = {
      ANTHROPIC_API_KEY: 'sk-ant-0123456789',
      ANTHROPIC_AUTH_TOKEN: 'short',
      ANTHROPIC_MODEL: 'm',
      OTHER_KEY: 'x',
    };
    expect(describeEnv({ env, locale: 'en' })).toEqual({
      ANTHROPIC_API_KEY: 'sk-a*** (17 characters)',
      ANTHROPIC_AUTH_TOKEN: '*** (5 characters)',
      ANTHROPIC_BASE_URL: 'https://api.anthropic.com (default)',
      ANTHROPIC_MODEL: 'm',
    });
  });

  it.each([
    ['https://user:pass@host.example/path', 'https://***@host.example/path'],
    ['user:pass@host.example', '***@host.example'],
    ['https://host.example/a@b', 'https://host.example/a@b'],
  ])('hides who logs in to %s', (address, shown) => {
    expect(describeEnv({ env: { ANTHROPIC_BASE_URL: address } }).ANTHROPIC_BASE_URL).toBe(shown);
  });
});
