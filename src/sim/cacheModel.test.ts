import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CacheModel, type PromptUsage } from './cacheModel.js';
import { promptRow } from './promptRow.js';
import type { WireBlock, WireMessage, WireRequest } from './wire.js';

const minute = 60_000;
const mark = { cache_control: { type: 'ephemeral' } } as const;
const markHour = { cache_control: { type: 'ephemeral', ttl: '1h' } } as const;
const text = (words: string, extra: object = {}): WireBlock => ({ type: 'text', text: words, ...extra });
const user = (...content: WireBlock[]): WireMessage => ({ role: 'user', content });

function request(messages: WireMessage[], rest: Partial<WireRequest> = {}): WireRequest {
  return { model: 'claude-opus-5-5', messages, ...rest };
}

/** What the prompts cost one after the other, as [input, read, written for 5 minutes, written for an hour]. */
function charge(steps: readonly (readonly [WireRequest, number])[], minimumTokens = 0): number[][] {
  const cache = new CacheModel(minimumTokens);
  return steps.map(([body, now]) => figures(cache.charge(promptRow(body), now)));
}

function figures({ input_tokens, cache_read_input_tokens, cache_creation }: PromptUsage): number[] {
  return [
    input_tokens,
    cache_read_input_tokens,
    cache_creation.ephemeral_5m_input_tokens,
    cache_creation.ephemeral_1h_input_tokens,
  ];
}

describe('CacheModel', () => {
  const start = user(text('a'.repeat(400)), text('b'.repeat(40), mark));
  const grown = [
    user(text('a'.repeat(400)), text('b'.repeat(40))),
    { role: 'assistant' as const, content: 'c'.repeat(8) },
    user(text('d'.repeat(12), mark)),
  ];

  it('counts a prompt without marks as plain input, in UTF-8 bytes by four, rounded up once', () => {
    expect(charge([[request([user(text('花花'), text('abc'))]), 0]])).toEqual([[3, 0, 0, 0]]);
  });

  it('writes up to the mark and reads it back from a longer prompt', () => {
    expect(
      charge([
        [request([start]), 0],
        [request(grown), 1],
      ]),
    ).toEqual([
      [0, 0, 110, 0],
      [0, 110, 5, 0],
    ]);
  });

  it('takes a plain string for the same as one text block, as the harness unpacks blocks when the mark moves on', () => {
    const marked = request([{ role: 'system', content: [text('e'.repeat(40), mark)] }]);
    const plain = request([{ role: 'system', content: 'e'.repeat(40) }, user(text('f', mark))]);
    expect(
      charge([
        [marked, 0],
        [plain, 1],
      ])[1],
    ).toEqual([0, 10, 1, 0]);
  });

  it('misses when one byte before the mark is another, and for another model', () => {
    const other = user(text('A'.repeat(400)), text('b'.repeat(40), mark));
    const [, second, third] = charge([
      [request([start]), 0],
      [request([other]), 1],
      [request([start], { model: 'claude-haiku-5-5' }), 2],
    ]);
    expect(second).toEqual([0, 0, 110, 0]);
    expect(third).toEqual([0, 0, 110, 0]);
  });

  it('forgets after five minutes, and lives on when it was read in time', () => {
    const same = request([start]);
    expect(
      charge([
        [same, 0],
        [same, 4 * minute],
        [same, 8 * minute],
        [same, 13 * minute],
      ]).map(([, read]) => read),
    ).toEqual([0, 110, 110, 0]);
  });

  it('renews a prefix that bears no mark any more when it is read', () => {
    const branch = (words: string) =>
      request([user(text('a'.repeat(400)), text('b'.repeat(40))), user(text(words, mark))]);
    const steps = [
      [request([start]), 0],
      [branch('one'), 4 * minute],
      [branch('two'), 8 * minute],
    ] as const;
    expect(charge(steps).map(([, read]) => read)).toEqual([0, 110, 110]);
  });

  it('renews the marks in front of what is read', () => {
    const turn = (words: string) => request([user(text(words, mark))], { system: [text('a'.repeat(400), mark)] });
    const steps = [
      [turn('one'), 0],
      [turn('one'), 4 * minute],
      [turn('two'), 8 * minute],
    ] as const;
    expect(charge(steps).map(([, read]) => read)).toEqual([0, 101, 100]);
  });

  it('keeps hour-long marks for an hour', () => {
    const same = request([user(text('a'.repeat(40), markHour))]);
    expect(
      charge([
        [same, 0],
        [same, 59 * minute],
        [same, 2 * 59 * minute],
        [same, 4 * 60 * minute],
      ]),
    ).toEqual([
      [0, 0, 0, 10],
      [0, 10, 0, 0],
      [0, 10, 0, 0],
      [0, 0, 0, 10],
    ]);
  });

  it('splits what is written by the life of each mark', () => {
    const body = request([user(text('b'.repeat(40), mark), text('rest'))], {
      system: [text('a'.repeat(80), markHour)],
    });
    expect(
      charge([
        [body, 0],
        [body, 10 * minute],
      ]),
    ).toEqual([
      [1, 0, 10, 20],
      [1, 20, 10, 0],
    ]);
  });

  it('reads in the order tools, system, messages: a changed system prompt leaves only the tools', () => {
    const tools = [{ name: 'Bash', ...mark }];
    const make = (system: string) => request([start], { tools, system: [text(system, mark)] });
    const [, second] = charge([
      [make('one'), 0],
      [make('two'), 1],
    ]);
    expect(second?.[1]).toBe(charge([[request([], { tools }), 0]])[0]?.[2]);
  });

  it('looks back over 20 blocks from a mark and no further', () => {
    const longer = (blocks: number) =>
      request([
        start,
        user(...Array.from({ length: blocks - 1 }, () => text('x'.repeat(4))), text('y'.repeat(4), mark)),
      ]);
    const plainStart = user(text('a'.repeat(400)), text('b'.repeat(40)));
    const far = (blocks: number): WireRequest => ({
      ...longer(blocks),
      messages: [plainStart, ...longer(blocks).messages.slice(1)],
    });
    expect(
      charge([
        [request([start]), 0],
        [far(19), 1],
      ])[1]?.[1],
    ).toBe(110);
    expect(
      charge([
        [request([start]), 0],
        [far(20), 1],
      ])[1]?.[1],
    ).toBe(0);
  });

  it('caches nothing that is shorter than the minimum', () => {
    const same = request([start]);
    expect(
      charge(
        [
          [same, 0],
          [same, 1],
        ],
        111,
      ),
    ).toEqual([
      [110, 0, 0, 0],
      [110, 0, 0, 0],
    ]);
  });

  it('leaves the billing line of the harness out', () => {
    const make = (version: string) =>
      request([start], { system: [text(`x-anthropic-billing-header: cc_version=${version}; cc_entrypoint=sdk-ts;`)] });
    expect(
      charge([
        [make('1.aaa'), 0],
        [make('1.bbb'), 1],
      ])[1],
    ).toEqual([0, 110, 0, 0]);
  });

  it('never charges more or less than the prompt, whatever is marked and whenever it comes', () => {
    const block = fc.record({ words: fc.string(), life: fc.constantFrom({}, mark, markHour) });
    const step = fc.tuple(fc.array(block, { maxLength: 6 }), fc.nat(10 * minute));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.nat(8), (steps, minimum) => {
        const cache = new CacheModel(minimum);
        let now = 0;
        for (const [blocks, pause] of steps) {
          now += pause;
          const row = promptRow(request([user(...blocks.map(({ words, life }) => text(words, life)))]));
          const usage = cache.charge(row, now);
          expect(usage.input_tokens).toBeGreaterThanOrEqual(0);
          expect(usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens).toBe(
            row.at(-1)?.tokens ?? 0,
          );
        }
      }),
    );
  });
});
