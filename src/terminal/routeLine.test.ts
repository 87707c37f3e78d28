import { describe, expect, it } from 'vitest';
import { routeLine } from './routeLine.js';

const question = { id: 'q1', options: ['keep', 'drop'] };

describe('where a typed line goes (C14, D3.1, D3.4)', () => {
  it.each([
    ['? why', 'aside why', 'aside why'],
    ['？为什么', 'aside 为什么', 'aside 为什么'],
    ['?', 'nobody', 'nobody'],
    ['！', 'nobody', 'nobody'],
    ['! stop that', 'mail! stop that', 'mail! stop that'],
    ['！停', 'mail! 停', 'mail! 停'],
    ['', 'decline', 'nobody'],
    ['   ', 'decline', 'nobody'],
    ['1', 'answer keep', 'mail 1'],
    [' 2 ', 'answer drop', 'mail 2'],
    ['0', 'answer 0', 'mail 0'],
    ['3', 'answer 3', 'mail 3'],
    ['²', 'answer ²', 'mail ²'],
    ['１', 'answer １', 'mail １'],
    ['use tabs', 'answer use tabs', 'mail use tabs'],
    ['\\? really', 'answer ? really', 'mail ? really'],
    ['\\！真的', 'answer ！真的', 'mail ！真的'],
    ['\\n', 'answer \\n', 'mail \\n'],
    ['one\ntwo', 'answer one\ntwo', 'mail one\ntwo'],
  ])('%j', (line, whileAsked, whileIdle) => {
    const told = (open: typeof question | null) => {
      const destination = routeLine(line, open);
      const urgent = destination.to === 'mail' && destination.workers ? '!' : '';
      return `${destination.to}${urgent}${'words' in destination ? ` ${destination.words}` : ''}`;
    };
    expect(told(question)).toBe(whileAsked);
    expect(told(null)).toBe(whileIdle);
  });
});
