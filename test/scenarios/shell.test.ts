import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { call, type SimRequest, say } from '../../src/sim/index.js';
import { tempFolder } from '../support/flowerProgram.js';
import { withStep } from '../support/oneStep.js';

it('commands run in Bash, which the models write and the guards read, without what a home adds to it', async () => {
  const folder = tempFolder('zsh');
  const used = join(folder.path, 'used');
  writeFileSync(join(folder.path, 'zsh'), `#!/bin/sh\ntouch '${used}'\nexec /bin/sh "$@"\n`, { mode: 0o755 });
  const path = process.env.PATH;
  process.env.PATH = [folder.path, path].join(delimiter);
  const script = ({ turn, results }: SimRequest) =>
    turn === 0
      ? call('Bash', { command: 'echo "[$BASH_VERSION] $SHELL"', description: 'Ask' })
      : say(results.at(-1)?.text ?? '');
  try {
    await withStep(script, {}, async ({ runtime, spec }) => {
      const { text } = await runtime.run(spec, 'Which shell is it?');
      expect(text).toMatch(/^\[\d+\..+\] .*\/bash$/);
      expect(existsSync(used)).toBe(false);
    });
  } finally {
    process.env.PATH = path;
    folder.remove();
  }
});
