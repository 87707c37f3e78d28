import { round } from './frame/figures.mjs';
import { inFolder } from './frame/place.mjs';
import { plainSession } from './frame/plainSession.mjs';
import { smallRun, smallScript } from './frame/smallRun.mjs';

export const floor = {
  name: 'floor',
  title: 'How full a context is at the start',
  question: 'What stands in the first request of each role before any work is done, against a plain session?',
  run: benchFloor,
};

async function benchFloor({ base }) {
  const { roleOf, startSim } = await import(new URL('sim/index.js', base));
  const sim = await startSim({ script: await smallScript(base) });
  const plain = await inFolder(async (folder) => {
    await plainSession({ folder, url: sim.url }, 'Say hello.');
    return sim.requests.find(({ kind }) => kind === 'message');
  });
  const before = sim.requests.length;
  await inFolder((folder) => smallRun(base, { folder, url: sim.url }));
  await sim.close();
  if (sim.faults.length > 0) throw new Error(sim.faults[0].message);
  const work = sim.requests.slice(before).filter(({ kind }) => kind === 'message');
  const first = Object.fromEntries(
    ['clarify', 'goal', 'coordinator', 'worker', 'judge'].map((role) => [
      role,
      work.find((request) => roleOf(request) === role),
    ]),
  );
  const rows = Object.entries({ 'plain session': plain, ...first }).map(([who, { characters, tokens, tools }]) => ({
    who,
    tokens,
    'against plain': round(tokens / plain.tokens),
    'characters in all': characters.total,
    'of the prompt': characters.system,
    'of the tools': characters.tools,
    'of the messages': characters.messages,
    tools: tools.length,
  }));
  return {
    tables: [
      {
        title: 'First request',
        rows,
        notes: [
          'A token counts as four bytes. Brief and goal are of one line each; a job adds its own length to them.',
        ],
      },
    ],
    ratios: [
      { name: 'coordinator, share of 5 K tokens', value: round(first.coordinator.tokens / 5000), atMost: 1 },
      {
        name: 'worker, share of 3.5 K tokens',
        value: round(first.worker.tokens / 3500),
        atMost: 1,
        why: ofTools(first.worker),
      },
    ],
  };
}

/** Whose words a worker's first request is made of: the tools are described by the program, not by flower. */
function ofTools({ tokens, toolDefinitions }) {
  const sizes = toolDefinitions.map((tool) => ({ name: tool.name, size: JSON.stringify(tool).length / 4 }));
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  const [largest] = sizes.sort((a, b) => b.size - a.size);
  return `${Math.round(all)} of the ${tokens} tokens are the program's descriptions of ${sizes.length} tools, ${largest.name}'s alone ${Math.round(largest.size)}`;
}
