import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings, type SettingsOptions } from './loadSettings.js';
import { noticeText } from './noticeText.js';

let root: string;
const at = (path: string) => join(root, path);
const write = (path: string, content: string | object) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content));
};
const load = (options: SettingsOptions = {}) =>
  loadSettings({
    env: {},
    home: at('home'),
    cwd: at('here'),
    workspace: at('work'),
    packageRoot: at('checkout'),
    ...options,
  });
const told = (options: SettingsOptions = {}) => load(options).notices.map((notice) => notice.kind);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'flower-settings-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('where a setting comes from (K2.1)', () => {
  const places = [
    ['process', null],
    ['named', 'named.env'],
    ['project', 'work/.env'],
    ['project', 'here/.env'],
    ['user', 'home/.config/flower/.env'],
    ['checkout', 'checkout/.env'],
    ['borrowed', 'home/.claude/settings.local.json'],
    ['borrowed', 'home/.claude/settings.json'],
  ] as const;

  it('D7.7, D7.12: takes each key from the strongest source that has it', () => {
    for (let strongest = 0; strongest < places.length; strongest++) {
      rmSync(root, { recursive: true, force: true });
      write('named.env', '');
      for (const [kind, path] of places.slice(strongest)) {
        if (path === null) continue;
        const content = { ANTHROPIC_MODEL: path };
        write(path, kind === 'borrowed' ? { env: content } : `ANTHROPIC_MODEL=${path}`);
      }
      const [kind, path] = places[strongest] ?? places[0];
      const env = { FLOWER_ENV: at('named.env'), ...(kind === 'process' && { ANTHROPIC_MODEL: 'exported' }) };
      expect(load({ env }).values.get('ANTHROPIC_MODEL')).toEqual({
        value: path ?? 'exported',
        source: { kind, path: path && at(path) },
      });
    }
  });

  it('puts a setting together key by key, and remembers who else has it', () => {
    write('work/.env', 'ANTHROPIC_MODEL=a\nOTHER=x');
    write('home/.config/flower/.env', 'ANTHROPIC_AUTH_TOKEN=token-from-user\nANTHROPIC_MODEL=b');
    const { values, sources } = load();
    expect(values.get('ANTHROPIC_AUTH_TOKEN')?.source.kind).toBe('user');
    expect(values.get('OTHER')?.value).toBe('x');
    expect(sources.get('ANTHROPIC_MODEL')?.map(({ kind }) => kind)).toEqual(['project', 'user']);
  });

  it('K2.3, D7.8: an empty value claims nothing, in a file or in the environment', () => {
    write('here/.env', 'ANTHROPIC_AUTH_TOKEN=\nANTHROPIC_MODEL=""');
    write('home/.config/flower/.env', 'ANTHROPIC_AUTH_TOKEN=real\nANTHROPIC_MODEL=m');
    const { values } = load({ env: { ANTHROPIC_AUTH_TOKEN: '' } });
    expect(values.get('ANTHROPIC_AUTH_TOKEN')?.value).toBe('real');
    expect(values.get('ANTHROPIC_MODEL')?.value).toBe('m');
  });

  it('K2.4: reads a file that a caller names, and nothing else', () => {
    write('own.env', 'ANTHROPIC_MODEL=mine');
    write('home/.config/flower/.env', 'ANTHROPIC_AUTH_TOKEN=token');
    const { values, files } = load({ path: at('own.env') });
    expect([...values.keys()]).toEqual(['ANTHROPIC_MODEL']);
    expect(files).toEqual([at('own.env')]);
  });

  it('override: files win over the environment', () => {
    write('own.env', 'ANTHROPIC_MODEL=mine');
    const env = { ANTHROPIC_MODEL: 'exported' };
    expect(load({ path: at('own.env'), env }).values.get('ANTHROPIC_MODEL')?.value).toBe('exported');
    expect(load({ path: at('own.env'), env, override: true }).values.get('ANTHROPIC_MODEL')?.value).toBe('mine');
  });

  it('Z123: stops if the file that FLOWER_ENV names is not there', () => {
    const env = { FLOWER_ENV: at('missing.env') };
    expect(() => load({ env })).toThrow(
      expect.objectContaining({ code: 'env_file_missing', message: expect.stringContaining(at('missing.env')) }),
    );
  });

  it('finds the user file below XDG_CONFIG_HOME', () => {
    write('config/flower/.env', 'ANTHROPIC_MODEL=xdg');
    expect(load({ env: { XDG_CONFIG_HOME: at('config') } }).values.get('ANTHROPIC_MODEL')?.value).toBe('xdg');
  });

  it('K2.5: borrows the nine keys, non-empty strings only, and is silent about a broken file', () => {
    write('home/.claude/settings.local.json', '{ broken');
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_MODEL: '', CLAUDE_CODE_EFFORT_LEVEL: 3, SECRET: 'no' };
    write('home/.claude/settings.json', { env, permissions: { allow: ['Bash'] } });
    const { values, notices } = load();
    expect([...values.keys()]).toEqual(['ANTHROPIC_API_KEY']);
    expect(notices).toEqual([]);
  });
});

describe("a project's own file (D7.11)", () => {
  it.each([
    'PATH',
    'HOME',
    'NODE_OPTIONS',
    'XDG_CONFIG_HOME',
    'LD_PRELOAD',
    'FLOWER_NOTIFY',
    'https_proxy',
    'GIT_SSH_COMMAND',
  ])('K2.6: cannot set %s, the user can', (key) => {
    write('work/.env', `${key}=x\nHARMLESS=1`);
    const { values, notices } = load();
    expect([...values.keys()]).toEqual(['HARMLESS']);
    expect(notices).toEqual([{ kind: 'skipped', file: at('work/.env'), key }]);
    write('home/.config/flower/.env', `${key}=mine`);
    expect(load().values.get(key)?.value).toBe('mine');
  });

  it('K2.8: is named when it decides who pays or where requests go', () => {
    write(
      'work/.env',
      'ANTHROPIC_API_KEY=sk-demo-app-0001\nANTHROPIC_BASE_URL=http://127.0.0.1:9/\nDATABASE_URL=postgres://demo',
    );
    const { notices } = load();
    expect(notices).toEqual([
      {
        kind: 'project',
        file: at('work/.env'),
        keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
        host: '127.0.0.1:9',
        tail: '0001',
      },
    ]);
    const words = notices.map((notice) => noticeText(notice, 'en')).join('\n');
    expect(words).toContain('0001');
    expect(words).not.toContain('sk-demo');
  });

  it('K2.2: its address beside a credential of the user is a warning, not a refusal', () => {
    write('work/.env', 'ANTHROPIC_BASE_URL=https://gateway.example');
    write('home/.config/flower/.env', 'ANTHROPIC_AUTH_TOKEN=token');
    expect(told()).toEqual(['mixed', 'project']);
    expect(load().values.get('ANTHROPIC_AUTH_TOKEN')?.value).toBe('token');
  });

  it('K2.7: its address never gets a borrowed credential', () => {
    write('work/.env', 'ANTHROPIC_BASE_URL=https://gateway.example');
    write('home/.claude/settings.json', {
      env: { ANTHROPIC_API_KEY: 'borrowed-key', ANTHROPIC_AUTH_TOKEN: 'borrowed-token' },
    });
    const { values, notices } = load();
    expect([...values.keys()]).toEqual(['ANTHROPIC_BASE_URL']);
    expect(notices[0]).toMatchObject({ kind: 'mixed', host: 'gateway.example', withheld: true });
  });

  it.each([
    ['the same file', {}, ''],
    ['the environment', { ANTHROPIC_BASE_URL: 'https://a.example' }, ''],
    ["the user's file", {}, 'ANTHROPIC_BASE_URL=https://a.example'],
  ])('K2.7: a borrowed credential goes to an address from %s', (where, env, user) => {
    const base = where === 'the same file' ? { ANTHROPIC_BASE_URL: 'https://a.example' } : {};
    write('home/.claude/settings.json', { env: { ANTHROPIC_AUTH_TOKEN: 'borrowed', ...base } });
    write('home/.config/flower/.env', user);
    expect(load({ env }).values.get('ANTHROPIC_AUTH_TOKEN')?.value).toBe('borrowed');
    expect(told({ env })).toEqual([]);
  });
});

it('says what is odd in a file without its values', () => {
  write('home/.config/flower/.env', 'A=s3cret#tail\nB="s3cret\nC=1');
  const words = load().notices.map((notice) => noticeText(notice, 'en'));
  expect(words).toHaveLength(2);
  expect(words.join()).toMatch(/\.env:1 .*A.*\n?.*\.env:2 .*B/s);
  expect(words.join()).not.toContain('s3cret');
});
