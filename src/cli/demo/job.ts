/**
 * What the scripted model of the demo writes: a small command-line tool with its tests. The first version has a real fault, which
 * the judge finds by running it: words that differ in case are counted apart.
 */
export interface DemoJob {
  /** The tool's name, as the person chose it. */
  readonly name: string;
  readonly tool: string;
  readonly test: string;
  readonly sample: string;
  /** The edit of round two: one line of the tool. */
  readonly fault: string;
  readonly repair: string;
  /** The test that round two adds. */
  readonly addedTest: string;
}

export const DEFAULT_NAME = 'tally';

/** The job under a name that a person gave; words that make no file name give the default. */
export function demoJob(words: string): DemoJob {
  const name = /^[a-z][a-z0-9-]{0,30}$/.test(words) ? words : DEFAULT_NAME;
  const fault = `  const words = text.match(/[\\p{L}\\p{N}]+/gu) ?? [];`;
  return {
    name,
    fault,
    repair: `  const words = text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? [];`,
    tool: `#!/usr/bin/env node
// The most frequent words of a file: node ${name}.mjs FILE [--top N]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export function count(text, top = 10) {
${fault}
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, top);
}

if (process.argv[1]?.endsWith('${name}.mjs')) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { top: { type: 'string', default: '10' } } });
  if (positionals.length !== 1 || !(Number(values.top) > 0)) {
    console.error('usage: node ${name}.mjs FILE [--top N]');
    process.exit(2);
  }
  for (const [word, n] of count(readFileSync(positionals[0], 'utf8'), Number(values.top))) console.log(\`\${n}\\t\${word}\`);
}
`,
    test: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count } from './${name}.mjs';

test('counts words, the most frequent first', () => {
  assert.deepEqual(count('b a b c b a'), [['b', 3], ['a', 2], ['c', 1]]);
});

test('shows no more than asked for', () => {
  assert.equal(count('a b c d', 2).length, 2);
});

test('takes an empty text', () => {
  assert.deepEqual(count(''), []);
});
`,
    addedTest: `
test('takes words that differ only in case as one', () => {
  assert.deepEqual(count('The tide and the boats', 1), [['the', 2]]);
});
`,
    sample: 'The tide turns. The boats turn with the tide, and the harbour sleeps.\n',
  };
}
