import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AgentSpec, coordinator, Runtime, Step, Workflow, worker } from '../../src/index.js';
import { byRole, call, say, startSim, turns } from '../../src/sim/index.js';

const releaseNotes = new Workflow([
  new Step(
    'plan',
    new AgentSpec({ name: 'planner', instructions: 'You plan release notes.' }),
    'Plan them in one line.',
  ),
  new Step(
    'work',
    coordinator('coordinator', '', { writer: worker('Writes the notes.', 'You write release notes.') }),
    (ctx) => `Have NOTES.md written: ${ctx.plan}`,
  ),
]);

it('hands the plan to a writer, who writes the notes', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'notes-'));
  const sim = await startSim({
    script: byRole({
      coordinator: turns([
        (request) => call('Agent', { subagent_type: 'writer', description: 'Write notes', prompt: request.prompt }),
        (request) => say(request.results[0]?.isError ? 'The writer failed.' : 'NOTES.md is there.'),
      ]),
      workers: {
        writer: turns([call('Bash', { command: 'echo "# 1.2: faster" > NOTES.md' }), say('Conclusion: written.')]),
      },
      other: () => say('One heading: faster.'), // the planner, which has no tools of flower's
    }),
  });
  const runtime = new Runtime({
    workspace,
    runDir: join(workspace, 'runs'),
    settings: { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'sk-scripted' },
  });

  const result = await releaseNotes.run(runtime);
  await runtime.close();

  expect(sim.faults).toEqual([]);
  expect(result.work).toBe('NOTES.md is there.');
  expect(readFileSync(join(workspace, 'NOTES.md'), 'utf8')).toBe('# 1.2: faster\n');
  // What the writer was told, and what the whole would have cost with a real model:
  expect(sim.requests.find((request) => request.agent === 'writer')?.prompt).toContain('One heading: faster.');
  expect(sim.meter.total().costUsd).toBeLessThan(0.25);

  await sim.close();
  rmSync(workspace, { recursive: true });
});
