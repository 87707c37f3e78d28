import { describe, expect, it } from 'vitest';
import { AgentSpec } from './agentSpec.js';
import { buildOptions } from './buildOptions.js';
import { CompactPolicy } from './compactPolicy.js';

const plain = new AgentSpec({ name: 'reader', instructions: 'Read.' });
const worker = { description: 'does things', prompt: 'Do things.' };
const delegate = new AgentSpec({
  name: 'boss',
  instructions: 'Delegate.',
  allowedTools: ['Agent', 'TodoWrite', 'Read', 'mcp__human__ask'],
  agents: { a: { ...worker, tools: ['Bash', 'Write'] }, b: worker },
  delegateOnly: true,
  preset: false,
});

describe('buildOptions', () => {
  it('reads no host configuration and leaves nothing to a prompt', () => {
    const options = buildOptions(plain);
    expect(options).toMatchObject({
      settingSources: [],
      permissionMode: 'default',
      permissionPrompts: 'none',
      verbatimPrompts: true,
      skills: [],
      tools: ['Read', 'Glob', 'Grep'],
      allowedTools: ['Read', 'Glob', 'Grep'],
      systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Read.', snapshot: false },
    });
    for (const absent of ['env', 'hooks', 'agent', 'agents', 'plugins', 'mcpServers'])
      expect(options).not.toHaveProperty(absent);
  });

  it('takes the project in only when asked, and a prelude behind the instructions', () => {
    expect(buildOptions(plain, { portable: false }).settingSources).toEqual(['project']);
    expect(buildOptions(plain, { prelude: 'P' }).systemPrompt).toMatchObject({ append: 'Read.\n\nP' });
  });

  it('refuses fork and resumeAt without a session to start from', () => {
    expect(() => buildOptions(plain, { fork: true })).toThrow(/fork needs resume/);
    expect(() => buildOptions(plain, { resumeAt: 'x' })).toThrow(/resumeAt needs resume/);
    expect(buildOptions(plain, { resume: 's', fork: true, resumeAt: 'm' })).toMatchObject({
      resume: 's',
      forkSession: true,
      resumeSessionAt: 'm',
    });
  });

  it('puts the spec over the base environment and the compact policy over the spec', () => {
    const spec = plain.with({
      env: { A: '1', DISABLE_AUTO_COMPACT: 'spec' },
      compact: new CompactPolicy({ mode: 'no_summary' }),
    });
    expect(buildOptions(spec).env).toMatchObject({ PATH: process.env.PATH, A: '1', DISABLE_AUTO_COMPACT: '1' });
    expect(buildOptions(spec, { env: { B: '2', A: 'base' } }).env).toEqual({
      A: '1',
      B: '2',
      DISABLE_AUTO_COMPACT: '1',
    });
  });

  it('passes a limit of 0 on and leaves null out', () => {
    expect(buildOptions(plain.with({ maxTurns: 0 }))).toHaveProperty('maxTurns', 0);
    expect(buildOptions(plain)).not.toHaveProperty('maxTurns');
  });

  it('binds a delegate-only role to its own positive list and gives the session the union', () => {
    for (const resume of [null, 'session']) {
      const options = buildOptions(delegate, { resume, tools: ['mcp__flower__submit_handoff'] });
      expect(options.agent).toBe('coordinator');
      expect(options.agents?.coordinator).toMatchObject({
        prompt: 'Delegate.',
        tools: ['Agent(a)', 'Agent(b)', 'TodoWrite', 'Read', 'mcp__human__ask', 'mcp__flower__submit_handoff'],
      });
      expect(options.tools).toEqual(
        expect.arrayContaining(['Agent', 'TodoWrite', 'Read', 'Bash', 'Write', 'Edit', 'Glob', 'Grep', 'WebFetch']),
      );
      expect(options.tools).not.toContain('mcp__human__ask');
      expect(options.allowedTools).toContain('mcp__human__ask');
      expect(options.systemPrompt).toEqual({ type: 'custom', prompt: '', snapshot: false });
    }
    expect(() => buildOptions(delegate.with({ agents: { coordinator: worker } }))).toThrow(
      /must not be named 'coordinator'/,
    );
  });

  it('loads the plugin only for a worker with skills', () => {
    const skilled = delegate.with({ agents: { a: { ...worker, tools: ['Read'], skills: ['x'] } } });
    const options = buildOptions(skilled, { pluginDir: '/tmp' });
    expect(options.plugins).toEqual([{ type: 'local', path: '/tmp' }]);
    expect(options.agents?.a?.tools).toEqual(['Read', 'Skill']);
    expect(options.tools).toContain('Skill');
    expect(buildOptions(skilled, { pluginDir: '/tmp', usePlugin: false }).skills).toEqual([]);
  });

  it('builds in-process servers anew for each query', () => {
    let built = 0;
    const servers = () => {
      built += 1;
      return { x: { type: 'stdio' as const, command: `server-${built}` } };
    };
    const spec = plain.with({ mcpServers: servers });
    buildOptions(spec);
    expect(buildOptions(spec).mcpServers).toEqual({ x: { type: 'stdio', command: 'server-2' } });
  });
});

describe('AgentSpec', () => {
  it('shares no array or map between copies and carries every field over', () => {
    const copy = delegate.with({ name: 'other' });
    expect({ ...copy, name: 'boss' }).toEqual({ ...delegate });
    expect(copy.allowedTools).not.toBe(delegate.allowedTools);
    expect(copy.env).not.toBe(delegate.env);
  });

  it('names the option that is wrong', () => {
    expect(() => new AgentSpec({ name: ' ', instructions: '' })).toThrow(/AgentSpec: name must be/);
    expect(() => plain.with({ maxBudgetUsd: -1 })).toThrow(/maxBudgetUsd must be/);
    expect(() => new CompactPolicy({ mode: 'x' as 'auto' })).toThrow(/mode must be auto, no_summary or off/);
    expect(new CompactPolicy({ window: 150_000 }).env()).toEqual({ CLAUDE_CODE_AUTO_COMPACT_WINDOW: '150000' });
  });
});
