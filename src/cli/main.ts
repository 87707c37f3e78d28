#!/usr/bin/env node
import { tooOld } from './nodeVersion.js';

// A reader that is gone, such as `head -1`, is no fault to be told with a stack.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// Everything else is imported only now: an old Node may be unable to read it.
const old = tooOld(process.versions.node);
if (old) {
  process.stderr.write(`${old}\n`);
  process.exitCode = 1;
} else {
  const { runProgram } = await import('./program.js');
  await runProgram(process.argv.slice(2));
}
