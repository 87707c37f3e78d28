import { describe, expect, it } from 'vitest';
import { call, say } from './reply.js';
import { byRole, roleOf, turns } from './script.js';
import type { SimRequest } from './simRequest.js';

const request = (parts: Partial<SimRequest>) =>
  ({ thread: 'main', agent: null, tools: [], turn: 0, prompt: 'Build', ...parts }) as SimRequest;

describe('turns', () => {
  const script = turns([call('Bash', { command: 'ls' }), ({ prompt }) => say(`done with ${prompt}`)]);

  it('picks by turn, and asks a function', async () => {
    expect((await script(request({ turn: 0 }))).parts.content).toMatchObject([{ name: 'Bash' }]);
    expect((await script(request({ turn: 1 }))).parts.content).toEqual([{ type: 'text', text: 'done with Build' }]);
  });

  it('throws when it has run out, with the number and the prompt', () => {
    expect(() => script(request({ turn: 2 }))).toThrow('turns() has 2 replies, and this is answer 3 to "Build"');
  });
});

describe('roleOf', () => {
  it.each([
    ['clarify', ['Read', 'mcp__flower__submit_brief']],
    ['goal', ['mcp__flower__submit_goal']],
    ['judge', ['Bash', 'mcp__flower__submit_verdict']],
    ['coordinator', ['Agent', 'Read', 'mcp__flower__submit_handoff']],
    ['oracle', ['Read']],
  ] as const)('is %s with the tools %j', (role, tools) => {
    expect(roleOf(request({ tools }))).toBe(role);
  });

  it('is worker for a worker that may call workers itself', () => {
    expect(roleOf(request({ thread: 'worker', tools: ['Agent'] }))).toBe('worker');
  });
});

describe('byRole', () => {
  const answers = (words: string) => () => say(words);
  const ask = async (scripts: Parameters<typeof byRole>[0], parts: Partial<SimRequest>) => {
    const [block] = (await byRole(scripts)(request(parts))).parts.content;
    return block?.type === 'text' ? block.text : undefined;
  };
  const worker = { thread: 'worker' } as const;

  it('asks the worker of that name, then any worker, then the rest', async () => {
    const scripts = { workers: { coder: answers('coder') }, worker: answers('worker'), other: answers('other') };
    expect(await ask(scripts, { ...worker, agent: 'coder' })).toBe('coder');
    expect(await ask(scripts, { ...worker, agent: 'tester' })).toBe('worker');
    expect(await ask(scripts, { tools: ['Agent'] })).toBe('other');
  });

  it('takes a nameless worker for the only one there is', async () => {
    expect(await ask({ workers: { coder: answers('coder') } }, worker)).toBe('coder');
    expect(
      await ask({ workers: { coder: answers('coder'), tester: answers('tester') }, other: answers('other') }, worker),
    ).toBe('other');
  });

  it('throws for a role without a script', () => {
    expect(() => byRole({})(request({ ...worker, agent: 'coder' }))).toThrow(
      'byRole() has no script for coder, which was told "Build"',
    );
  });
});
