/**
 * Runs the benches: `npm run bench` all of them, `npm run bench -- NAME…` some. Each prints its tables, writes
 * `bench/results/NAME.json`, and at the end `docs/benchmarks.md` is made anew. With `--check` nothing is written: the ratios are held
 * against those of the last release. `--long` adds the sizes that take long, `--docs` only writes the document.
 */
import { spawnSync } from 'node:child_process';
import { benches } from './benches.mjs';
import { writeDocument } from './frame/document.mjs';
import { metInWords, resultOf, saveResult, targetOf } from './frame/results.mjs';
import { worseThanReleased } from './frame/worse.mjs';

const SWITCHES = ['--check', '--long', '--docs'];
const given = process.argv.slice(2);
const on = (name) => given.includes(name);
const names = given.filter((word) => !SWITCHES.includes(word));
const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`no bench ${unknown.join(', ')}; there are ${benches.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
// In a process of its own a bench does not pay for what ran before it, and may collect its garbage when it wants to.
if (globalThis.gc) await runOne(benches.find(({ name }) => name === names[0]));
else runEach(on('--docs') ? [] : benches.filter(({ name }) => names.length === 0 || names.includes(name)));

function runEach(chosen) {
  const switches = given.filter((word) => SWITCHES.includes(word));
  const ended = chosen.map(({ name }) => {
    const command = ['--expose-gc', process.argv[1], name, ...switches];
    return { name, status: spawnSync(process.execPath, command, { stdio: 'inherit' }).status };
  });
  if (!on('--check')) writeDocument(benches);
  const failed = ended.filter(({ status }) => status !== 0);
  if (failed.length === 0) return;
  console.error(`\nsee above: ${failed.map(({ name }) => name).join(', ')}`);
  process.exitCode = 1;
}

async function runOne(bench) {
  console.log(`\n${bench.name}: ${bench.question}`);
  const begun = performance.now();
  const measured = await bench.run({ long: on('--long'), base: new URL('../dist/', import.meta.url) });
  const result = resultOf(bench, measured, (performance.now() - begun) / 1000);
  print(result);
  if (!on('--check')) return saveResult(result);
  const worse = worseThanReleased(result);
  if (worse.length === 0) return;
  console.error(`\nworse than the committed figures by more than a quarter:\n${worse.join('\n')}`);
  process.exitCode = 1;
}

function print({ tables, ratios, seconds }) {
  for (const { title, rows, notes = [] } of tables) {
    console.log(`\n${title}`);
    console.table(rows);
    for (const note of notes) console.log(`- ${note}`);
  }
  if (ratios.length > 0) {
    console.table(
      ratios.map((ratio) => ({
        ratio: ratio.name,
        value: ratio.value,
        target: targetOf(ratio),
        met: metInWords(ratio),
      })),
    );
  }
  console.log(`took ${seconds} s`);
}
