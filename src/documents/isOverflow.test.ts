import { describe, expect, it } from 'vitest';
import { isOverflow } from './isOverflow.js';

describe('isOverflow', () => {
  it.each([
    'API Error: 400 Prompt is too long',
    'context length exceeded',
    'context_length_exceeded',
    'Context-Length-Exceeded',
    'ContextLengthExceeded',
    "This model's maximum context length is 200000 tokens",
    'would exceed the context window',
    'input exceeds context limit',
    'too many total text bytes: 10000000',
    'input length and max_tokens exceed context limit',
    'input length and `max_tokens` exceed the limit',
  ])('%j', (text) => {
    expect(isOverflow(null, undefined, '', text)).toBe(true);
  });

  it('is false for other failures, for nothing, and for the limit on an answer', () => {
    expect(isOverflow('Connection reset by peer', null)).toBe(false);
    expect(isOverflow()).toBe(false);
    expect(isOverflow('rate limit exceeded', 'the context of the error', 'max_tokens reached')).toBe(false);
  });
});
