import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { byRole, call, say, startSim, turns } from '../../src/sim/index.js';
import { runFlower, tempFolder } from '../support/flowerProgram.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** A reader copies the workflow of the README into a project: what stands there is the type-checked example, and it runs so. */
it('shows in the README a workflow that runs as the README says', async () => {
  const shown = /```ts\n([\s\S]*?)```/.exec(read('README.md'))?.[1] ?? '';
  expect(shown).toBe(read('examples/planAndDo.ts').replace("'../src/index.js'", "'flower-agent'"));

  const folder = tempFolder('readme');
  mkdirSync(join(folder.path, 'node_modules'));
  symlinkSync(root, join(folder.path, 'node_modules', 'flower-agent'));
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder.path, 'flow.ts'), shown);
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

  const end = await runFlower(['run', 'flow.ts:flow'], { cwd: folder.path, url: sim.url });

  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(sim.faults).toEqual([]);
  expect(readFileSync(join(folder.path, 'tool.txt'), 'utf8')).toBe('flag\nflag\n');
  expect(existsSync(join(folder.path, 'runs', 'sessions.db'))).toBe(true);
  await sim.close();
  folder.remove();
});
