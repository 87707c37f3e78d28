import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, fail, type Sim, say, startSim } from '../../src/sim/index.js';
import { type FlowerEnd, runFlower, tempFolder } from '../support/flowerProgram.js';

const folder = tempFolder('cli-run');
const workspace = join(folder.path, 'work');
let sim: Sim;

const write = (name: string, content: string) => {
  const path = join(folder.path, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
};
const flower = (...args: string[]): Promise<FlowerEnd> =>
  runFlower([...args, '-w', workspace], { url: sim.url, cwd: folder.path });

const STEP = `new Step('look', new AgentSpec({ name: 'look', instructions: '' }), 'Look around.')`;

beforeAll(async () => {
  sim = await startSim({ script: () => say('Nothing here.') });
  mkdirSync(workspace);
  write(
    'flows.ts',
    `import { AgentSpec, HumanChannel, Step, Workflow, activeLocale } from 'flower-agent';
import { title, type Title } from './title.js';
enum Kind { Made = 'made' }
export const main: Workflow = new Workflow([${STEP}], { name: title as Title });
export const make = async (): Promise<Workflow> => new Workflow([${STEP}], { name: Kind.Made });
export const fails = (): never => { throw new Error('first line\\nsecond line'); };
export const number = 7;
`,
  );
  write('title.ts', `export type Title = string;\nexport const title = 'mine';\n`);
  write('old.cjs', `module.exports.main = { steps: [], run: 'never' };\n`);
  write('broken.ts', 'export const main = ;\n');
  write('work/node_modules/flows/package.json', '{"name":"flows","version":"1.0.0","type":"module","main":"index.js"}');
  write(
    'work/node_modules/flows/index.js',
    `import { AgentSpec, Step, Workflow } from 'flower-agent';\nexport default new Workflow([${STEP}], { name: 'packed' });\n`,
  );
});
afterAll(async () => {
  await sim.close();
  folder.remove();
});

const flowOf = (end: FlowerEnd): unknown => JSON.parse(end.stdout.split('\n')[0] ?? '').payload.flow;

describe('run (C5)', () => {
  it('runs a workflow in TypeScript, with imports of its own, on the package that is installed', async () => {
    const end = await flower('run', 'flows.ts:main', '--json');
    expect([end.code, flowOf(end)]).toEqual([0, 'mine']);
    expect(end.stderr).toContain('Finished; nobody checked the result');
  });

  it('C5.2, C5.4: calls an exported function; takes a package of the workspace', async () => {
    const [made, packed] = [
      await flower('run', 'flows.ts:make', '--json'),
      await flower('run', 'flows:default', '--json'),
    ];
    expect([made.code, flowOf(made)]).toEqual([0, 'made']);
    expect([packed.code, flowOf(packed)]).toEqual([0, 'packed']);
  });

  it.each([
    ['C5.1', 'flows', /^module:export is needed/],
    ['C5.1', 'flows.ts:', /^module:export is needed/],
    ['C5.2', 'gone.ts:main', /gone\.ts not found \(current directory .*cli-run/],
    ['C5.3', 'flows.ts:other', /^'flows\.ts' has no 'other'/],
    ['C5.4', 'flows.ts:number', /is not a workflow/],
    ['C5.4', 'old.cjs:main', /is not a workflow/],
    ['D1.20', 'broken.ts:main', /^importing 'broken\.ts' failed: \S/],
    ['D1.20', 'flows.ts:fails', /^importing 'flows\.ts' failed: first line$/],
    ['D1.20', 'not-there:main', /^importing 'not-there' failed: /],
  ])('%s: %s is refused in one line', async (_rule, target, words) => {
    const end = await flower('run', target);
    expect(end.code).toBe(1);
    expect(end.stderr.trimEnd()).toMatch(words);
    expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('C30.1: -v adds the stack', async () => {
    expect((await flower('run', 'flows.ts:fails', '-v')).stderr).toMatch(/first line\n.*\n?\s+at /s);
  });
});

describe('once (C6)', () => {
  const rows = () =>
    JSON.parse(readFileSync(join(workspace, 'runs', 'manifest.json'), 'utf8')) as Record<string, unknown>[];

  it('one agent with the tools that were named, its cost and time on screen (D6.1, D6.3)', async () => {
    sim.setScript((request) => (request.turn === 0 ? call('Glob', { pattern: '*' }) : say('Two files.')));
    const end = await flower('once', 'What is here?', '-t', 'Glob, Grep', '-i', 'Be brief.');
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(end.stdout).toContain('Two files.');
    expect(end.stdout).toMatch(/done 2 turns · \$0\.0\d{3}/);
    expect(end.stdout).toMatch(/^spent \$0\.0\d+ · manifest\s\S+manifest\.json$/m);
    expect(end.stdout).not.toContain('nobody checked');
    const request = sim.requests.findLast(({ prompt }) => prompt.includes('What is here?'));
    expect(request?.tools).toEqual(expect.arrayContaining(['Glob', 'Grep']));
    expect(request?.tools).not.toContain('Bash');
    expect(rows().at(-1)).toMatchObject({ step: 'ad-hoc', ok: true });
  });

  it('D6.5: --resume goes on with a session, --fork branches off, an unknown one costs nothing', async () => {
    const session = String(rows().at(-1)?.session_id);
    sim.setScript(() => say('As I said.'));
    const on = await flower('once', 'Sure?', '--resume', session);
    expect([on.code, rows().at(-1)?.session_id]).toEqual([0, session]);
    const branch = await flower('once', 'Sure?', '--resume', session, '--fork');
    expect(branch.code).toBe(0);
    expect(rows().at(-1)?.session_id).not.toBe(session);
    const before = sim.requests.length;
    const unknown = await flower('once', 'Sure?', '--resume', '00000000-0000-4000-8000-000000000000');
    expect([unknown.code, unknown.stderr]).toEqual([1, 'no such session: 00000000-0000-4000-8000-000000000000\n']);
    expect(sim.requests.length).toBe(before);
  });

  it('D6.2, C6.4: ends with 6 if it failed and with 5 if its budget is used up', async () => {
    sim.setScript(() => fail(400, 'not like this'));
    const failed = await flower('once', 'Try.');
    expect([failed.code, failed.stderr]).toEqual([6, expect.stringMatching(/^x failed: .*not like this/s)]);
    sim.setScript((request) => call('Glob', { pattern: `${request.turn}*` }).usage({ output_tokens: 10_000 }));
    const spent = await flower('once', 'Go on.', '-b', '0.30');
    expect([spent.code, spent.stderr]).toEqual([5, expect.stringMatching(/^x failed: .*budget/)]);
  });
});
