import { afterEach, describe, expect, it } from 'vitest';
import { Runtime } from '../../src/runtime/runtime.js';
import { call } from '../../src/sim/index.js';
import { type OneStep, oneStep, processesOf } from '../support/oneStep.js';

let at: OneStep | undefined;
afterEach(async () => {
  await at?.close();
});

describe('a process that is told to end', () => {
  it('books what the step in flight has spent, though no result has named it', async () => {
    at = await oneStep((request) => {
      const command = request.turn < 2 ? `echo ${request.turn}` : 'sleep 19';
      return call('Bash', { command, timeout: 60_000 }).usage({ output_tokens: 1000 });
    });
    const { runtime, sim, spec } = at;
    let calls = 0;
    let ended: Promise<unknown> | undefined;
    await new Promise<void>((resolve) => {
      const onEvent = ({ kind }: { kind: string }) => {
        if (kind === 'tool_call') calls += 1;
        // The harness writes a reply down a moment after it goes on with it.
        if (kind === 'tool_call' && calls === 3) setTimeout(resolve, 1500);
      };
      ended = runtime.run(spec, 'Work.', { onEvent });
    });
    runtime.rescue();

    const [row] = runtime.books.rows();
    expect(row).toMatchObject({ ok: false, error: Runtime.KILLED, cost_estimated: true });
    expect(row?.cost_usd).toBeCloseTo(sim.meter.total().costUsd, 9);
    expect(runtime.totalCost()).toBeCloseTo(sim.meter.total().costUsd, 3);

    const requests = sim.requests.length;
    expect(await ended).toMatchObject({ ok: false, error: Runtime.KILLED });
    expect(sim.requests).toHaveLength(requests);
    expect(runtime.books.rows()).toMatchObject([{ ok: false, error: Runtime.KILLED }]);
    await expect.poll(() => processesOf(runtime), { timeout: 30_000 }).toEqual([]);
  });
});
