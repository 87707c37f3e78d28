import { describe, expect, it } from 'vitest';
import { AgentBook } from './agentBook.js';
import { promptRow } from './promptRow.js';
import { recognise } from './recognise.js';
import type { WireMessage, WireRequest } from './wire.js';

interface Sent {
  readonly session?: string;
  readonly agentId?: string;
  readonly messages?: readonly WireMessage[];
  readonly body?: Partial<WireRequest>;
  readonly path?: string;
  readonly method?: string;
}

function receive(
  book: AgentBook,
  { session = 's1', agentId, messages = [user('hello')], body = {}, path = '/v1/messages', method = 'POST' }: Sent,
) {
  const whole: WireRequest = { model: 'claude-opus-5-5', messages, stream: true, ...body };
  const headers = {
    'x-claude-code-session-id': session,
    ...(agentId !== undefined && { 'x-claude-code-agent-id': agentId }),
  };
  return recognise({ n: 1, at: 0, method, path, headers, body: whole, row: promptRow(whole) }, book);
}

const user = (text: string): WireMessage => ({ role: 'user', content: text });
const agentCall = (id: string, subagent_type: string, prompt: string) => ({
  type: 'tool_use',
  id,
  name: 'Agent',
  input: { description: 'd', prompt, subagent_type },
});
const system = (prompt: string) => [
  { type: 'text', text: 'x-anthropic-billing-header: cc_is_subagent=true;' },
  { type: 'text', text: prompt },
];
const tools = (...names: string[]) => names.map((name) => ({ name }));

describe('recognise', () => {
  it.each([
    ['hello', { method: 'HEAD', path: '/api/hello' }],
    ['other', { method: 'GET', path: '/v1/models' }],
    ['other', { method: 'POST', path: '/v1/complete' }],
    ['probe', { body: { max_tokens: 1 } }],
    ['message', { body: { max_tokens: 1, tools: tools('Bash') } }],
    ['count_tokens', { path: '/v1/messages/count_tokens' }],
    ['message', {}],
    ['summary', { messages: [user('job'), user('CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nNow …')] }],
    ['title', { body: { output_config: { format: { type: 'json_schema', schema: { properties: { title: {} } } } } } }],
    [
      'message',
      { body: { tools: tools('Bash'), output_config: { format: { schema: { properties: { title: {} } } } } } },
    ],
  ] as const)('calls it %s: %j', (kind, sent) => {
    expect(receive(new AgentBook(), sent).kind).toBe(kind);
  });

  it('counts characters as texts, and the tools as JSON', () => {
    const request = receive(new AgentBook(), {
      messages: [user('four')],
      body: { system: 'seven77', tools: tools('Bash') },
    });
    expect(request.characters).toEqual({ system: 7, tools: 17, messages: 4, total: 28 });
  });

  it('takes the session from the metadata of a client that sends no header', () => {
    const body: WireRequest = {
      model: 'm',
      messages: [],
      metadata: { user_id: '{"device_id":"d","session_id":"abc"}' },
    };
    const request = recognise(
      { n: 1, at: 0, method: 'POST', path: '/v1/messages', headers: {}, body, row: [] },
      new AgentBook(),
    );
    expect(request.session).toBe('abc');
  });
});

describe('a worker is known by name', () => {
  it('from the Agent call that went out before', () => {
    const book = new AgentBook();
    book.learnCalls('s1', [agentCall('t1', 'coder', 'Write it')]);
    expect(receive(book, { agentId: 'a1', messages: [user('Write it')] })).toMatchObject({
      thread: 'worker',
      agent: 'coder',
      agentId: 'a1',
    });
    expect(receive(book, { messages: [user('Write it')] })).toMatchObject({ thread: 'main', agent: null });
  });

  it('when a hook has put words around the prompt', () => {
    const book = new AgentBook();
    book.learnCalls('s1', [agentCall('t1', 'coder', 'Write it')]);
    expect(
      receive(book, { agentId: 'a1', messages: [user('Read INDEX.md first.\n\nWrite it\n\nReport at the end.')] })
        .agent,
    ).toBe('coder');
  });

  it('apart from another session that gave the same prompt to another worker', () => {
    const book = new AgentBook();
    book.learnCalls('s1', [agentCall('t1', 'coder', 'Go')]);
    book.learnCalls('s2', [agentCall('t2', 'tester', 'Go')]);
    expect(receive(book, { session: 's2', agentId: 'a2', messages: [user('Go')] }).agent).toBe('tester');
    expect(receive(book, { session: 's1', agentId: 'a1', messages: [user('Go')] }).agent).toBe('coder');
  });

  it('apart from a parallel worker with the same prompt, by the tools that the listing gives to each', () => {
    const book = new AgentBook();
    const listing: WireMessage = {
      role: 'system',
      content:
        'Available agent types for the Agent tool:\n- coder: writes: code (Tools: Bash, Write)\n- tester: tests (Tools: Bash, Read)\n\nWhen you launch',
    };
    receive(book, { messages: [user('Lead'), listing] });
    book.learnCalls('s1', [agentCall('t1', 'coder', 'Go'), agentCall('t2', 'tester', 'Go')]);
    const sent = (agentId: string, ...names: string[]) =>
      receive(book, { agentId, messages: [user('Go')], body: { tools: tools(...names) } }).agent;
    expect(sent('a2', 'Read', 'Bash')).toBe('tester');
    expect(sent('a1', 'Write', 'Bash')).toBe('coder');
    expect(sent('a2', 'Read', 'Bash')).toBe('tester');
  });

  it('by the order of the calls when prompt and tools are the same', () => {
    const book = new AgentBook();
    book.learnCalls('s1', [agentCall('t1', 'coder', 'Go'), agentCall('t2', 'tester', 'Go')]);
    expect(['a7', 'a3', 'a7', 'a3'].map((agentId) => receive(book, { agentId, messages: [user('Go')] }).agent)).toEqual(
      ['coder', 'tester', 'coder', 'tester'],
    );
  });

  it('from the history of the main thread, by a sim that never gave the call itself', () => {
    const book = new AgentBook();
    const history: WireMessage[] = [
      user('Lead'),
      { role: 'assistant', content: [agentCall('t1', 'coder', 'Go')] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: [{ type: 'text', text: '  report\nagentId: a1 (use SendMessage …)' }],
          },
        ],
      },
    ];
    receive(book, { messages: history });
    expect(receive(book, { agentId: 'a1', messages: [user('something else altogether')] }).agent).toBe('coder');
  });

  it('by a system prompt seen before, when the call itself is unknown', () => {
    const book = new AgentBook();
    book.learnCalls('s1', [agentCall('t1', 'coder', 'Go')]);
    receive(book, { agentId: 'a1', messages: [user('Go')], body: { system: system('You code.') } });
    expect(
      receive(book, { session: 's9', agentId: 'a9', messages: [user('New')], body: { system: system('You code.') } })
        .agent,
    ).toBe('coder');
  });

  it('not by a system prompt that two names share', () => {
    const book = new AgentBook();
    book.learnCalls('s1', [agentCall('t1', 'coder', 'Go'), agentCall('t2', 'tester', 'Try')]);
    const body = { system: system('You work.') };
    receive(book, { agentId: 'a1', messages: [user('Go')], body });
    receive(book, { agentId: 'a2', messages: [user('Try')], body });
    expect(receive(book, { session: 's9', agentId: 'a9', messages: [user('New')], body }).agent).toBeNull();
  });

  it('not at all, but still as a worker, by a sim that saw nothing', () => {
    const request = receive(new AgentBook(), { messages: [user('Go')], body: { system: system('You code.') } });
    expect(request).toMatchObject({ thread: 'worker', agent: null, agentId: null });
  });
});
