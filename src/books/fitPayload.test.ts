import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitPayload } from './fitPayload.js';

it('R10.60: leaves a payload of up to 64 KiB alone', () => {
  expect(fitPayload({ a: 'x'.repeat(65_000), b: [1, null] })).toBe(
    JSON.stringify({ a: 'x'.repeat(65_000), b: [1, null] }),
  );
});

it('R10.60: cuts the longest strings of a larger one and keeps the short ones whole', () => {
  const { output, command, truncated } = JSON.parse(fitPayload({ output: '项'.repeat(100_000), command: 'make test' }));
  expect(command).toBe('make test');
  expect(truncated).toBe(true);
  expect('项'.repeat(100_000).startsWith(output)).toBe(true);
  expect(output.length).toBeGreaterThan(10_000);
});

it('gives up on what no cut can save, and on what is no JSON', () => {
  expect(fitPayload({ numbers: Array.from({ length: 50_000 }, (_, i) => i) })).toBe('{"truncated":true}');
  expect(fitPayload({ big: 1n })).toBe('{"truncated":true}');
});

it('always gives JSON of at most 64 KiB without halved characters', () => {
  const long = fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 40_000 }))
    .map(([s, n]) => s.repeat(n).slice(0, 90_000));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(long, fc.jsonValue())), (payload) => {
      const json = fitPayload(payload);
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(64 * 1024);
      const wellFormed = JSON.stringify(payload).includes('\\ud') || !json.includes('\\ud');
      expect(wellFormed).toBe(true);
      expect(() => JSON.parse(json)).not.toThrow();
    }),
    { numRuns: 60 },
  );
});
