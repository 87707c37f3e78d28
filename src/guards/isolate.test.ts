import type { AgentDefinition } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it, vi } from 'vitest';
import { preToolUse } from '../../test/contract/guardsCalls.js';
import { isolated, isolateGuard, wantsIsolation } from './isolate.js';

const agent = (): AgentDefinition => ({ description: 'd', prompt: 'p' });

describe('isolated', () => {
  it('R6.40 marks the same object, and takes the mark off', () => {
    const coder = agent();
    expect(isolated(coder)).toBe(coder);
    expect(wantsIsolation(coder)).toBe(true);
    expect(isolated(coder, false)).toBe(coder);
    expect(wantsIsolation(coder)).toBe(false);
  });

  it('R6.40 survives spread and Object.assign, and JSON does not see it', () => {
    const coder = isolated(agent());
    expect(wantsIsolation({ ...coder, model: 'haiku' })).toBe(true);
    expect(wantsIsolation(Object.assign(agent(), coder))).toBe(true);
    expect(JSON.stringify(coder)).toBe(JSON.stringify(agent()));
  });

  it('R6.40 marks a copy of a frozen or sealed object', () => {
    for (const closed of [Object.freeze(agent()), Object.seal(agent()), Object.freeze(isolated(agent()))]) {
      expect(wantsIsolation(isolated(closed))).toBe(true);
      expect(wantsIsolation(isolated(closed, false))).toBe(false);
    }
  });

  it('R6.41 null and undefined want none', () => {
    expect(wantsIsolation(null)).toBe(false);
    expect(wantsIsolation(undefined)).toBe(false);
  });
});

describe('isolateGuard', () => {
  const agents = { coder: isolated(agent()), reader: agent() };
  const dispatch = { subagent_type: 'coder', description: 'build it', prompt: 'No worktrees, please.' };

  it('R6.42 gives a marked agent a worktree and keeps the whole input', async () => {
    const onInject = vi.fn();
    expect(await preToolUse(isolateGuard(agents, { onInject }), 'Agent', dispatch)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { ...dispatch, isolation: 'worktree' },
      },
    });
    expect(onInject).toHaveBeenCalledExactlyOnceWith('coder', 'build it');
  });

  it('R6.42 also under the old name of the tool and inside a worker', async () => {
    expect(await preToolUse(isolateGuard(agents), 'Task', dispatch)).toHaveProperty('hookSpecificOutput');
    expect(await preToolUse(isolateGuard(agents), 'Agent', dispatch, { agent_id: 'a1' })).toHaveProperty(
      'hookSpecificOutput',
    );
  });

  it.each([
    ['an explicit folder', 'Agent', { ...dispatch, cwd: '/x' }],
    ['an explicit isolation', 'Agent', { ...dispatch, isolation: 'remote' }],
    ['an agent without the mark', 'Agent', { ...dispatch, subagent_type: 'reader' }],
    ['an unknown agent', 'Agent', { ...dispatch, subagent_type: 'toString' }],
    ['no agent', 'Agent', { prompt: 'x' }],
    ['another tool', 'Bash', dispatch],
  ])('R6.42 adds nothing for %s', async (_, tool, input) => {
    const onInject = vi.fn();
    expect(await preToolUse(isolateGuard(agents, { onInject }), tool, input)).toEqual({});
    expect(onInject).not.toHaveBeenCalled();
  });

  it('a listener that throws costs no dispatch', async () => {
    const onInject = () => {
      throw new Error('boom');
    };
    expect(await preToolUse(isolateGuard(agents, { onInject }), 'Agent', dispatch)).toHaveProperty(
      'hookSpecificOutput.updatedInput.isolation',
      'worktree',
    );
  });
});
