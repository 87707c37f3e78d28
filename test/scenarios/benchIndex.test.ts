import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { call, type SimRequest, say } from '../../src/sim/index.js';
import { type OneStep, withStep } from '../support/oneStep.js';

it('R6.35: the index lists a file of the workbench by the time that its writer is asked again', async () => {
  const indexes: string[] = [];
  const noteOf = (name: string) => join(at.runDir, 'workbench', 'notes', `${name}.md`);
  const script = ({ turn }: SimRequest) => {
    indexes.push(readFileSync(join(at.runDir, 'workbench', 'INDEX.md'), 'utf8'));
    const name = ['first', 'second'][turn];
    return name ? call('Write', { file_path: noteOf(name), content: '# A note\n' }) : say('Written.');
  };
  let at!: OneStep;
  await withStep(script, { runtime: { workbench: true }, spec: { allowedTools: ['Write'] } }, async (opened) => {
    at = opened;
    expect(await at.runtime.run(at.spec, 'Write.')).toMatchObject({ ok: true, text: 'Written.' });
    const listed = indexes.map((index) => ['first', 'second'].filter((name) => index.includes(`${name}.md`)));
    expect(listed).toEqual([[], ['first'], ['first', 'second']]);
  });
});
