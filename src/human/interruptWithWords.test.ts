import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HumanChannel } from './humanChannel.js';
import { interruptWithWords } from './interruptWithWords.js';

it('ends the questions of agents without an answer, and leaves those of the framework open', async () => {
  const channel = new HumanChannel({ locale: 'en' });
  const [asked, own] = [channel.ask('Which colour?', [], { from: { role: 'work' } }), channel.ask('Go on?')];
  interruptWithWords({ interrupt: () => {} }, channel, Promise.resolve(''));
  expect(await asked).toMatchObject({
    state: 'interrupted',
    answer: expect.stringContaining('neither a yes nor a no'),
  });
  expect(channel.pending().map(({ question }) => question)).toEqual(['Go on?']);
  channel.close();
  await own;
});

it('stops before the words are there, then keeps them in the brief and hands them on (R10.47)', async () => {
  const amendPath = join(mkdtempSync(join(tmpdir(), 'flower-human-')), 'brief.md');
  const channel = new HumanChannel({ amendPath, locale: 'en' });
  const got: Promise<string>[] = [];
  let speak = (_words: string): void => {};
  interruptWithWords(
    { interrupt: (message) => got.push(message) },
    channel,
    new Promise((resolve) => (speak = resolve)),
  );
  expect(got).toHaveLength(1);
  speak('use port 8081');
  expect(await got[0]).toBe('use port 8081');
  expect(readFileSync(amendPath, 'utf8')).toContain('use port 8081');
  expect(channel.mail).toEqual([]);
});
