import type { HookCallback, HookJSONOutput } from '@anthropic-ai/claude-agent-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { denialOf, preToolUse } from '../../test/contract/guardsCalls.js';
import { failClosed } from './failClosed.js';

afterEach(() => vi.useRealTimers());

function protectedHook(hook: HookCallback, timeout?: number) {
  const [matcher] =
    failClosed({ PreToolUse: [{ matcher: 'Bash', hooks: [hook], ...(timeout && { timeout }) }] }, { locale: 'en' })
      .PreToolUse ?? [];
  if (!matcher) throw new Error('the matcher is gone');
  return matcher;
}

describe('failClosed (D10.4)', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'deny'],
    ['a list', []],
    ['an unknown decision', { decision: 'perhaps' }],
    ['a decision in capitals', { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'DENY' } }],
    ['a rewrite that is no object', { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: 'x' } }],
    ['no details', { hookSpecificOutput: null }],
    ['later', { async: true }],
  ])('C07 a hook that answers %s denies', async (_, answer) => {
    async function myGuard() {
      return answer as HookJSONOutput;
    }
    expect(denialOf(await preToolUse(protectedHook(myGuard), 'Bash'))).toContain('myGuard');
  });

  it.each<[string, HookJSONOutput]>([
    ['no opinion', {}],
    ['an old decision', { decision: 'block', reason: 'no' }],
    [
      'a denial',
      {
        hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
      },
    ],
    ['a question', { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }],
    ['a rewrite', { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'ls' } } }],
    ['an end', { continue: false, stopReason: 'enough' }],
  ])('hands on %s', async (_, answer) => {
    expect(
      await preToolUse(
        protectedHook(async () => answer),
        'Bash',
      ),
    ).toBe(answer);
  });

  it('keeps a time that the hook has of its own', async () => {
    vi.useFakeTimers();
    const matcher = protectedHook(() => new Promise(() => {}), 3600);
    expect(matcher).toMatchObject({ matcher: 'Bash', timeout: 3600, onFailure: 'block' });
    const settled = vi.fn();
    preToolUse(matcher, 'Bash').then(settled);
    await vi.advanceTimersByTimeAsync(3_590_000);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(settled).toHaveBeenCalledOnce();
  });

  it('leaves other events and its argument alone', () => {
    const stop = { hooks: [] };
    const before = { hooks: [async () => ({})] };
    const hooks = { PreToolUse: [before], Stop: [stop] };
    expect(failClosed(hooks).Stop).toEqual([stop]);
    expect(hooks.PreToolUse[0]).toBe(before);
    expect(before).not.toHaveProperty('onFailure');
    expect(failClosed({})).toEqual({});
  });
});
