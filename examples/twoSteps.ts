/**
 * Two steps in sessions of their own. Only a value goes from one to the other: what the planner read and thought stays behind. With a
 * type for the values the compiler knows the names.
 */
import assert from 'node:assert/strict';
import { AgentSpec, coordinator, Runtime, Step, Workflow, worker } from '../src/index.js';

type Values = { plan: string; work?: string };

const planner = new AgentSpec({ name: 'planner', instructions: 'You plan changes. Look at the code first.' });
const coder = worker('Writes code and tests.', 'You implement. Verify after every change.');

const flow = new Workflow<Values>([
  new Step('plan', planner, 'Plan how to add a --json flag: a line for each change.', {
    // The lines of the plan and nothing of what was said around them.
    reduce: ({ text }) =>
      text
        .split('\n')
        .filter((line) => line.startsWith('- '))
        .join('\n'),
    gate: ({ text }) => text.includes('- '),
    retries: 1,
    onReject: () => 'Give the plan as a list, a line beginning with "- " for each change.',
  }),
  new Step('work', coordinator('lead', '', { coder }), (ctx) => `Have this done:\n${ctx.plan}`),
]);

const runtime = new Runtime({ workspace: '.' });
const ctx = await flow.run(runtime);
await runtime.close();

assert.equal(ctx._outcome?.ended, 'finished');
assert.match(ctx.plan, /^- /);
console.log(ctx.plan, '\n', ctx.work);
