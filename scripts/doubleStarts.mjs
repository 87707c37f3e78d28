/**
 * Starts the whole program twice at one moment in one directory, again and again: `node scripts/doubleStarts.mjs [rounds]`. A hundred
 * rounds (the default) take some minutes.
 */
import { spawnSync } from 'node:child_process';

const [rounds = '100'] = process.argv.slice(2);
console.log(`${rounds} double starts of the whole program`);
const { status } = spawnSync('npx', ['vitest', 'run', 'test/scenarios/doubleStarts.test.ts', '-t', 'whole program'], {
  stdio: 'inherit',
  env: { ...process.env, DOUBLE_STARTS: rounds },
});
process.exit(status ?? 1);
