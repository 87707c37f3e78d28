/**
 * What the command check costs: a typical line, lines of 8 KiB, and loading the grammar. Prints milliseconds, and each as a
 * multiple of the parse alone.
 */
import { performance } from 'node:perf_hooks';

const started = performance.now();
const { isEphemeral } = await import('../dist/shell/isEphemeral.js');
const { bash } = await import('../dist/shell/grammar.js');
console.log(`load the grammar: ${(performance.now() - started).toFixed(1)} ms`);

const typical = 'git status -s && echo "--- LOG ---" && git log --oneline -10 2>/dev/null | head -5';
const long = (piece) => `ls ${piece.repeat(Math.floor(8000 / piece.length))}`;
const lines = {
  'a typical line': typical,
  'a piped search': `grep -rnE "red|green;blue" --include='*.ts' src | awk -F: '{print $1}' | sort | uniq -c | sort -rn | head -20`,
  'a refused line': 'npm test && git commit -m x',
  '8 KiB of file names': long('src/a.ts '),
  '8 KiB of single letters': long('a '),
  '8 KiB of quoted words': long("'a b' "),
  '8 KiB of small commands': 'ls src/a.ts\n'.repeat(680),
  '8 KiB of pipes': 'ls src/abcdefghijklmnopq | '.repeat(300),
};

for (const [name, line] of Object.entries(lines)) {
  const check = median(() => isEphemeral(line));
  const parse = median(() => bash.parse(line)?.delete());
  console.log(`${name}: ${check.toFixed(3)} ms, ${(check / parse).toFixed(1)} × the parse`);
}

function median(run) {
  const times = [];
  for (let i = 0; i < 101; i++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[50];
}
