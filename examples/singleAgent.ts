/** One agent, one step: the smallest thing that flower runs. Resuming, handing over, waiting and the books are there all the same. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { AgentSpec, Runtime } from '../src/index.js';

const writer = new AgentSpec({
  name: 'writer',
  instructions: 'You write short texts for people in a hurry.',
  allowedTools: ['Read', 'Glob', 'Grep', 'Write'],
});

const runtime = new Runtime({ workspace: '.' });
const result = await runtime.run(writer, 'Write SUMMARY.md: what is in this folder, in three lines.', {
  onEvent: (event) => console.log(String(event)),
});
await runtime.close();

// A model's word that it is done is no check.
assert.ok(result.ok, result.error ?? '');
assert.ok(existsSync('SUMMARY.md'), 'SUMMARY.md is not there');
console.log(`$${result.costUsd.toFixed(4)}, ${result.numTurns} turns, session ${result.sessionId}`);
