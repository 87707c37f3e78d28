import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HandoffPolicy } from './handoffPolicy.js';
import { calibPath, calibratedWindow, defaultWindow, rememberOverflow } from './window.js';

beforeEach(() => {
  process.env.XDG_CONFIG_HOME = mkdtempSync(join(tmpdir(), 'flower-window-'));
  for (const name of ['FLOWER_WINDOW', 'ANTHROPIC_MODEL', 'ANTHROPIC_DEFAULT_OPUS_MODEL', 'ANTHROPIC_BASE_URL'])
    delete process.env[name];
});

describe('HandoffPolicy', () => {
  it('D8.8: keeps the headroom free, and a quarter of a window that an overflow taught', () => {
    const plain = new HandoffPolicy({ window: 200_000 });
    expect([plain.room, plain.at, plain.warnAt]).toEqual([50_000, 150_000, 130_000]);
    expect(new HandoffPolicy({ window: 1_000_000 }).at).toBe(950_000);
    expect(new HandoffPolicy({ window: 40_000, headroom: 25_000 }).at).toBe(15_000);
    expect(new HandoffPolicy({ window: 20_000 }).at).toBe(10_000);
    rememberOverflow(400_000);
    expect(new HandoffPolicy().windowSource).toBe('overflow');
    expect([new HandoffPolicy().room, new HandoffPolicy().at]).toEqual([100_000, 300_000]);
  });

  it('takes the figure of the harness for one session and leaves the policy as it was', () => {
    const policy = new HandoffPolicy();
    const learnt = policy.learn(200_000);
    expect([learnt.window, learnt.windowSource, learnt.at]).toEqual([200_000, 'harness', 150_000]);
    expect(policy.window).toBe(1_000_000);
    const fixed = new HandoffPolicy({ window: 500_000 });
    expect(fixed.learn(200_000)).toBe(fixed);
    rememberOverflow(174_000);
    expect(new HandoffPolicy().learn(200_000)).toMatchObject({ window: 174_000, windowSource: 'overflow' });
    process.env.FLOWER_WINDOW = '300000';
    expect(new HandoffPolicy().learn(200_000).window).toBe(300_000);
  });
});

describe('defaultWindow', () => {
  it.each([
    ['claude-opus-5[1m]', 1_000_000],
    ['claude-sonnet-5-1m', 1_000_000],
    ['claude-opus-5', 1_000_000],
    ['', 1_000_000],
    ['claude-haiku-4-5', 200_000],
    ['claude-haiku[1m]', 1_000_000],
    ['haiku-x1mx', 200_000],
  ])('guesses %s', (name, window) => {
    process.env.ANTHROPIC_MODEL = name;
    expect(defaultWindow()).toBe(window);
  });

  it('takes only a positive whole number from the environment', () => {
    process.env.FLOWER_WINDOW = '200000';
    expect(defaultWindow()).toBe(200_000);
    for (const nonsense of ['abc', '0', '-5', '']) {
      process.env.FLOWER_WINDOW = nonsense;
      expect(defaultWindow()).toBe(1_000_000);
    }
  });

  it('remembers the smallest overflow of each endpoint and model', () => {
    for (const seen of [174_000, 160_000, 999_000, 0]) rememberOverflow(seen);
    expect(calibratedWindow()).toBe(160_000);
    process.env.ANTHROPIC_BASE_URL = 'http://other';
    expect(calibratedWindow()).toBeNull();
    rememberOverflow(5000);
    expect(JSON.parse(readFileSync(calibPath(), 'utf8'))).toEqual({ 'default|': 160_000, 'http://other|': 5000 });
    process.env.FLOWER_WINDOW = '70000';
    expect(defaultWindow()).toBe(70_000);
  });

  it('looks in the settings that it is given, and then in nothing else', () => {
    const settings = { ANTHROPIC_MODEL: 'claude-haiku-4-5', ANTHROPIC_BASE_URL: 'http://own' };
    process.env.FLOWER_WINDOW = '70000';
    expect(new HandoffPolicy({}, settings)).toMatchObject({ window: 200_000, windowSource: 'name' });
    expect(new HandoffPolicy({}, { FLOWER_WINDOW: '90000' })).toMatchObject({ window: 90_000, windowSource: 'env' });
    rememberOverflow(150_000, settings);
    expect(defaultWindow(settings)).toBe(150_000);
    expect(calibratedWindow()).toBeNull();
  });

  it('takes a damaged record for an empty one', () => {
    rememberOverflow(1000);
    writeFileSync(calibPath(), '[1');
    expect(calibratedWindow()).toBeNull();
  });
});
