import { describe, expect, it } from 'vitest';
import { setupDialogue } from './setupDialogue.js';
import type { ReadLineOptions } from './terminalUi.js';

async function answer(...typed: (string | null)[]) {
  const shown: string[] = [];
  const asked: ReadLineOptions[] = [];
  const ui = {
    lines: (finished: readonly string[]) => shown.push(...finished),
    notice: (words: string) => shown.push(words),
    readLine: async (heading: string, options: ReadLineOptions = {}) => {
      shown.push(heading);
      asked.push(options);
      return typed.shift() ?? null;
    },
  };
  const options = {
    reason: 'First time?',
    path: '/home/me/.config/flower/.env',
    locale: 'en',
    color: false,
    columns: 80,
  } as const;
  return { result: await setupDialogue(ui, options), shown: shown.join('\n'), asked };
}

describe('the setup dialogue (C26.4)', () => {
  it('asks four questions, the first one hidden, and shows no more of the token than its head', async () => {
    const { result, shown, asked } = await answer(' sk-ant-0123456789 ', '', 'my-model', '200000');
    expect(result).toEqual({ token: 'sk-ant-0123456789', baseUrl: '', model: 'my-model', window: '200000' });
    expect(asked.map(({ hidden }) => hidden ?? false)).toEqual([true, false, false, false]);
    expect(asked.every(({ mark }) => mark === '   > ')).toBe(true);
    expect(shown).toMatch(/^\n== set up flower ={40}\nFirst time\?\nStored in \/home\/me\/\.config\/flower\/\.env/);
    expect(shown).toContain('got sk-a*** (17 characters)');
    expect(shown).not.toContain('0123456789');
  });

  it('asks again for what cannot be right', async () => {
    const { result, shown } = await answer(
      'token',
      'gateway.example',
      'https://gateway.example',
      '',
      '-5',
      '1e6',
      '0',
      '',
    );
    expect(result).toEqual({ token: 'token', baseUrl: 'https://gateway.example', model: '', window: '' });
    expect(shown.match(/The address must begin/g)).toHaveLength(1);
    expect(shown.match(/A positive whole number/g)).toHaveLength(3);
    expect(shown).toContain('got *** (5 characters)');
  });

  it('is abandoned without a token, and cancelled by Ctrl-C at any question', async () => {
    expect(await answer('')).toMatchObject({ result: 'no_token', shown: expect.stringContaining('No token given') });
    for (const typed of [[], ['t'], ['t', ''], ['t', '', '']])
      expect((await answer(...typed, null)).result).toBe('cancelled');
  });
});
