import { afterEach, describe, expect, it, vi } from 'vitest';
import { denialOf, preToolUse } from '../../test/contract/guardsCalls.js';
import { type GuardDecision, preToolGuard } from './preToolGuard.js';

afterEach(() => vi.useRealTimers());

describe('preToolGuard', () => {
  it('R6.4 blocks in the harness as well: on failure, and after 30 seconds', () => {
    expect(preToolGuard('x', () => 'pass', { matcher: 'Bash' })).toMatchObject({
      matcher: 'Bash',
      onFailure: 'block',
      timeout: 30,
    });
    expect(preToolGuard('x', () => 'pass')).not.toHaveProperty('matcher');
  });

  it('R6.2 passes with an empty answer and denies with the reason', async () => {
    expect(
      await preToolUse(
        preToolGuard('x', () => 'pass'),
        'Bash',
      ),
    ).toEqual({});
    expect(
      await preToolUse(
        preToolGuard('x', () => ({ deny: 'no' })),
        'Bash',
      ),
    ).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
    });
  });

  const broken: [string, () => GuardDecision | Promise<GuardDecision>][] = [
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
    ...[
      undefined,
      null,
      {},
      { decision: 'perhaps' },
      'allow',
      true,
      { deny: 5 },
      { rewrite: 'x' },
      { rewrite: null },
    ].map(
      (answer) => [`answers ${JSON.stringify(answer)}`, () => answer as GuardDecision] as [string, () => GuardDecision],
    ),
  ];
  it.each(broken)('C07 a guard that %s denies, and says that the check failed', async (_, decide) => {
    const reason = denialOf(await preToolUse(preToolGuard('my-guard', decide, { locale: 'en' }), 'Bash'));
    expect(reason).toContain('flower');
    expect(reason).toContain('my-guard');
    expect(reason).toContain('not because a person');
  });

  it('C07 a guard that never settles denies before the harness gives up', async () => {
    vi.useFakeTimers();
    const answer = preToolUse(
      preToolGuard('slow', () => new Promise(() => {}), { locale: 'en' }),
      'Bash',
    );
    await vi.advanceTimersByTimeAsync(29_000);
    expect(denialOf(await answer)).toContain('slow');
  });

  it('tells which guard failed and how, whatever the listener does', async () => {
    const error = new Error('boom');
    const onFailure = vi.fn(() => {
      throw new Error('listener');
    });
    const guard = preToolGuard(
      'mine',
      () => {
        throw error;
      },
      { onFailure },
    );
    expect(denialOf(await preToolUse(guard, 'Bash'))).not.toBeNull();
    expect(onFailure).toHaveBeenCalledExactlyOnceWith('mine', error);
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers();
    await preToolUse(
      preToolGuard('x', () => 'pass'),
      'Bash',
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it('R6.1 tells the main thread by the missing agent id alone', async () => {
    const seen: boolean[] = [];
    const guard = preToolGuard('x', ({ mainThread }) => {
      seen.push(mainThread);
      return 'pass';
    });
    await preToolUse(guard, 'Bash', {}, {});
    await preToolUse(guard, 'Bash', {}, { agent_id: '' });
    await preToolUse(guard, 'Bash', {}, { agent_type: 'coordinator' });
    await preToolUse(guard, 'Bash', {}, { agent_id: 'a1', agent_type: 'coder' });
    expect(seen).toEqual([true, true, true, false]);
  });
});
