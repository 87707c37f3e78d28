import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText } from './cutText.js';

describe('cutText', () => {
  it('R6.30 keeps surrogate pairs, accents and joined emoji whole', () => {
    expect(cutText('ab🌼', 3)).toBe('ab');
    expect(cutText('ab🌼', 4)).toBe('ab🌼');
    expect(cutText('xe\u0301y', 2)).toBe('x');
    expect(cutText('x👨‍👩‍👧y', 5)).toBe('x');
    expect(cutText('a\r\nb', 2)).toBe('a');
  });

  it('C23 cuts a long row of wide characters at any length without a half one', () => {
    for (let n = 0; n < 4; n++) {
      const cut = cutText('a'.repeat(n) + '🌼'.repeat(50_000), 400);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeGreaterThanOrEqual(399);
    }
  });

  it('gives a beginning of the text, near the length, and never adds a half character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(400), (text, length) => {
        const cut = cutText(text, length);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(length);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(length, text.length) - 64);
        if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });

  it('gets near the length in a character that never ends', () => {
    expect(cutText(`a${'\u0301'.repeat(1000)}`, 500)).toHaveLength(500);
  });
});
