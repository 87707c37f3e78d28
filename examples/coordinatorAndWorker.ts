/**
 * A coordinator that can only dispatch, and a worker that does the work. The trial and error stays in the worker's transcript; the
 * coordinator's context grows by a brief and a report for each dispatch.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { coordinator, Runtime, Step, Workflow, worker } from '../src/index.js';

const coder = worker('Writes code and tests, and runs them.', 'You implement. Verify after every change.');
const tester = worker('Tries things out and reports what breaks.', 'You test. You change nothing.', {
  tools: ['Read', 'Glob', 'Grep', 'Bash'],
});
const lead = coordinator('lead', '', { coder, tester }, { canRead: false });

const flow = new Workflow([new Step('work', lead, 'Have a script hello.sh made that greets, and have it tried out.')]);
const runtime = new Runtime({ workspace: '.', workbench: true });
const ctx = await flow.run(runtime);
await runtime.close();

assert.equal(ctx._outcome?.ended, 'finished');
assert.ok(existsSync('hello.sh'), 'hello.sh is not there');
for (const { step, role, usd } of ctx._report?.cost ?? []) console.log(`${step} ${role ?? 'lead'}: $${usd.toFixed(4)}`);
