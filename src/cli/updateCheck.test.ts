import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startUpdateCheck } from './updateCheck.js';

let home: string;
const state = () => join(home, 'flower', '.update');
const asked = () => existsSync(join(home, 'asked'));
const given = { isTerminal: true, isCheckout: false, version: '0.9.0', now: 1_000_000 };

/** An npm that notes how it was called, and answers so. */
function npm(script: string): void {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$*" >> ${join(home, 'asked')}\n${script}\n`);
  chmodSync(join(bin, 'npm'), 0o755);
  vi.stubEnv('PATH', bin + delimiter + process.env.PATH);
}

/** The moment at which it may be asked again, once that is known. */
const next = () => vi.waitFor(() => (JSON.parse(readFileSync(state(), 'utf8')) as { next: number }).next);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'flower-update-'));
  vi.stubEnv('XDG_CONFIG_HOME', home);
});
afterEach(() => vi.unstubAllEnvs());

describe('whether there is a newer flower (X2, D9.1)', () => {
  it('D5.14: asks npm, tells both versions and the command to whoever asks, and not again for a day', async () => {
    npm('echo 0.10.0');
    const news = startUpdateCheck(given);
    expect(await next()).toBe(given.now + 24 * 3600);
    expect(news()).toBe('version 0.10.0 is available (this is 0.9.0): npm install -g flower-agent');
    expect(readFileSync(join(home, 'asked'), 'utf8')).toBe('view flower-agent version\n');
    expect(startUpdateCheck({ ...given, now: given.now + 3600 })()).toBeNull();
    expect(readFileSync(join(home, 'asked'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it.each(['0.9.0', '0.8.11', 'garbage'])('says nothing of %s', async (version) => {
    npm(`echo ${version}`);
    const news = startUpdateCheck(given);
    await next();
    expect(news()).toBeNull();
  });

  it('a failure is silent, and asked again after an hour', async () => {
    npm('exit 1');
    const news = startUpdateCheck(given);
    expect(await next()).toBe(given.now + 3600);
    expect(news()).toBeNull();
  });

  it('waits for nobody: what has not answered when the run is over is given up', () => {
    npm('exec sleep 60');
    expect(startUpdateCheck(given)()).toBeNull();
  });

  it.each([
    ['without a terminal', { ...given, isTerminal: false }, {}],
    ['in a source checkout', { ...given, isCheckout: true }, {}],
    ['where it is switched off', given, { FLOWER_NO_UPDATE: '1' }],
  ])('does not ask %s', (_where, options, environment) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    npm('echo 9.9.9');
    expect(startUpdateCheck(options)()).toBeNull();
    expect(asked()).toBe(false);
  });
});
