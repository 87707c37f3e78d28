import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCredentialFailure } from './isCredentialFailure.js';
import { isOn } from './isOn.js';
import { parseEnvFile } from './parseEnvFile.js';
import { saveUserEnv } from './saveUserEnv.js';
import { settingsFromAnswers } from './settingsFromAnswers.js';

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'flower-save-'));
  path = join(root, 'config', 'flower', '.env');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const save = (values: Record<string, string | null>) => saveUserEnv(values, { path, locale: 'en' });
const read = () => readFileSync(path, 'utf8');

describe('saveUserEnv (C26.7)', () => {
  it('makes the file with its head, readable by its owner alone, and leaves nothing beside it', () => {
    save({ ANTHROPIC_API_KEY: 'sk-ant-1', ANTHROPIC_AUTH_TOKEN: null });
    expect(read()).toBe(
      '# flower credentials, written by `flower setup`. Do not commit this file.\nANTHROPIC_API_KEY=sk-ant-1\n',
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(['.env']);
  });

  it('D7.3: replaces its own keys, over several lines too, and keeps everything else', () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      '# mine\nexport ANTHROPIC_MODEL="a\nb"\r\nANTHROPIC_DEFAULT_HAIKU_MODEL=small # keep\n\nFLOWER_WINDOW=1\nFLOWER_WINDOW=2',
      {
        mode: 0o644,
      },
    );
    save({ ANTHROPIC_MODEL: 'big', FLOWER_WINDOW: null });
    const [head, ...rest] = read().split('\n');
    expect(head).toMatch(/^# flower/);
    expect(rest).toEqual(['# mine', 'ANTHROPIC_DEFAULT_HAIKU_MODEL=small # keep', '', 'ANTHROPIC_MODEL=big', '']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    save({ ANTHROPIC_MODEL: 'bigger' });
    expect(read().match(/# flower/g)).toHaveLength(1);
  });

  it('writes every value so that it is read back', () => {
    const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((it) => !/["'`\\\r\n\u2028\u2029]/.test(it));
    fc.assert(
      fc.property(value, (it) => {
        save({ KEY: it, NEXT: '1' });
        expect(Object.fromEntries(parseEnvFile(read()).values)).toMatchObject({ KEY: it, NEXT: '1' });
      }),
      { numRuns: 40 },
    );
    for (const it of ['a"b', "a'b", 'a#b', ' a ', 'a\\nb', '"', '$x']) {
      save({ KEY: it });
      expect(parseEnvFile(read()).values.get('KEY')).toBe(it);
    }
  });

  it('refuses a value that no line can hold, and leaves the file as it was', () => {
    save({ KEY: 'old' });
    expect(() => save({ KEY: 'a\nb' })).toThrow(TypeError);
    expect(parseEnvFile(read()).values.get('KEY')).toBe('old');
  });
});

it.each([
  ['sk-ant-x', '', { ANTHROPIC_API_KEY: 'sk-ant-x', ANTHROPIC_AUTH_TOKEN: null, ANTHROPIC_BASE_URL: null }],
  [
    'token',
    'https://g.example/v1/',
    { ANTHROPIC_API_KEY: null, ANTHROPIC_AUTH_TOKEN: 'token', ANTHROPIC_BASE_URL: 'https://g.example' },
  ],
])('C26.6: %s at "%s" sets %o', (token, baseUrl, expected) => {
  const settings = settingsFromAnswers({ token, baseUrl, model: 'm', window: '' });
  expect(settings).toMatchObject(expected);
  expect(settings).toMatchObject({ ANTHROPIC_MODEL: 'm', ANTHROPIC_DEFAULT_OPUS_MODEL: 'm', FLOWER_WINDOW: null });
});

it.each([undefined, '', '0', 'false', 'NO', 'Off', ' off '])('D7.16: %j is off', (value) => {
  expect(isOn(value)).toBe(false);
});
it.each(['1', 'true', 'yes', 'on', '00'])('D7.16: %j is on', (value) => {
  expect(isOn(value)).toBe(true);
});

it.each([
  ['API Error: 401 invalid', true],
  ['authentication_error: no', true],
  ['Invalid API key', true],
  ['无效的 token', true],
  ['line 4012 of x.ts', false],
  ['cost 1401 tokens', false],
  ['ECONNRESET', false],
])('D7.13: %j', (error, expected) => {
  expect(isCredentialFailure(error)).toBe(expected);
});
