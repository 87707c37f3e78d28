import { describe, expect, it } from 'vitest';
import { carry, firstSaid, readHistory } from './history.js';
import type { WireBlock, WireMessage } from './wire.js';

const user = (...content: (string | WireBlock)[]): WireMessage => ({
  role: 'user',
  content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
});
const calls = (...ids: string[]): WireMessage => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } })),
});
const said = (text: string): WireMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const result = (id: string, content: WireBlock['content'] = `out of ${id}`, isError = false): WireBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: isError,
});

describe('readHistory', () => {
  it('starts at turn 0 of the prompt', () => {
    expect(readHistory([user('Build it')])).toEqual({
      prompt: 'Build it',
      pushed: [],
      turn: 0,
      results: [],
      calls: [],
    });
  });

  it('counts answers and gives the newest results with their calls', () => {
    const history = readHistory([
      user('Build it'),
      calls('a'),
      user(result('a')),
      calls('b', 'c'),
      user(result('b'), result('c', [{ type: 'text', text: 'no' }], true)),
    ]);
    expect(history.turn).toBe(2);
    expect(history.results).toEqual([
      { id: 'b', tool: 'Bash', input: { command: 'b' }, text: 'out of b', isError: false },
      { id: 'c', tool: 'Bash', input: { command: 'c' }, text: 'no', isError: true },
    ]);
    expect(history.calls.map(({ id, result }) => [id, result?.isError])).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
    ]);
  });

  it('has no results after a plain answer and a new prompt, and starts the turns anew', () => {
    const history = readHistory([user('One'), calls('a'), user(result('a')), said('done'), user('Two')]);
    expect(history).toMatchObject({ prompt: 'Two', turn: 0, results: [] });
  });

  it('takes a prompt that joins tool results, as after a stop at a boundary', () => {
    const history = readHistory([
      user('One'),
      calls('a'),
      user(result('a'), 'Go on'),
      { role: 'system', content: 'hook stopped' },
    ]);
    expect(history).toMatchObject({ prompt: 'Go on', turn: 0, results: [{ id: 'a' }] });
  });

  it.each([
    ['system reminders', '<system-reminder>\nmind this\n</system-reminder>'],
    ['an interrupt', '[Request interrupted by user for tool use]'],
    ['a cut-off answer', 'Your response above was cut off mid-stream. Resume directly from where it stops'],
    ['an answer without output', '[Your previous response had no visible output. Please continue]'],
    ['a command of the harness', '<local-command-stdout>Set model to `claude-opus-5`</local-command-stdout>\n'],
    ['the output limit', 'Output token limit hit. Resume directly'],
  ])('takes no prompt from %s', (_, text) => {
    expect(readHistory([user('One'), said('…'), user(text)])).toMatchObject({ prompt: 'One', turn: 1 });
  });

  it('keeps a pushed message apart from the prompt', () => {
    const pushed =
      'The user sent a new message while you were working:\nUse blue\nnot red\n\nThis is how Claude Code surfaces messages the user sends mid-turn — …';
    expect(readHistory([user('One'), calls('a'), user(result('a'), pushed)])).toMatchObject({
      prompt: 'One',
      turn: 1,
      pushed: ['Use blue\nnot red'],
    });
  });

  it('finds prompt and turn again behind a compaction', () => {
    const summary = `This session is being continued from a previous conversation that ran out of context.\nSummary:\n${carry({ prompt: 'Say "x"\n[y]', turn: 7 })}\nContinue.`;
    expect(readHistory([user(summary), calls('a'), user(result('a'))])).toMatchObject({
      prompt: 'Say "x"\n[y]',
      turn: 8,
    });
  });

  it('leaves an unanswered call without a result', () => {
    expect(readHistory([user('One'), calls('a')]).calls[0]?.result).toBeNull();
  });
});

describe('firstSaid', () => {
  it('skips reminders in front of the words', () => {
    expect(firstSaid([user('<system-reminder>date</system-reminder>', 'Do the work'), said('ok'), user('More')])).toBe(
      'Do the work',
    );
  });
});
