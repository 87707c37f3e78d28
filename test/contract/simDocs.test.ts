import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** A reader copies the example of docs/sim.md, so it must be the test that runs here. */
it('shows in docs/sim.md the example that runs', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const shown = /```ts\n([\s\S]*?)```/.exec(read('docs/sim.md'))?.[1];
  const runs = read('test/contract/simExample.test.ts')
    .replace("'../../src/index.js'", "'flower-agent'")
    .replace("'../../src/sim/index.js'", "'flower-agent/sim'");
  expect(shown).toBe(runs);
});
