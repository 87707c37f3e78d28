import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HandoffPolicy } from '../../src/agent/handoffPolicy.js';
import { Runtime } from '../../src/runtime/runtime.js';
import { call, type Reply, type SimRequest, say } from '../../src/sim/index.js';
import { type OneStep, oneStep } from '../support/oneStep.js';

let at: OneStep | undefined;
afterEach(async () => {
  await at?.close();
});

const ls = (n: number) => call('Bash', { command: `echo ${n}`, description: `step ${n}` });
const HANDOFF = {
  doing: 'Half of the parser.',
  decided: '',
  deadends: '',
  next: 'Write the other half.',
  scene: 'parser.ts',
};

describe('a full context becomes a document and a fresh session', () => {
  it('hands over once, at a boundary, and the successor goes on from the document', async () => {
    const script = (request: SimRequest): Reply => {
      if (request.prompt.includes('mcp__flower__submit_handoff')) {
        return request.turn === 0 ? call('mcp__flower__submit_handoff', HANDOFF) : say('Handed in.');
      }
      if (request.prompt.includes('taking over')) return say('The other half is written.');
      return request.turn === 0 ? ls(1).usage({ input_tokens: 160_000 }) : say('Not reached.');
    };
    at = await oneStep(script, { runtime: { workbench: true, handoff: new HandoffPolicy({ window: 200_000 }) } });
    const result = await at.runtime.run(at.spec, 'Write the parser.', { onEvent: (event) => at?.events.push(event) });

    expect(at.sim.faults).toEqual([]);
    expect(result).toMatchObject({ ok: true, error: null, attempts: 1, text: 'The other half is written.' });
    expect(result.retired).toHaveLength(1);
    expect(result.sessionId).not.toBe(result.retired[0]);
    const prompts = [...new Set(at.sim.requests.map((request) => request.prompt))];
    expect(prompts).toHaveLength(3);
    expect(prompts[2]).toContain('Write the other half.');
    expect(prompts[2]).not.toContain('Write the parser.');
    const phases = at.events.filter(({ kind }) => kind === 'handoff').map(({ payload }) => payload.phase);
    expect(phases).toEqual(['near', 'writing', 'done']);
    expect(readFileSync(join(at.runDir, 'workbench', 'notes', 'handoff-work.md'), 'utf8')).toContain(
      'Half of the parser.',
    );
    expect(result.costUsd).toBeCloseTo(at.sim.meter.total().costUsd, 9);
  });

  it('stops after two that could not be written', async () => {
    const script = (request: SimRequest): Reply =>
      request.turn === 0 && !request.prompt.includes('submit_handoff')
        ? ls(1).usage({ input_tokens: 160_000 })
        : say('No.');
    at = await oneStep(script, { runtime: { workbench: true, handoff: new HandoffPolicy({ window: 200_000 }) } });
    const result = await at.runtime.run(at.spec, 'Write the parser.');
    expect(result.ok).toBe(false);
    expect(result.retired).toHaveLength(2);
    expect(result.error).toMatch(/degraded.*burn/s);
    expect(readdirSync(join(at.runDir, 'workbench', 'notes', 'archive', 'handoff'))).toHaveLength(1);
  });
});

describe('an interrupt', () => {
  it('stops at the boundary and goes on in the same session with the words', async () => {
    at = await oneStep((request) =>
      request.prompt.includes('use port 8081') ? say('Port 8081 it is.') : ls(request.turn),
    );
    const { runtime } = at;
    const result = await runtime.run(at.spec, 'Start the server.', {
      onEvent: (event) => {
        if (event.kind === 'tool_result') runtime.interrupt(Promise.resolve('use port 8081'));
      },
    });
    expect(result).toMatchObject({ ok: true, attempts: 1, resumed: true, text: 'Port 8081 it is.' });
    expect(new Set(at.sim.requests.map((request) => request.session)).size).toBe(1);
    const resumed = at.sim.requests.at(-1);
    expect(resumed?.prompt).toContain('side effect');
    expect(JSON.stringify(resumed?.messages)).toContain('a person interrupted here');
  });

  it('cuts a turn that has no boundary after its grace', async () => {
    const script = (request: SimRequest): Reply =>
      request.prompt.includes('interrupted') ? say('On.') : call('Bash', { command: 'sleep 19', timeout: 60_000 });
    at = await oneStep(script, { runtime: { interruptGraceS: 0.2 } });
    const { runtime } = at;
    const result = await runtime.run(at.spec, 'Wait.', {
      onEvent: (event) => {
        if (event.kind === 'tool_call') runtime.interrupt();
      },
    });
    expect(result).toMatchObject({ ok: true, text: 'On.', attempts: 1 });
  });
});

describe('a budget', () => {
  const spend = (request: SimRequest) => ls(request.turn).usage({ output_tokens: 10_000 });

  it('of the run ends it, says so at 80 %, and is not refilled by a restart', async () => {
    at = await oneStep(spend, { runtime: { maxBudgetUsd: 0.9 } });
    const result = await at.runtime.run(at.spec, 'Work.', { onEvent: (event) => at?.events.push(event) });
    expect(result).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED });
    expect(result.costUsd).toBeCloseTo(at.sim.meter.total().costUsd, 9);
    expect(at.events.filter(({ kind }) => kind === 'task').map(({ payload }) => payload.budget)).toEqual([
      'near',
      'used',
    ]);
    const requests = at.sim.requests.length;
    const later = await at.again({ maxBudgetUsd: null }).run(at.spec, 'More.');
    expect(later).toMatchObject({ ok: false, error: Runtime.BUDGET_EXHAUSTED });
    expect(at.sim.requests.length).toBe(requests);
  });

  it('of a step is counted over its attempts', async () => {
    at = await oneStep(spend, { spec: { maxBudgetUsd: 0.5 } });
    const result = await at.runtime.run(at.spec, 'Work.');
    expect(result.error).toMatch(/^error_max_budget_usd/);
    expect(result.attempts).toBe(1);
  });
});
