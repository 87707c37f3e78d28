import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { costOf, estimateOf, type TokenUsage } from '../../src/prices/prices.js';
import { say, startSim, type Usage } from '../../src/sim/index.js';
import { cleanHarness } from '../support/cleanHarness.js';

/** No two kinds have figures that could make up for each other's price. */
const usage: Usage = {
  input_tokens: 1_009,
  output_tokens: 20_011,
  cache_read_input_tokens: 51_001,
  cache_creation_input_tokens: 7_103,
  cache_creation: { ephemeral_5m_input_tokens: 7_001, ephemeral_1h_input_tokens: 102 },
};

const models = [
  ...['claude-opus-5-5', 'claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
  ...['claude-sonnet-5-5', 'claude-sonnet-5', 'claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-sonnet-4-0'],
  ...['claude-haiku-5-5', 'claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
  ...[
    'claude-fable-5-2',
    'claude-fable-5-1',
    'claude-fable-5',
    'claude-mythos-5-2',
    'claude-mythos-5-1',
    'claude-mythos-5',
  ],
];

/** What the real program charges for usages, each on its model, one turn after the other in one session. */
async function programCosts(turns: readonly (readonly [string, Usage])[]) {
  const sim = await startSim({ script: ({ prompt }) => say('ok').usage(turns[Number(prompt)]?.[1] ?? {}) });
  const harness = cleanHarness(sim.url);
  const inbox = channel();
  const running = harness.query(inbox.messages, { tools: [] });
  const costs: { model: string; usd: number; basis: string | undefined }[] = [];
  let total = 0;
  const ask = async () => {
    await running.setModel(turns[costs.length]?.[0]);
    inbox.send(String(costs.length));
  };
  try {
    await ask();
    for await (const message of running) {
      if (message.type !== 'result') continue;
      const model = turns[costs.length]?.[0] ?? '';
      costs.push({ model, usd: message.total_cost_usd - total, basis: message.modelUsage[model]?.costBasis });
      total = message.total_cost_usd;
      if (costs.length < turns.length) await ask();
      else inbox.end();
    }
  } finally {
    running.close();
    await sim.close();
    harness.remove();
  }
  return costs;
}

describe('the list prices', () => {
  it('are the program’s own, for each model and kind of token', async () => {
    const costs = await programCosts(models.map((model) => [model, usage]));
    const ours = models.map((model) => ({
      model,
      usd: expect.closeTo(costOf(model, usage) ?? Number.NaN, 9),
      basis: 'list',
    }));
    expect(costs).toEqual(ours);
  });

  it('rise for a whole haiku-5-5 request above 100,000 tokens of prompt, not at them', async () => {
    const at = { ...usage, input_tokens: 100_000 - 51_001 - 7_103 };
    const above = { ...at, input_tokens: at.input_tokens + 1 };
    const costs = await programCosts([
      ['claude-haiku-5-5', at],
      ['claude-haiku-5-5', above],
    ]);
    expect(costs.map(({ usd }) => usd)).toEqual(
      [at, above].map((each) => expect.closeTo(costOf('claude-haiku-5-5', each) ?? 0, 9)),
    );
    expect(costs[1]?.usd).toBeGreaterThan(4 * (costs[0]?.usd ?? 0));
  });

  it('are found by the names that the program takes for its newest models', async () => {
    const aliases = ['opus', 'sonnet', 'haiku', 'fable', 'sonnet[1m]'];
    const costs = await programCosts(aliases.map((alias) => [alias, usage]));
    expect(costs.map(({ usd }) => usd)).toEqual(
      aliases.map((alias) => expect.closeTo(costOf(alias, usage) ?? Number.NaN, 9)),
    );
  });

  it('are unknown to both for a made-up model, whose price both guess alike, whatever it is called', async () => {
    const madeUp = ['example-model-9', 'claude-opus-5-6', 'claude-sonnet-9', 'claude-haiku-5-6', 'my-haiku'];
    const turns = [
      ...madeUp.map((model) => [model, usage] as const),
      ['example-model-9', { ...usage, input_tokens: 300_000 }] as const,
    ];
    expect(await programCosts(turns)).toEqual(
      turns.map(([model, used]) => ({ model, usd: expect.closeTo(estimateOf(model, used), 9), basis: 'unknown' })),
    );
    expect(madeUp.map((model) => costOf(model, usage))).toEqual(madeUp.map(() => null));
  });

  it('take an undivided cache write for a five-minute one', async () => {
    const { cache_creation: _, ...undivided }: TokenUsage = usage;
    const fiveMinutes = {
      ...usage,
      cache_creation: { ephemeral_5m_input_tokens: 7_103, ephemeral_1h_input_tokens: 0 },
    };
    expect(costOf('claude-opus-5-5', undivided)).toBe(costOf('claude-opus-5-5', fiveMinutes));
  });
});

function channel() {
  const queue: SDKUserMessage[] = [];
  let wake = () => {};
  let ended = false;
  return {
    send(text: string): void {
      queue.push({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null });
      wake();
    },
    end(): void {
      ended = true;
      wake();
    },
    messages: (async function* () {
      while (true) {
        const next = queue.shift();
        if (next !== undefined) yield next;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    })(),
  };
}
