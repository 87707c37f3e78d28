import { describe, expect, it } from 'vitest';
import { Event } from './event.js';

describe('Event', () => {
  it('reads as [tool] text, as its text, or as its kind (R10.1)', () => {
    expect(String(new Event('tool_call', { tool: 'Bash', text: 'npm test' }))).toBe('[Bash] npm test');
    expect(String(new Event('text', { text: 'done' }))).toBe('done');
    expect(String(new Event('task'))).toBe('<task>');
  });

  it('leaves raw out of its JSON', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const event = new Event('tool_call', { tool: 'Read', text: 'a.ts', payload: { id: 't1' }, raw: circular });
    expect(JSON.parse(JSON.stringify(event))).toEqual({
      kind: 'tool_call',
      text: 'a.ts',
      tool: 'Read',
      payload: { id: 't1' },
    });
  });

  it('keeps a payload of its own', () => {
    const payload = { n: 1 };
    const event = new Event('step', { payload });
    event.payload.n = 2;
    expect(payload.n).toBe(1);
  });
});
