import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from './event.js';
import { type KnownAgents, normalize } from './normalize.js';

interface Recorded {
  readonly name: string;
  readonly message: Record<string, unknown>;
}

/** Messages of the real program, one of a kind, shortened; paths and ids are made up. */
const recorded: readonly Recorded[] = readFileSync(new URL('fixtures/recorded.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

function fixture(name: string): Record<string, unknown> {
  const found = recorded.find((one) => one.name === name);
  if (!found) throw new Error(`no fixture ${name}`);
  return structuredClone(found.message);
}

const agentCall = 'toolu_ab0294000';
const main = { subagent: false, model: 'claude-opus-5-5' };
const worker = { subagent: true, parent_tool_use_id: agentCall, agent_id: 'ac748a5cd90fc8add', agent_type: 'coder' };
const system = (name: string) => ['system', name.slice('system/'.length), fixture(name)] as const;

/** What becomes of each recorded message: kind, text, payload. */
const expected: Readonly<Record<string, readonly [string, string, object]>> = {
  'assistant.thinking': ['thinking', 'look', { ...main, context: 11880 }],
  'assistant.text': ['text', 'I look.', { ...main, context: 11880 }],
  'assistant.tool_use': [
    'tool_call',
    'echo hi',
    { id: 'toolu_203150002', input: { command: 'echo hi' }, ...main, context: 11880 },
  ],
  'assistant.error': [
    'error',
    'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8080).',
    { synthetic: true, error: 'server_error', api_error_status: 529, subagent: false },
  ],
  'user.tool_result': ['tool_result', 'hi', { tool_use_id: 'toolu_203150002', is_error: false, subagent: false }],
  'user.tool_result_array': ['tool_result', '', { tool_use_id: agentCall, is_error: false, subagent: false }],
  'user.string': ['prompt', textOf(fixture('user.string')), { subagent: false }],
  'worker:user.text': ['prompt', 'Write a.txt', worker],
  'worker:assistant.text': ['text', 'I wrote it.', { ...worker, model: 'claude-opus-5-5', context: 1933 }],
  'worker:assistant.tool_use': [
    'tool_call',
    'printf worker',
    { id: 'toolu_e6031c000', input: { command: 'printf worker' }, ...worker, model: 'claude-opus-5-5', context: 1924 },
  ],
  'worker:user.tool_result': ['tool_result', 'worker', { tool_use_id: 'toolu_e6031c000', is_error: false, ...worker }],
  'system/task_started': ['task', '', task('TaskStartedMessage', null, 'write it', 'coder')],
  'system/task_progress': ['task', '', task('TaskProgressMessage', null, 'Running printf worker', 'coder')],
  'system/task_updated': ['task', '', task('TaskUpdatedMessage', 'completed', null, null)],
  'system/task_notification': ['task', '', task('TaskNotificationMessage', 'completed', null, null)],
  'result.success': [
    'result',
    'success',
    {
      session_id: 'ae21d3e9-0787-4462-985a-4c1564421916',
      cost_usd: 0.0760438,
      num_turns: 3,
      is_error: false,
      terminal_reason: 'completed',
      api_error_status: null,
    },
  ],
  'result.success.error': [
    'result',
    'success',
    {
      session_id: 'c4e75b4b-dc75-4ecb-845b-b1872036e250',
      cost_usd: 0,
      num_turns: 1,
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: 529,
    },
  ],
  'result.error_max_turns.error': [
    'result',
    'error_max_turns',
    {
      session_id: '3f9a1d2c-9f77-481f-ab0b-1b40d0711363',
      cost_usd: 0.059265000000000005,
      num_turns: 2,
      is_error: true,
      terminal_reason: 'max_turns',
      errors: ['Reached maximum number of turns (1)'],
    },
  ],
  'system/compact_boundary': [
    'reset',
    'compaction (manual) 11826 → 467 tokens',
    { trigger: 'manual', pre_tokens: 11826, post_tokens: 467, micro: false, subtype: 'compact_boundary' },
  ],
  conversation_reset: ['reset', 'conversation reset', {}],
  'system/init': system('system/init'),
  'system/api_retry': system('system/api_retry'),
  'system/background_tasks_changed': system('system/background_tasks_changed'),
  'system/hook_started': system('system/hook_started'),
  'system/hook_response': system('system/hook_response'),
  'system/mirror_error': system('system/mirror_error'),
  'system/permission_denied': system('system/permission_denied'),
  'system/session_state_changed': system('system/session_state_changed'),
  'system/status': system('system/status'),
  'system/thinking_tokens': system('system/thinking_tokens'),
  command_lifecycle: ['unknown', 'command_lifecycle', {}],
  stream_event: ['unknown', 'stream_event', {}],
  tool_progress: ['unknown', 'tool_progress', {}],
};

function task(kind: string, status: string | null, description: string | null, type: string | null): object {
  return { kind, task_id: 'ac748a5cd90fc8add', status, description, agent_type: type };
}

function textOf(message: Record<string, unknown>): string {
  return (message.message as { content: string }).content;
}

const shown = (events: readonly Event[]) => events.map((event) => [event.kind, event.text, event.payload]);
const say = (fields: object) => ({ type: 'assistant', parent_tool_use_id: null, message: { content: [], ...fields } });

describe('normalize, on recorded messages (case 8)', () => {
  it.each(recorded.map((one) => one.name))('%s', (name) => {
    const message = fixture(name);
    const events = normalize(message, { locale: 'en' });
    expect(shown(events)).toEqual([expected[name]]);
    expect(events[0]?.raw).toBe(message);
  });

  it('names the tool of a call', () => {
    expect(String(normalize(fixture('assistant.tool_use'))[0])).toBe('[Bash] echo hi');
  });
});

describe('normalize', () => {
  it('gives one event for each block it knows and none for others (R10.5)', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'b' },
      null,
      'c',
    ];
    expect(normalize(say({ content })).map((event) => event.text)).toEqual(['a', 'b']);
  });

  it('cuts a command at 200 and a result at 500 characters, never through one', () => {
    const call = (command: string) =>
      normalize(say({ content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command } }] }))[0]?.text;
    expect(call('x'.repeat(300))).toBe('x'.repeat(200));
    expect(call(`${'x'.repeat(199)}😀`)).toBe('x'.repeat(199));
    const result = { type: 'tool_result', tool_use_id: 't', content: 'y'.repeat(600), is_error: true };
    const [event] = normalize({ type: 'user', message: { content: [result] } });
    expect([event?.text.length, event?.payload.is_error]).toEqual([500, true]);
  });

  it('shows the file, else the command, else the pattern of a call', () => {
    const shownOf = (input: unknown) =>
      normalize(say({ content: [{ type: 'tool_use', id: 't', name: 'X', input }] }))[0]?.text;
    expect(shownOf({ pattern: 'p', command: 'c', file_path: 'f' })).toBe('f');
    expect(shownOf({ pattern: 'p', command: 'c' })).toBe('c');
    expect(shownOf({ pattern: 'p', file_path: 7 })).toBe('p');
    expect(shownOf({ url: 'u' })).toBe('');
  });

  it('adds up the context of what was read and what was cached, and has none without a usage', () => {
    const usage = {
      input_tokens: 1,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 300,
      output_tokens: 4000,
    };
    const content = [{ type: 'text', text: 'a' }];
    expect(normalize(say({ content, usage }))[0]?.payload.context).toBe(321);
    expect(normalize(say({ content }))[0]?.payload).not.toHaveProperty('context');
  });

  it.each([
    [{ error: 'rate_limit' }, {}],
    [{ isApiErrorMessage: true }, {}],
    [{ is_api_error_message: true }, {}],
    [{}, { model: '<synthetic>' }],
  ])('takes no error for speech: %j %j (R10.8)', (fields, body) => {
    const content = [
      { type: 'text', text: 'API Error' },
      { type: 'text', text: 'try again' },
    ];
    const events = normalize({ ...say({ content, ...body }), ...fields });
    expect(events.map((event) => [event.kind, event.text])).toEqual([['error', 'API Error\ntry again']]);
    expect(events[0]?.payload).toMatchObject({ synthetic: true, subagent: false });
  });

  it('names a worker from its Agent call where the message does not (R10.3)', () => {
    const agents: KnownAgents = new Map();
    normalize(fixture('system/task_started'), { agents });
    const nameless = fixture('worker:assistant.text');
    delete nameless.agent_id;
    delete nameless.subagent_type;
    expect(normalize(nameless, { agents })[0]?.payload).toMatchObject(worker);
    expect(normalize(nameless)[0]?.payload.agent_id).toBe(agentCall);
  });

  it('reads the figures of a compaction under either name, and a missing one as ? (reset row)', () => {
    const micro = {
      type: 'system',
      subtype: 'microcompact_boundary',
      compactMetadata: { trigger: 'auto', preTokens: 5 },
    };
    expect(shown(normalize(micro, { locale: 'en' }))).toEqual([
      [
        'reset',
        'micro-compaction (auto) 5 → ? tokens',
        { trigger: 'auto', pre_tokens: 5, post_tokens: null, micro: true, subtype: 'microcompact_boundary' },
      ],
    ]);
    const bare = normalize({ type: 'system', subtype: 'compact_boundary' }, { locale: 'zh' });
    expect(bare[0]?.text).toBe('压缩(?) ? → ? tokens');
  });

  it('keeps a message of tomorrow: system by its subtype, all else as unknown', () => {
    expect(shown(normalize({ type: 'system', subtype: 'new_thing', n: 1 }))).toEqual([
      ['system', 'new_thing', { type: 'system', subtype: 'new_thing', n: 1 }],
    ]);
    for (const type of ['new_thing', 'constructor', '__proto__']) {
      expect(shown(normalize({ type }))).toEqual([['unknown', type, {}]]);
    }
  });

  it('never throws, and what it gives is JSON without raw', () => {
    const types = ['assistant', 'user', 'result', 'system', 'conversation_reset', 'x'];
    const subtypes = ['init', 'task_updated', 'compact_boundary', 'microcompact_boundary', 'x'];
    const message = fc.record(
      {
        type: fc.oneof(fc.constantFrom(...types), fc.jsonValue()),
        subtype: fc.oneof(fc.constantFrom(...subtypes), fc.jsonValue()),
        message: fc.oneof(
          fc.record({ content: fc.jsonValue(), usage: fc.jsonValue(), model: fc.jsonValue() }),
          fc.jsonValue(),
        ),
        parent_tool_use_id: fc.jsonValue(),
        patch: fc.jsonValue(),
        compact_metadata: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(message, fc.jsonValue()), (value) => {
        for (const event of normalize(value, { agents: new Map() })) {
          expect(typeof event.text).toBe('string');
          expect(Object.keys(JSON.parse(JSON.stringify(event)))).toEqual(['kind', 'text', 'tool', 'payload']);
        }
      }),
    );
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(normalize(value)).toHaveLength(1);
      }),
    );
  });
});
