import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, type Sim, say, startSim, turns } from '../../src/sim/index.js';
import { HandInDesk } from '../../src/tools/handIn.js';
import { type CleanHarness, cleanHarness } from '../support/cleanHarness.js';

let sim: Sim;
let harness: CleanHarness;
beforeEach(async () => {
  sim = await startSim({ script: () => say('no script') });
  harness = cleanHarness(sim.url);
});
afterEach(async () => {
  await sim.close();
  harness.remove();
});

const brief = 'mcp__flower__submit_brief';
const verdict = 'mcp__flower__submit_verdict';
const judgement = [
  { number: 1, state: 'met', evidence: '12 passed' },
  { number: 2, state: 'failed', evidence: 'no file' },
];

const messages = () => sim.requests.filter((request) => request.kind === 'message');
const options = (desk: HandInDesk) => ({ tools: [], allowedTools: desk.toolNames, mcpServers: desk.servers() });

describe('the hand-in tools, with the real program', () => {
  it('send an incomplete document back with every gap named, and the same turn goes on to the complete one', async () => {
    sim.setScript(
      turns([
        call(brief, { goal: 'Ship it' }),
        call(brief, { goal: 'Ship it', accept: '- a', bounds: 'none', unknowns: 'none' }),
        say('done'),
      ]),
    );
    const desk = new HandInDesk({ kinds: ['brief'], locale: 'en' });
    const { result } = await harness.run('go', options(desk));
    expect(result?.subtype).toBe('success');
    const [refused, accepted] = messages().flatMap((request) => request.results.slice(-1));
    expect(refused).toMatchObject({ isError: true });
    for (const title of ['Acceptance criteria', 'Boundaries', 'Unknowns and assumptions'])
      expect(refused?.text).toContain(title);
    expect(accepted).toMatchObject({ isError: false });
    expect(accepted?.text).toMatch(/^Accepted/);
    expect(desk.last?.document.toJSON()).toEqual({ goal: 'Ship it', accept: '- a', bounds: 'none', unknowns: 'none' });
  });

  it('are in the first request, described, with no field that the schema alone would demand', async () => {
    const desk = new HandInDesk({ kinds: ['goal', 'handoff'], locale: 'zh' });
    sim.setScript(() => say('hello'));
    await harness.run('go', options(desk));
    const [first] = messages();
    expect(first?.tools).toEqual(expect.arrayContaining(desk.toolNames));
    for (const tool of first?.body.tools?.filter((one) => desk.toolNames.includes(one.name)) ?? []) {
      expect(tool.description).toMatch(/\p{Script=Han}/u);
      expect(tool.input_schema).not.toHaveProperty('required');
    }
  });

  it('keep the document of one session when the next attempt says nothing more', async () => {
    const desk = new HandInDesk({ kinds: ['verdict'], checks: ['a', 'b'], locale: 'en' });
    sim.setScript(turns([call(verdict, { items: judgement, reason: 'no file' }), say('done')]));
    await harness.run('judge', options(desk));
    sim.setScript(turns([call(verdict, { items: [] }), say('I give up')]));
    await harness.run('judge', options(desk));
    expect(messages().at(-1)?.results.at(-1)).toMatchObject({ isError: true });
    expect(desk.last?.document).toMatchObject({ state: 'not_yet', failed: ['b: no file'] });
  });
});
