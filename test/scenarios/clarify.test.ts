import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { call, roleOf, type Sim, say, startSim, turns } from '../../src/sim/index.js';
import { runFlower, startFlower, tempFolder } from '../support/flowerProgram.js';
import { BRIEF, smallestRun } from '../support/scripts.js';

let sim: Sim | undefined;
const folder = tempFolder('clarify');
afterEach(async () => {
  await sim?.close();
  folder.remove();
});

/** Nobody is asked twice: what was answered before a kill is still known, and words that were said meanwhile are kept. */
it('goes on with a clarification that was killed in the middle of its second question', async () => {
  const asks = turns([
    call('mcp__human__ask', { question: 'Which language?', options: ['English', 'Chinese'] }),
    call('mcp__human__ask', { question: 'Which file?' }),
    say('Never said.'),
  ]);
  sim = await startSim({ script: smallestRun({ clarify: asks }) });
  const args = ['-w', folder.path, 'Write a greeting'];
  const first = startFlower([...args, '--timeout', '30'], { url: sim.url, input: '1\n' });
  await expect.poll(() => sim?.requests.some((request) => request.calls.length === 1), { timeout: 30_000 }).toBe(true);
  await new Promise((passed) => setTimeout(passed, 500));
  first.kill('SIGKILL');
  await first.end;

  const before = sim.requests.length;
  sim.setScript(smallestRun({ clarify: turns([call('mcp__flower__submit_brief', BRIEF), say('Handed in.')]) }));
  const end = await runFlower(['-w', folder.path, 'Write a greeting', '--timeout', '0'], { url: sim.url });
  expect(end).toMatchObject({ code: 0 });
  const resumed = sim.requests.slice(before).find((request) => roleOf(request) === 'clarify');
  expect(resumed?.session).toBe(sim.requests[0]?.session);
  expect(resumed?.prompt).toContain('not a fresh start');
  expect(resumed?.prompt).not.toContain('Write a greeting');
  const history = JSON.stringify(resumed?.messages);
  expect(history).toContain('Which language?');
  expect(history).toContain('English');
  expect(readFileSync(join(folder.path, '.flower', 'notes', 'brief.md'), 'utf8')).toContain(BRIEF.accept);
});
