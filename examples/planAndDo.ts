import { AgentSpec, coordinator, Step, Workflow, worker } from '../src/index.js';

const planner = new AgentSpec({ name: 'planner', instructions: 'You plan changes. Look at the code first.' });
const coder = worker('Writes code and tests.', 'You implement. Verify after every change.');

export const flow = new Workflow([
  new Step('plan', planner, 'Plan how to add a --json flag. At most ten lines.'),
  new Step('work', coordinator('lead', '', { coder }), (ctx) => `Have this done:\n${ctx.plan}`, {
    retries: 1,
    gate: (result) => result.text.includes('tests pass'),
    onReject: () => 'Not yet: have the tests run, and say that they pass.',
  }),
]);
