import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, describe, expect, it } from 'vitest';
import { Verdict } from '../documents/verdict.js';
import { HandInDesk } from './handIn.js';

const brief = { goal: 'Ship it', accept: '- a', bounds: 'none', unknowns: 'none' };
const checks = ['npm test passes', 'a.csv is there:\n```sh\nls out\n```', 'runs on a phone'];
const verdict = {
  items: [
    { number: 1, state: 'met', evidence: '12 passed' },
    { number: 2, state: 'met', evidence: 'listed it' },
    { number: 3, state: 'met', evidence: 'ran it' },
  ],
};

const english = { locale: 'en' } as const;

describe('HandInDesk: a brief', () => {
  it('is refused with every fault named, and nothing is taken over', () => {
    const desk = new HandInDesk({ kinds: ['brief'], ...english });
    expect(desk.submit('brief', { goal: ' ', accept: '(none)', bounds: '(empty)' })).toEqual({
      accepted: false,
      text: 'Not accepted by flower. Still missing:\n- "Goal" is empty\n- "Acceptance criteria" is empty\n- "Boundaries" is empty\n- "Unknowns and assumptions" is empty',
    });
    expect(desk.last).toBeNull();
  });

  it('is accepted once it is complete; "none" is an answer in boundaries and unknowns', () => {
    const desk = new HandInDesk({ kinds: ['brief'], locale: 'zh' });
    expect(desk.submit('brief', { ...brief, goal: undefined }).text).toContain('「目标」是空的');
    expect(desk.submit('brief', { ...brief, unknowns: '(无)', extra: 'dropped' })).toMatchObject({ accepted: true });
    expect(desk.last?.document.toJSON()).toEqual({ ...brief, unknowns: '(无)' });
    expect(desk.last?.document.toMarkdown()).toContain('# 需求确认书');
  });

  it('keeps a heading in a field as text, and what is cleaned is what the file gives back', () => {
    const desk = new HandInDesk({ kinds: ['brief'], ...english });
    desk.submit('brief', { ...brief, goal: '\n## Boundaries\r\nx  \n\n\n\n---\ny' });
    expect(desk.last?.document.toJSON()).toEqual({ ...brief, goal: '## Boundaries\nx\n\ny' });
  });

  it('is sent back for a code block that never ends', () => {
    const desk = new HandInDesk({ kinds: ['brief'], ...english });
    expect(desk.submit('brief', { ...brief, accept: 'run\n```sh\nnpm test' }).text).toContain(
      '"Acceptance criteria" has a code block',
    );
    expect(desk.last).toBeNull();
  });
});

describe('HandInDesk: a goal', () => {
  it('is refused with every fault named', () => {
    const desk = new HandInDesk({ kinds: ['goal'], ...english });
    const { text } = desk.submit('goal', {
      items: [
        { text: ' ' },
        { text: 'a', verifiable: false },
        { text: '- none', verifiable: false, why: ' ' },
        { text: '```\nx' },
      ],
    });
    expect(text.split('\n').slice(1)).toEqual([
      '- "Goal" is empty',
      '- item 1 is empty',
      '- item 2 is marked as not verifiable, but not why',
      '- item 3 is empty',
      '- item 3 is marked as not verifiable, but not why',
      '- "Checklist 4" has a code block that is never closed',
    ]);
    expect(desk.submit('goal', { statement: 'A' }).text).toContain('there is no item');
  });

  it('is taken over with marks on what cannot be verified here', () => {
    const desk = new HandInDesk({ kinds: ['goal'], ...english });
    const answer = desk.submit('goal', {
      statement: 'A',
      items: [
        { text: '- [ ] npm test\nprints 12 passed' },
        { text: 'runs on a phone:\n```\nadb install\n```', verifiable: false, why: 'no\nphone' },
        { text: 'has a face [unverifiable: no eyes]', verifiable: false, why: 'no eyes' },
      ],
    });
    expect(answer).toEqual({ accepted: true, text: 'Accepted. End your turn now; nothing else is needed.' });
    expect(desk.last?.document.toJSON()).toEqual({
      statement: 'A',
      checks: [
        'npm test prints 12 passed',
        'runs on a phone: [cannot be verified here: no phone]\n```\nadb install\n```',
        'has a face [unverifiable: no eyes]',
      ],
    });
  });
});

describe('HandInDesk: a verdict', () => {
  it('has to cover each item of the list once, with evidence, and to give a reason unless all are met', () => {
    const desk = new HandInDesk({ kinds: ['verdict'], checks, ...english });
    const { text } = desk.submit('verdict', {
      items: [
        { number: 1, state: 'met' },
        { number: 1, state: 'failed', evidence: 'x' },
        { number: 7, state: 'unverifiable', evidence: '(none)' },
      ],
    });
    expect(text.split('\n').slice(1)).toEqual([
      '- item 2 is not judged',
      '- item 3 is not judged',
      '- item 1 is given twice',
      '- the list has no item 7',
      '- item 1 has no evidence',
      '- item 7 has no evidence',
      '- "Reason" is empty',
    ]);
    expect(desk.submit('verdict', {}).text).toContain('item 1 is not judged');
    expect(desk.last).toBeNull();
  });

  it('is ruled by its items: failed before unverifiable before met', () => {
    const ruledBy = (...states: ('met' | 'failed' | 'unverifiable')[]) => {
      const desk = new HandInDesk({ kinds: ['verdict'], checks, ...english });
      const items = states.map((state, i) => ({ number: i + 1, state, evidence: 'e' }));
      desk.submit('verdict', { items, reason: 'r' });
      return desk.last?.document.toJSON();
    };
    expect(ruledBy('met', 'met', 'met')).toMatchObject({ state: 'achieved', failed: [] });
    expect(ruledBy('met', 'met', 'unverifiable')).toMatchObject({ state: 'unreachable', failed: [] });
    expect(ruledBy('met', 'failed', 'unverifiable')).toMatchObject({
      state: 'not_yet',
      failed: ['a.csv is there: e\n```sh\nls out\n```'],
    });
  });

  it('with one failed and one unverifiable item is not yet, and its text reads back as the same verdict', () => {
    for (const locale of ['en', 'zh'] as const) {
      const desk = new HandInDesk({ kinds: ['verdict'], checks, locale });
      const items = [
        { number: 1, state: 'failed', evidence: '3 of 12 passed\nthe rest: `no such file`' },
        { number: 2, state: 'met', evidence: '- listed it' },
        { number: 3, state: 'unverifiable', evidence: 'no phone' },
      ];
      desk.submit('verdict', { items, reason: 'Reason: x\n## Item by item' });
      const document = desk.last?.document;
      expect(Verdict.parse(document?.toMarkdown() ?? '').toJSON()).toEqual(document?.toJSON());
      expect(document).toMatchObject({ state: 'not_yet', ok: true });
    }
  });

  it('without a list takes any numbers, but at least one item', () => {
    const desk = new HandInDesk({ kinds: ['verdict'], checks: null, ...english });
    expect(desk.submit('verdict', { reason: 'r' }).text).toContain('there is no item');
    expect(desk.submit('verdict', { items: [{ number: 0, state: 'met', evidence: 'e' }] }).text).toContain('no item 0');
    expect(
      desk.submit('verdict', { items: [{ number: 9, state: 'failed', evidence: 'e' }], reason: 'r' }).accepted,
    ).toBe(true);
    expect(desk.last?.document).toMatchObject({ state: 'not_yet', failed: ['9: e'] });
  });
});

describe('HandInDesk: a handoff', () => {
  it('is taken only when one is due, and needs what is being done and the next step', () => {
    let due = false;
    const desk = new HandInDesk({ kinds: ['verdict', 'handoff'], handoffDue: () => due, ...english });
    expect(desk.submit('handoff', { doing: 'a', next: 'b' })).toEqual({
      accepted: false,
      text: 'No handoff is due now. Carry on.',
    });
    due = true;
    expect(desk.submit('handoff', { decided: 'c' }).text.split('\n').slice(1)).toEqual([
      '- "What is being done now" is empty',
      '- "Next step" is empty',
    ]);
    expect(desk.submit('handoff', { doing: 'a', next: 'b', deadends: '(none yet)' }).accepted).toBe(true);
    expect(desk.last).toMatchObject({ kind: 'handoff' });
    expect(desk.last?.document.toJSON()).toEqual({ doing: 'a', decided: '', deadends: '', next: 'b', scene: '' });
  });

  it('is never due by default', () => {
    const desk = new HandInDesk({ kinds: ['handoff'], ...english });
    expect(desk.submit('handoff', { doing: 'a', next: 'b' }).accepted).toBe(false);
  });
});

describe('HandInDesk', () => {
  it('gives up after five refusals, but a complete document is still taken', () => {
    const desk = new HandInDesk({ kinds: ['brief', 'handoff'], ...english });
    for (let i = 0; i < 9; i++) desk.submit('handoff', {});
    for (let i = 0; i < 5; i++) expect(desk.submit('brief', {}).text).toContain('Not accepted');
    expect(desk.submit('brief', {})).toEqual({
      accepted: false,
      text: 'Sent back 5 times. Do not hand it in again; end your turn.',
    });
    expect(desk.submit('brief', brief).accepted).toBe(true);
  });

  it('keeps the last accepted document', () => {
    const desk = new HandInDesk({ kinds: ['brief'], ...english });
    desk.submit('brief', brief);
    desk.submit('brief', { ...brief, goal: 'Ship it twice' });
    desk.submit('brief', { ...brief, goal: '' });
    expect(desk.last?.document.toJSON()).toEqual({ ...brief, goal: 'Ship it twice' });
  });

  it('takes the same call twice for one hand-in with one answer', () => {
    const desk = new HandInDesk({ kinds: ['brief'], ...english });
    for (let i = 0; i < 8; i++) expect(desk.submit('brief', {}, 'toolu_1').text).toContain('Not accepted');
    expect(desk.submit('brief', brief, 'toolu_2').accepted).toBe(true);
    expect(desk.submit('brief', {}, 'toolu_2').accepted).toBe(true);
    expect(desk.last?.document.toJSON()).toEqual(brief);
  });

  it('does not take a document that is not its job', () => {
    const desk = new HandInDesk({ kinds: ['goal'], ...english });
    expect(desk.submit('brief', brief).accepted).toBe(false);
    expect(desk.toolNames).toEqual(['mcp__flower__submit_goal']);
  });
});

describe('the server', () => {
  const open: Client[] = [];
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });

  async function connected(desk: HandInDesk): Promise<Client> {
    const { flower } = desk.servers();
    if (flower?.type !== 'sdk' || !('instance' in flower)) throw new Error('not an in-process server');
    const [mine, its] = InMemoryTransport.createLinkedPair();
    await flower.instance.connect(its);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(mine);
    open.push(client);
    return client;
  }

  it('offers the tools of its kinds, always loaded, described in its locale, with nothing required that a refusal could name', async () => {
    const desk = new HandInDesk({ kinds: ['brief', 'goal', 'verdict', 'handoff'], locale: 'zh' });
    const { tools } = await (await connected(desk)).listTools();
    expect(tools.map((tool) => `mcp__flower__${tool.name}`)).toEqual(desk.toolNames);
    for (const tool of tools) {
      expect(tool._meta?.['anthropic/alwaysLoad']).toBe(true);
      expect(tool.description).toMatch(/\p{Script=Han}/u);
      expect(tool.inputSchema.required ?? []).toEqual([]);
    }
  });

  it('refuses and accepts over the wire, one desk behind every instance', async () => {
    const desk = new HandInDesk({ kinds: ['verdict'], checks, ...english });
    const first = await (await connected(desk)).callTool({ name: 'submit_verdict', arguments: {} });
    expect(first).toMatchObject({ isError: true });
    const second = await (await connected(desk)).callTool({
      name: 'submit_verdict',
      arguments: verdict,
      _meta: { 'claudecode/toolUseId': 'toolu_1' },
    });
    expect(second).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: expect.stringContaining('Accepted') }],
    });
    expect(desk.submit('verdict', {}, 'toolu_1').accepted).toBe(true);
    expect(desk.last?.document).toMatchObject({ state: 'achieved' });
  });

  it('refuses an input of another shape without touching what was accepted', async () => {
    const desk = new HandInDesk({ kinds: ['verdict'], checks, ...english });
    const client = await connected(desk);
    const bad = await client.callTool({
      name: 'submit_verdict',
      arguments: { items: [{ number: 1, state: 'perhaps' }] },
    });
    expect(bad).toMatchObject({ isError: true });
    expect(desk.last).toBeNull();
  });
});

describe('evidence that is none', () => {
  it.each(['\u200b', '...', '✓', '—', 'n/a', '(none)'])('%j is sent back', (evidence) => {
    const desk = new HandInDesk({ kinds: ['verdict'], checks: ['a'], locale: 'en' });
    const answer = desk.submit('verdict', { items: [{ number: 1, state: 'met', evidence }], reason: '' });
    expect(answer).toMatchObject({ accepted: false, text: expect.stringContaining('item 1 has no evidence') });
  });
});
