import type { AgentDefinition, HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { denialOf, preToolUse } from '../../test/contract/guardsCalls.js';
import { whitelistGuard } from './whitelistGuard.js';

const worker = (tools?: string[]): AgentDefinition => ({ description: 'd', prompt: 'p', ...(tools && { tools }) });
const matched = (...args: Parameters<typeof whitelistGuard>) =>
  whitelistGuard(...args)
    ?.matcher?.split('|')
    .sort() ?? null;

describe('whitelistGuard', () => {
  it('R6.10 R6.11 bans shells, writing and dispatching that the list lacks', () => {
    const all = ['Agent', 'Bash', 'Edit', 'Monitor', 'NotebookEdit', 'PowerShell', 'Task', 'Write'];
    expect(matched(['Read', 'Glob', 'Grep'])).toEqual(all);
    expect(matched(null)).toEqual(all);
    expect(matched(undefined)).toEqual(all);
    expect(matched([])).toEqual(all);
  });

  it('R6.14 a judge that may run keeps its shells and still cannot write', () => {
    expect(matched(['Read', 'Bash'])).toEqual(['Agent', 'Edit', 'NotebookEdit', 'Task', 'Write']);
  });

  it('R6.10 is no hook at all when nothing is banned', () => {
    expect(whitelistGuard(['Bash', 'Write', 'Edit', 'NotebookEdit', 'Agent'])).toBeNull();
    expect(whitelistGuard(['Bash(git:*)', 'Write', 'Edit', 'NotebookEdit', 'Agent(coder)'])).toBeNull();
  });

  it('R6.11 bans the dispatch tools only for roles without workers', () => {
    expect(matched(['Read'], { agents: { coder: worker(['Read']) } })).not.toContain('Agent');
    expect(matched(['Read'], { agents: {} })).toContain('Agent');
  });

  it('Z94 bans what only the workers have, on the main thread', async () => {
    const guard = whitelistGuard(['Read'], { role: 'lead', agents: { coder: worker() } });
    if (!guard) throw new Error('there must be a guard');
    for (const tool of ['WebFetch', 'WebSearch', 'Grep', 'Glob', 'TodoWrite', 'Bash', 'Write']) {
      expect(denialOf(await preToolUse(guard, tool)), tool).toContain(tool);
      expect(await preToolUse(guard, tool, {}, { agent_id: 'a1' }), tool).toEqual({});
    }
    expect(await preToolUse(guard, 'Read')).toEqual({});
    expect(await preToolUse(guard, 'Agent')).toEqual({});
  });

  it('Z94 knows tools of MCP servers and a whole server on the list', () => {
    const agents = { coder: worker(['Read', 'mcp__db__query', 'mcp__flower__ask']) };
    expect(matched(['Read', 'mcp__flower'], { agents })).toContain('mcp__db__query');
    expect(matched(['Read', 'mcp__flower'], { agents })).not.toContain('mcp__flower__ask');
    expect(matched(['Read', 'mcp__flower__*', 'mcp__db__query'], { agents })).not.toContain('mcp__flower__ask');
  });

  it('Z94 bans a server that a worker has whole, but for the tools on the list', async () => {
    const guard = whitelistGuard(['Read', 'mcp__db__query'], { agents: { coder: worker(['mcp__db']) } });
    expect(guard?.matcher?.split('|')).toContain('mcp__db__.*');
    expect(denialOf(await preToolUse(guard as HookCallbackMatcher, 'mcp__db__drop'))).not.toBeNull();
    expect(await preToolUse(guard as HookCallbackMatcher, 'mcp__db__query')).toEqual({});
    expect(await preToolUse(guard as HookCallbackMatcher, 'mcp__dbx__drop')).toEqual({});
  });

  it('R6.12 R6.13 denies on the main thread with role, tool and "intended"', async () => {
    const guard = whitelistGuard(['Read'], { role: 'clarify', locale: 'en' });
    if (!guard) throw new Error('there must be a guard');
    const reason = denialOf(await preToolUse(guard, 'Write', { file_path: '/x' }));
    for (const part of ['flower', 'clarify', 'Write', 'intended']) expect(reason).toContain(part);
    expect(await preToolUse(guard, 'Write', {}, { agent_id: 'a1' })).toEqual({});
  });

  it('R6.13 names the role in the locale if it has no name', async () => {
    const guard = whitelistGuard([], { locale: 'zh' });
    if (!guard) throw new Error('there must be a guard');
    const reason = denialOf(await preToolUse(guard, 'Bash'));
    expect(reason).toContain('这个角色');
    expect(reason).toContain('有意的');
  });
});
