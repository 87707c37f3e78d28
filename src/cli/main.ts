#!/usr/bin/env node
import { tooOld } from './nodeVersion.js';

// Everything else is imported only now: an old Node may be unable to read it.
const old = tooOld(process.versions.node);
if (old) {
  process.stderr.write(`${old}\n`);
  process.exitCode = 1;
} else {
  const { runProgram } = await import('./program.js');
  await runProgram(process.argv.slice(2));
}
