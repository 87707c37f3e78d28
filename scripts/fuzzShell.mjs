/**
 * Holds the command check against many made-up command lines: `node scripts/fuzzShell.mjs [count] [seed]`. 100 000 lines (the
 * default) take some minutes. What is let through is run for real in a scratch folder, as a user without rights.
 */
import { spawnSync } from 'node:child_process';

const [count = '100000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
console.log(`${count} lines, seed ${seed}`);
const { status } = spawnSync('npx', ['vitest', 'run', 'test/contract/guardsShell.test.ts', '-t', 'made-up lines'], {
  stdio: 'inherit',
  env: { ...process.env, SHELL_FUZZ_COUNT: count, SHELL_FUZZ_SEED: seed },
});
process.exit(status ?? 1);
