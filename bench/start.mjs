// How long `flower --help` and `--version` take, against Node's own start: medians of paired runs on this machine.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const RUNS = 15;

export function benchStart() {
  const cases = {
    'node -e 0': ['-e', '0'],
    'flower --version': [main, '--version'],
    'flower --help': [main, '--help'],
  };
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let i = 0; i < RUNS; i += 1) {
    for (const [name, args] of Object.entries(cases)) {
      const from = process.hrtime.bigint();
      spawnSync(process.execPath, args, { env: { PATH: process.env.PATH } });
      times[name].push(Number(process.hrtime.bigint() - from) / 1e6);
    }
  }
  const base = median(times['node -e 0']);
  return Object.entries(times).map(([name, list]) => ({
    case: name,
    'median ms': Math.round(median(list)),
    'allowed ms (2 x node + 100)': name.startsWith('flower') ? Math.round(2 * base + 100) : '',
  }));
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(benchStart());
