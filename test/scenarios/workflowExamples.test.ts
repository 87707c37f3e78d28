import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { byRole, call, type RoleScripts, type Script, type Sim, say, startSim, turns } from '../../src/sim/index.js';
import { tempFolder } from '../support/flowerProgram.js';
import { BRIEF, smallestRun } from '../support/scripts.js';

const home = process.cwd();
let sim: Sim | undefined;
afterEach(async () => {
  process.chdir(home);
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await sim?.close();
});

/** Runs an example as it stands, in an empty folder, against a script. It checks its own result and throws if that is not right. */
async function run(name: string, script: Script): Promise<{ printed: string; read: (path: string) => string }> {
  const place = tempFolder(`example-${name}`);
  sim = await startSim({ script });
  vi.stubEnv('ANTHROPIC_BASE_URL', sim.url);
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-fake');
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void lines.push(words.join(' ')));
  process.chdir(place.path);
  await import(`../../examples/${name}.ts`);
  expect(sim.faults).toEqual([]);
  return { printed: lines.join('\n'), read: (path) => readFileSync(`${place.path}/${path}`, 'utf8') };
}

const alone = (script: Script): RoleScripts => ({ other: script });
const dispatch = (to: string, prompt: string) => call('Agent', { subagent_type: to, description: to, prompt });
const bash = (command: string) => call('Bash', { command, description: command });

/** What is shown to newcomers has to work as it stands (A4). */
describe('the examples', () => {
  it('are all run here, or by the test of the README', () => {
    expect(readdirSync(`${home}/examples`).sort()).toEqual(
      [...['singleAgent', 'coordinatorAndWorker', 'twoSteps', 'ownGoalGuard', 'customUi'], 'planAndDo']
        .map((name) => `${name}.ts`)
        .sort(),
    );
    expect(readFileSync(`${home}/examples/customUi.ts`, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });

  it('single agent', async () => {
    const script = turns([
      ({ body }) => call('Write', { file_path: `${cwdIn(body.system)}/SUMMARY.md`, content: 'Nothing yet.\n' }),
      say('Written.'),
    ]);
    const { printed, read } = await run('singleAgent', byRole(alone(script)));
    expect(read('SUMMARY.md')).toBe('Nothing yet.\n');
    expect(printed).toMatch(/2 turns, session [0-9a-f-]{36}/);
  });

  it('coordinator and worker', async () => {
    const { printed } = await run(
      'coordinatorAndWorker',
      byRole({
        coordinator: turns([
          dispatch('coder', 'Make hello.sh.'),
          dispatch('tester', 'Try hello.sh.'),
          say('It greets.'),
        ]),
        workers: {
          coder: turns([bash('printf "echo hello" > hello.sh'), say('Conclusion: made.')]),
          tester: turns([bash('sh hello.sh'), ({ results }) => say(`Conclusion: it prints ${results[0]?.text}`)]),
        },
      }),
    );
    for (const who of ['lead', 'coder', 'tester'])
      expect(printed).toMatch(new RegExp(`^work ${who}: \\$0\\.\\d{4}$`, 'm'));
  });

  it('two steps with an injected result', async () => {
    const { printed } = await run(
      'twoSteps',
      byRole({
        coordinator: turns([(request) => dispatch('coder', request.prompt), say('The flag is there.')]),
        workers: { coder: turns([say('Conclusion: added.')]) },
        other: (request) =>
          request.prompt.startsWith('Give the plan')
            ? say('As you wish:\n- the parser\n- the printer\nThat is all.')
            : say('First the parser, then the printer.'),
      }),
    );
    expect(printed).toContain('- the parser\n- the printer');
    const handed = sim?.requests.find((request) => request.agent === 'coder');
    expect(handed?.prompt).toContain('Have this done:\n- the parser\n- the printer');
    expect(JSON.stringify(handed?.messages)).not.toContain('That is all.');
  });

  it('own goal guard', async () => {
    await run(
      'ownGoalGuard',
      byRole(
        alone((request) => {
          if (request.turn > 0) return say('Done.');
          const isSecond = request.prompt.includes('ends with');
          return bash(`echo 'console.log(${isSecond ? '+process.argv[2] + +process.argv[3]' : '4'})' > sum.mjs`);
        }),
      ),
    );
    expect(
      sim?.requests.some(({ prompt }) => prompt.includes('`node sum.mjs 2 3` ends with 0 and prints "4\\n"')),
    ).toBe(true);
  });

  it('custom UI', async () => {
    const input = new PassThrough();
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as unknown as typeof process.stdin);
    const { printed, read } = await run(
      'customUi',
      smallestRun({
        clarify: turns([
          () => {
            setTimeout(() => input.write('2\n'), 300);
            return call('mcp__human__ask', { question: 'Which greeting?', options: ['hi', 'hello'] });
          },
          ({ results }) => call('mcp__flower__submit_brief', { ...BRIEF, unknowns: `greeting: ${results[0]?.text}` }),
          say('Handed in.'),
        ]),
      }),
    );
    expect(printed).toContain(' ? Which greeting?\n   1. hi\n   2. hello');
    expect(printed).toContain('finished; verified: achieved');
    expect(read('.flower/notes/brief.md')).toContain('greeting: hello');
  });
});

/** Where the session works, as its system prompt says. */
function cwdIn(system: unknown): string {
  return /working directory: ([^\s\\]+)/i.exec(JSON.stringify(system))?.[1] ?? '.';
}
