import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookJSONOutput } from '@anthropic-ai/claude-agent-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeHarness, type FakeTurn } from '../../test/support/fakeHarness.js';
import { type OneStep, oneStep } from '../../test/support/oneStep.js';
import { coordinator } from '../agent/roles/coordinator.js';
import { worker } from '../agent/roles/worker.js';
import { say } from '../sim/index.js';

let at: OneStep | undefined;
let harness: FakeHarness;
afterEach(async () => {
  await at?.close();
});

async function start(setup: Parameters<typeof oneStep>[1] = {}): Promise<OneStep> {
  harness = new FakeHarness(async function* (turn) {
    yield turn.init();
    yield await turn.answer({ text: 'Done.' });
    yield turn.result();
  });
  at = await oneStep(() => say('not used'), { ...setup, runtime: { query: harness.query, ...setup.runtime } });
  return at;
}

/** What the hooks say to a tool call, all of them together. */
async function decisions(turn: FakeTurn | undefined, tool: string, agent?: string): Promise<(string | undefined)[]> {
  const input = { hook_event_name: 'PreToolUse', tool_name: tool, tool_input: {}, ...(agent && { agent_id: agent }) };
  const matching = (turn?.options.hooks?.PreToolUse ?? []).filter(
    ({ matcher }) => !matcher || new RegExp(`^(${matcher})$`).test(tool),
  );
  const answers = await Promise.all(
    matching
      .flatMap(({ hooks }) => hooks)
      .map((hook) => hook(input as never, undefined, { signal: new AbortController().signal })),
  );
  return answers.map((answer) => {
    const { hookSpecificOutput: said } = answer as Extract<HookJSONOutput, { hookSpecificOutput?: unknown }>;
    return said?.hookEventName === 'PreToolUse' ? said.permissionDecision : undefined;
  });
}

describe('the session of a query', () => {
  it('is in the books before there is a process: what a harness asks for that outlives flower is on the bill', async () => {
    const booked: unknown[] = [];
    const asked: (string | undefined)[] = [];
    const one = await start({
      runtime: {
        query: (parameters) => {
          asked.push(parameters.options?.sessionId ?? parameters.options?.resume);
          booked.push(...one.runtime.books.rows().slice(-1));
          return harness.query(parameters);
        },
      },
    });
    const first = await one.runtime.run(one.spec, 'Begin.');
    const fork = await one.runtime.run(one.spec, 'Aside.', { resume: first.sessionId, fork: true });
    await one.runtime.run(one.spec, 'Go on.', { resume: first.sessionId });
    expect(asked).toEqual([first.sessionId, fork.sessionId, first.sessionId]);
    expect(new Set(asked).size).toBe(2);
    expect(booked).toMatchObject(asked.map((id) => ({ session_id: id, ok: false, error: 'killed-by-signal' })));
  });
});

describe('the first message of a query (case 19)', () => {
  it('of a new session starts with the index; that of a resumed one names what is new, in ten lines at most', async () => {
    const one = await start({ runtime: { workbench: true } });
    const bench = one.runtime.workbench;
    const script = (n: number) => join(bench?.scripts ?? '', `check-${n}.sh`);
    writeFileSync(script(0), '# desc: counts the words\n');
    const first = await one.runtime.run(one.spec, 'Begin.');
    expect(harness.turns[0]?.prompt).toMatch(/^.*check-0\.sh.*counts the words.*\n\nBegin\.$/s);

    const past = Date.now() / 1000 - 3600;
    utimesSync(script(0), past, past);
    await one.runtime.run(one.spec, 'Go on.', { resume: first.sessionId });
    expect(harness.turns[1]?.prompt).toBe('Go on.');

    await new Promise((resolve) => setTimeout(resolve, 5));
    for (let n = 1; n <= 12; n += 1) writeFileSync(script(n), '# desc: new\n');
    await one.runtime.run(one.spec, 'Go on.', { resume: first.sessionId });
    const lines =
      harness.turns[2]?.prompt.split('\n').filter((line) => line.startsWith('- ') || line.includes('more')) ?? [];
    expect(lines).toHaveLength(10);
    expect(harness.turns[2]?.prompt).not.toContain('check-0.sh');
    expect(harness.turns[2]?.prompt).toMatch(/\n\nGo on\.$/);
  });

  it('is the prompt alone for a role that wants no index', async () => {
    const one = await start({ runtime: { workbench: true }, spec: { workbench: false } });
    await one.runtime.run(one.spec, 'Begin.');
    expect(harness.turns[0]?.prompt).toBe('Begin.');
  });
});

describe('a workbench outside the workspace (D8.4)', () => {
  it('is one folder for all that is spilled, and the session may read it', async () => {
    const one = await start({ runtime: { workbench: true, trim: true } });
    await one.runtime.run(one.spec, 'Begin.');
    expect(one.runtime.workbench?.spill).toContain(one.runDir);
    expect(one.runtime.store.policy.spillDir).toBe(one.runtime.workbench?.spill);
    expect(harness.turns[0]?.options.additionalDirectories).toEqual([one.runtime.workbench?.root]);
  });
});

describe('the walls of a coordinator', () => {
  it('do not depend on a workbench: its own Write is denied, that of its worker is not (case 18)', async () => {
    const one = await start({ runtime: { workbench: false } });
    await one.runtime.run(coordinator('work', '', { coder: worker('Writes.', 'You write.') }), 'Begin.');
    expect(await decisions(harness.turns[0], 'Write')).toContain('deny');
    expect(await decisions(harness.turns[0], 'Write', 'a1')).not.toContain('deny');
  });
});

describe('the environment of the harness (R9.15)', () => {
  it('has the settings that keep the two retryings apart, and the spec wins', async () => {
    const one = await start({ spec: { env: { CLAUDE_CODE_MAX_RETRIES: '5' } } });
    await one.runtime.run(one.spec, 'Begin.');
    expect(harness.turns[0]?.options.env).toMatchObject({
      CLAUDE_CODE_MAX_RETRIES: '5',
      CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '120000',
    });
  });
});
