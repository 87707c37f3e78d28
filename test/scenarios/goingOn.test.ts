import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fail, roleOf, type Sim, say, startSim, turns } from '../../src/sim/index.js';
import { runFlower, tempFolder } from '../support/flowerProgram.js';
import { smallestRun } from '../support/scripts.js';

let sim: Sim | undefined;
const folder = tempFolder('going-on');
afterEach(async () => {
  await sim?.close();
  folder.remove();
});

/** A second start in the same directory, with the harness's own folder gone in between (A3). */
describe('the same directory picks up where it was', () => {
  it('asks nothing that is clear already and resumes the work session from the store', async () => {
    sim = await startSim({ script: smallestRun() });
    const first = await runFlower(['-w', folder.path, 'Write hello.txt', '--timeout', '0'], { url: sim.url });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const session = lineage().work;
    rmSync(join(folder.path, 'runs', 'harness'), { recursive: true, force: true });

    const before = sim.requests.length;
    sim.setScript(
      smallestRun({
        coordinator: turns([say('Nothing more to do: hello.txt says hello, and bye.txt is not wanted.')]),
      }),
    );
    const second = await runFlower(['-w', folder.path, 'Look whether bye.txt is wanted too', '--timeout', '0'], {
      url: sim.url,
    });
    expect(second).toMatchObject({ code: 0, stderr: '' });

    const requests = sim.requests.slice(before);
    expect(requests.map(roleOf)).not.toContain('clarify');
    const work = requests.find((request) => roleOf(request) === 'coordinator');
    expect(work?.session).toBe(session);
    expect(work?.prompt).toContain('Look whether bye.txt is wanted too');
    expect(work?.calls.map((made) => made.tool)).toEqual(['Agent']);
    expect(JSON.stringify(work?.messages)).toContain('Conclusion: hello.txt is there.');
    expect(lineage().work).toBe(session);
    // What was said on waking is part of the requirement from now on.
    expect(readFileSync(join(folder.path, '.flower', 'notes', 'brief.md'), 'utf8')).toContain(
      'Look whether bye.txt is wanted too',
    );
    expect(sim.faults).toEqual([]);
  });
});

it('a clarifier that was cut off goes on with the request of last time; other words join it, and that is said', async () => {
  const place = tempFolder('clarifying');
  const flower = (...args: string[]) =>
    runFlower(['-w', place.path, '--clarify-only', '--timeout', '0', ...args], { url: sim?.url ?? '' });
  const asked = () => sim?.requests.filter((request) => roleOf(request) === 'clarify') ?? [];
  sim = await startSim({ script: smallestRun({ clarify: turns([fail(400, 'not now')]) }) });
  expect((await flower('Write hello.txt\nfor the reader')).code).toBe(6);

  const joined = await flower('And make it short');
  expect(joined.code).toBe(6);
  expect(joined.stdout).toContain('<- going on with what was being clarified: Write hello.txt\n');
  expect(joined.stdout).toContain('your new words join that request; /new begins something else');

  sim.setScript(smallestRun());
  const alone = await flower();
  expect([alone.code, alone.stderr]).toEqual([0, '']);
  expect(alone.stdout).toContain('<- going on with what was being clarified: Write hello.txt\n');
  expect(alone.stdout).not.toContain('your new words');
  expect(JSON.stringify(asked().at(-1)?.messages)).toContain('for the reader');
  expect((await flower('/new')).stderr).toContain('The request is empty');
  place.remove();
});

function lineage(): Record<string, string> {
  return (
    JSON.parse(readFileSync(join(folder.path, 'runs', 'lineage.json'), 'utf8')) as { steps: Record<string, string> }
  ).steps;
}
