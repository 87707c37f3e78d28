import { afterEach, describe, expect, it } from 'vitest';
import { roleOf, type Sim, startSim } from '../../src/sim/index.js';
import { runFlower, tempFolder } from '../support/flowerProgram.js';
import { smallestRun } from '../support/scripts.js';

let sim: Sim | undefined;
const folder = tempFolder('first-request');
afterEach(async () => {
  await sim?.close();
  folder.remove();
});

describe('a coordinator starts lean', () => {
  it('stays below 20,000 characters in its first request (A5)', async () => {
    sim = await startSim({ script: smallestRun() });
    const end = await runFlower(['-w', folder.path, 'Write hello.txt', '--timeout', '0'], { url: sim.url });
    expect(end.code).toBe(0);
    const first = sim.requests.find((request) => roleOf(request) === 'coordinator');
    const { system = 0, tools = 0, messages = 0, total = 0 } = first?.characters ?? {};
    console.log(
      `first request of the work step: ${total} characters (system ${system}, tools ${tools}, messages ${messages})`,
    );
    expect(total).toBeGreaterThan(5_000);
    expect(total).toBeLessThan(20_000);
  });
});
