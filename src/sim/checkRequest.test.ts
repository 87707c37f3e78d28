import { describe, expect, it } from 'vitest';
import { checkRequest } from './checkRequest.js';
import type { WireMessage } from './wire.js';

const user = (text: string): WireMessage => ({ role: 'user', content: text });
const uses = (...ids: string[]): WireMessage => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
});
const results = (...ids: string[]): WireMessage => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })),
});
const note: WireMessage = { role: 'system', content: 'a note' };
const check = (...messages: WireMessage[]) => checkRequest({ model: 'm', messages });

describe('checkRequest', () => {
  it.each([
    ['a plain prompt', [user('a')]],
    [
      'calls with all results, notes in between',
      [user('a'), uses('1', '2'), note, results('2', '1'), note, uses('3'), results('3')],
    ],
    ['two prompts in a row', [user('a'), user('b')]],
  ])('takes %s', (_, messages) => {
    expect(check(...messages)).toBeNull();
  });

  it.each([
    ['no messages', [], 'at least one message'],
    ['an answer first', [uses('1'), results('1')], 'first message must use the "user" role'],
    [
      'a call without a result',
      [user('a'), uses('1', '2'), results('1'), user('b')],
      'without `tool_result` blocks immediately after: 2',
    ],
    ['a call at the end', [user('a'), uses('1')], 'without `tool_result` blocks immediately after: 1'],
    ['a result without a call', [user('a'), results('9')], 'unexpected `tool_use_id` found in `tool_result` blocks: 9'],
    ['a result that comes too late', [user('a'), uses('1'), user('b'), results('1')], 'immediately after: 1'],
    ['a result that comes twice', [user('a'), uses('1'), results('1'), results('1')], 'unexpected `tool_use_id`'],
    ['an id used again', [user('a'), uses('1'), results('1'), uses('1'), results('1')], 'ids must be unique'],
    ['an empty text', [user('')], 'must be non-empty'],
  ])('refuses %s', (_, messages, message) => {
    expect(check(...messages)).toContain(message);
  });

  it('refuses five cache marks', () => {
    const block = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } } as const;
    expect(check({ role: 'user', content: [block, block, block, block] })).toBeNull();
    expect(check({ role: 'user', content: [block, block, block, block, block] })).toContain('Found 5');
  });
});
