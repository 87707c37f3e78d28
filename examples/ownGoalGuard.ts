/**
 * A goal guard of one's own: here a command decides whether a round is done, and no model. What it finds goes back to the worker,
 * and the outcome of the run says what was verified.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { AgentSpec, Runtime, Step, Verdict, Workflow } from '../src/index.js';

const coder = new AgentSpec({
  name: 'coder',
  instructions: 'You implement. Verify after every change.',
  allowedTools: ['Read', 'Glob', 'Grep', 'Write', 'Edit', 'Bash'],
  permissionMode: 'acceptEdits',
});

/** Fresh eyes: it runs the thing itself and believes no report. */
function judge(): Verdict {
  const { status, stdout } = spawnSync('node', ['sum.mjs', '2', '3'], { encoding: 'utf8' });
  const isMet = status === 0 && stdout.trim() === '5';
  const evidence = `\`node sum.mjs 2 3\` ends with ${status} and prints ${JSON.stringify(stdout)}`;
  return new Verdict({
    state: isMet ? 'achieved' : 'not_yet',
    reason: isMet ? '' : evidence,
    items: [{ number: 1, state: isMet ? 'met' : 'failed', evidence }],
  });
}

const work = new Step('work', coder, 'Write sum.mjs: `node sum.mjs 2 3` prints 5.', {
  guarded: true,
  retries: 2,
  gate: (_result, ctx) => {
    ctx._verdict = judge();
    return ctx._verdict.achieved;
  },
  onReject: (_result, ctx) => ctx._verdict?.feedback() ?? '',
});

const runtime = new Runtime({ workspace: '.' });
const { _outcome: outcome } = await new Workflow([work]).run(runtime);
await runtime.close();

assert.deepEqual(outcome, { ended: 'finished', claimed: true, verified: 'achieved', reason: '' });
