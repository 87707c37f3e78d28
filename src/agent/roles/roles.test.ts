import { afterEach, describe, expect, it } from 'vitest';
import { wantsIsolation } from '../../guards/isolate.js';
import { HumanChannel } from '../../human/humanChannel.js';
import { aliases, setLocale, text } from '../../locale/locale.js';
import type { AgentSpec } from '../agentSpec.js';
import { WORKER_TOOLS } from '../toolLists.js';
import { CLARIFIER_RULES, clarify } from './clarify.js';
import { COORDINATOR_RULES, coordinator } from './coordinator.js';
import { JUDGE_RULES, judge } from './judge.js';
import { ORACLE_RULES, oracle } from './oracle.js';
import { WORKER_RULES, worker } from './worker.js';

const channel = new HumanChannel({ timeoutS: 0, locale: 'en' });
const coder = () => worker('Writes code.', 'You implement.', { locale: 'en' });
const HANDS = ['Write', 'Edit', 'NotebookEdit', 'Bash', 'Agent', 'TodoWrite'];

afterEach(() => setLocale(null));

describe('clarify', () => {
  it('asks and reads, and has no hands', () => {
    const spec = clarify('c', channel);
    expect(spec.allowedTools).toEqual(['mcp__human__ask', 'Read', 'Glob', 'Grep', 'WebFetch', 'WebSearch']);
    expect(spec.allowedTools.filter((tool) => HANDS.includes(tool))).toEqual([]);
    expect(spec).toMatchObject({ workbench: false, submit: 'brief', permissionMode: 'default', preset: true });
    expect(spec).toMatchObject({ delegateOnly: false, glance: false, maxTurns: null, maxBudgetUsd: null });
  });

  it('only asks when it may not read', () => {
    expect(clarify('c', channel, { canRead: false }).allowedTools).toEqual(['mcp__human__ask']);
  });
});

describe('judge', () => {
  it('looks and asks, without shell, web or workbench', () => {
    const spec = judge('j', channel);
    expect(spec.allowedTools).toEqual(['mcp__human__ask', 'Read', 'Glob', 'Grep']);
    expect(spec).toMatchObject({ submit: 'verdict', workbench: false, permissionMode: 'default' });
  });

  it('gets Bash and nothing else from canRun', () => {
    const added = judge('j', channel, { canRun: true }).allowedTools.filter(
      (tool) => !judge('j', channel).allowedTools.includes(tool),
    );
    expect(added).toEqual(['Bash']);
  });

  it('differs as goal setter in the hand-in alone', () => {
    const withoutServer = (spec: AgentSpec) => ({ ...spec, mcpServers: null });
    expect(withoutServer(judge('j', channel, { submit: 'goal' }))).toEqual({
      ...withoutServer(judge('j', channel)),
      submit: 'goal',
    });
    // @ts-expect-error a judge hands in no brief
    expect(() => judge('j', channel, { submit: 'brief' })).toThrow(TypeError);
  });
});

describe('coordinator', () => {
  it('delegates only and is offered no web tools that no worker has', () => {
    const spec = coordinator('x', '', {});
    expect(spec.allowedTools).toEqual(['Agent', 'TodoWrite', 'Read', 'Bash']);
    expect(spec).toMatchObject({ delegateOnly: true, preset: false, glance: true, submit: null, workbench: true });
    expect(spec.permissionMode).toBe('acceptEdits');
    expect(spec.mcpServers).toEqual({});
  });

  it('takes over the web tools of a worker, and no hands', () => {
    const { allowedTools } = coordinator('x', '', { coder: coder() });
    expect(allowedTools).toEqual(['Agent', 'TodoWrite', 'Read', 'Bash', 'WebFetch', 'WebSearch']);
    const offline = worker('Writes code.', 'You implement.', { tools: ['Read', 'WebFetch'] });
    expect(coordinator('x', '', { offline }).allowedTools).not.toContain('WebSearch');
  });

  it('counts a definition without tools as one that has them all', () => {
    const bare = { description: 'd', prompt: 'p' };
    expect(coordinator('x', '', { bare }).allowedTools).toContain('WebFetch');
  });

  it('loses Bash without glance and Read without canRead', () => {
    expect(coordinator('x', '', {}, { glance: false }).allowedTools).not.toContain('Bash');
    expect(coordinator('x', '', {}, { canRead: false }).allowedTools).not.toContain('Read');
  });

  it('has inbox and ask with a channel, in this order', () => {
    const spec = coordinator('x', '', { coder: coder() }, { channel });
    expect(spec.allowedTools.slice(4)).toEqual(['mcp__human__inbox', 'mcp__human__ask', 'WebFetch', 'WebSearch']);
    expect(Object.keys(serversOf(spec))).toEqual(['human']);
  });

  it('keeps the marks of its workers', () => {
    const marked = worker('d', 'p', { isolate: true });
    expect(wantsIsolation(coordinator('x', '', { marked }).agents?.marked)).toBe(true);
  });
});

describe('worker', () => {
  it('has all hands and the rules behind its own prompt', () => {
    const agent = worker('d', 'Mine.', { locale: 'en' });
    expect(agent).toMatchObject({ description: 'd', tools: WORKER_TOOLS, model: 'inherit' });
    expect(agent.tools).not.toBe(WORKER_TOOLS);
    expect(agent.prompt).toBe(`Mine.\n\n${text('rules.worker', {}, 'en')}`);
    expect(wantsIsolation(agent)).toBe(false);
    expect(Object.keys(agent).sort()).toEqual(['description', 'model', 'prompt', 'tools']);
  });

  it('maps its options to the fields of the SDK', () => {
    const agent = worker('d', 'p', {
      discipline: false,
      isolate: true,
      tools: [],
      effort: 'high',
      maxTurns: 0,
      permissionMode: 'plan',
      skills: ['s'],
    });
    expect(agent.prompt).toBe('p');
    expect(wantsIsolation(agent)).toBe(true);
    expect(agent).toMatchObject({ tools: [], effort: 'high', maxTurns: 0, permissionMode: 'plan', skills: ['s'] });
  });
});

describe('oracle', () => {
  it('reads, within its limits, and reaches nobody', () => {
    const spec = oracle();
    expect(spec.allowedTools).toEqual(['Read', 'Glob', 'Grep']);
    expect(spec).toMatchObject({ maxTurns: 12, maxBudgetUsd: 0.5, workbench: true, submit: null });
    expect(spec.mcpServers).toEqual({});
    expect(oracle('o', { maxTurns: null, maxBudgetUsd: undefined })).toMatchObject({
      maxTurns: null,
      maxBudgetUsd: 0.5,
    });
  });
});

describe('every role', () => {
  const roles: Record<string, (instructions: string) => AgentSpec> = {
    coordinator: (instructions) => coordinator('r', instructions, {}, { channel }),
    clarify: (instructions) => clarify('r', channel, { instructions }),
    judge: (instructions) => judge('r', channel, { instructions }),
    oracle: (instructions) => oracle('r', { instructions, locale: 'en' }),
  };

  it.each(Object.keys(roles))('%s puts own instructions behind its rules', (role) => {
    const own = roles[role]?.('Speak plainly.');
    const bare = roles[role]?.('');
    expect(own?.instructions).toBe(`${bare?.instructions}\nSpeak plainly.`);
    expect(bare?.instructions.length).toBeGreaterThan(500);
  });

  it('makes a new server for every query', () => {
    for (const spec of [coordinator('r', '', {}, { channel }), clarify('r', channel), judge('r', channel)]) {
      const first = serversOf(spec).human;
      expect(first).toBeDefined();
      expect(serversOf(spec).human).not.toBe(first);
    }
  });

  it('reads its rules when it is called; the constants keep the locale of the import', () => {
    const atImport = [CLARIFIER_RULES, COORDINATOR_RULES, JUDGE_RULES, ORACLE_RULES, WORKER_RULES];
    for (const locale of ['zh', 'en'] as const) {
      setLocale(locale);
      expect(coordinator('r', '', {}).instructions).toBe(text('rules.coordinator', {}, locale));
      expect(worker('d', 'p').prompt.endsWith(text('rules.worker', {}, locale))).toBe(true);
      expect(oracle().name).toBe(text('role.oracle', {}, locale));
      expect([CLARIFIER_RULES, COORDINATOR_RULES, JUDGE_RULES, ORACLE_RULES, WORKER_RULES]).toEqual(atImport);
    }
  });

  it('speaks the language of its channel, whatever the screen speaks', () => {
    setLocale('en');
    const chinese = new HumanChannel({ timeoutS: 0, locale: 'zh' });
    expect(clarify('c', chinese).instructions).toBe(text('rules.clarifier', {}, 'zh'));
    expect(clarify('c', chinese, { locale: 'en' }).instructions).toBe(text('rules.clarifier', {}, 'en'));
  });

  it('names the sections that the parsers of its locale expect', () => {
    const titles = {
      'rules.clarifier': ['brief.goal', 'brief.accept', 'brief.bounds', 'brief.unknowns'],
      'rules.judge': [
        'goal.statement',
        'goal.checks',
        'verdict.state',
        'verdict.reason',
        'verdict.failed',
        'verdict.items',
      ],
      'handoff.prompt': ['handoff.doing', 'handoff.decided', 'handoff.deadends', 'handoff.next', 'handoff.scene'],
    } as const;
    for (const locale of ['zh', 'en'] as const) {
      for (const [rules, keys] of Object.entries(titles)) {
        const body = text(rules as 'rules.judge', {}, locale).split('\n');
        const expected = keys.map((key) => `## ${text(key, {}, locale)}`);
        expect(body.filter((line) => expected.includes(line))).toEqual(expected);
        for (const key of keys) expect(aliases(key, locale)).toContain(text(key, {}, locale));
      }
    }
  });
});

function serversOf(spec: AgentSpec): Record<string, unknown> {
  return typeof spec.mcpServers === 'function' ? spec.mcpServers() : spec.mcpServers;
}
