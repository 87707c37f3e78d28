import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { byRole, call, say, startSim, turns } from '../../src/sim/index.js';
import { tempFolder } from '../support/flowerProgram.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const home = process.cwd();
afterEach(() => {
  process.chdir(home);
  vi.unstubAllEnvs();
});

/** A reader copies the workflow of the README, so it must be the example that runs here. */
it('shows in the README the workflow that runs', async () => {
  expect(/```ts\n([\s\S]*?)```/.exec(read('README.md'))?.[1]).toBe(
    read('examples/planAndDo.ts').replace("'../src/index.js'", "'flower-agent'"),
  );

  const folder = tempFolder('readme');
  const sim = await startSim({
    script: byRole({
      coordinator: turns([
        (request) => call('Agent', { subagent_type: 'coder', description: 'Add the flag', prompt: request.prompt }),
        (request) => say(request.prompt.startsWith('Not yet') ? 'Done, and the tests pass.' : 'Done.'),
      ]),
      workers: { coder: turns([call('Bash', { command: 'echo flag >> tool.txt' }), say('Conclusion: added.')]) },
      other: () => say('One flag, in the argument parser.'),
    }),
  });
  vi.stubEnv('ANTHROPIC_BASE_URL', sim.url);
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-fake');
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  process.chdir(folder.path);

  await import('../../examples/planAndDo.js');

  expect(sim.faults).toEqual([]);
  expect(console.log).toHaveBeenLastCalledWith(expect.objectContaining({ ended: 'finished', claimed: true }));
  expect(readFileSync(join(folder.path, 'tool.txt'), 'utf8')).toBe('flag\nflag\n');
  expect(existsSync(join(folder.path, 'runs', 'sessions.db'))).toBe(true);
  await sim.close();
  process.chdir(home);
  folder.remove();
});
