import { describe, expect, it } from 'vitest';
import { costOf, estimateOf, listPrice } from './prices.js';

describe('listPrice', () => {
  it.each([
    ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5[1m]'],
    ['claude-sonnet-4-5', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5@20250929'],
    ['claude-sonnet-4', 'claude-sonnet-4-20250514'],
    ['claude-opus-5-5', 'Opus'],
  ])('is that of %s for %s', (name, spelling) => {
    expect(listPrice(spelling)).toBe(listPrice(name));
    expect(listPrice(spelling)).not.toBeNull();
  });

  it.each([
    '',
    'gpt-9',
    'claude-opus',
    'claude-opus-5-6',
    'claude-opus-5-55',
    'claude-sonnet-4-5-fast',
    'constructor',
    'claude-constructor',
  ])('is null for %j', (model) => {
    expect(listPrice(model)).toBeNull();
  });
});

describe('costOf', () => {
  it('counts what is absent or null as nothing', () => {
    expect(costOf('claude-opus-5-5', {})).toBe(0);
    expect(costOf('claude-opus-5-5', { input_tokens: 250_000, output_tokens: null, cache_creation: null })).toBe(1);
  });

  it('prices the two kinds of cache writes', () => {
    const written = { cache_creation_input_tokens: 1_000_000 };
    expect(costOf('claude-opus-4-8', { ...written, cache_creation: { ephemeral_1h_input_tokens: 400_000 } })).toBe(
      4 + 3.75,
    );
  });

  it('takes no more hour-long writes than there are writes', () => {
    expect(
      costOf('claude-opus-4-8', {
        cache_creation_input_tokens: 100_000,
        cache_creation: { ephemeral_1h_input_tokens: 900_000 },
      }),
    ).toBe(1);
  });

  it('is null without a price', () => {
    expect(costOf('gpt-9', { input_tokens: 1 })).toBeNull();
  });
});

describe('estimateOf', () => {
  it('is the list price where there is one', () => {
    expect(estimateOf('claude-haiku-4-5', { output_tokens: 1_000_000 })).toBe(5);
  });

  it('is never nothing for what was used without one', () => {
    expect(estimateOf('gpt-9', { output_tokens: 1_000_000 })).toBe(20);
    expect(estimateOf('<synthetic>', {})).toBe(0);
  });
});
