import { describe, expect, it } from 'vitest';
import { SqliteSessionStore } from './sqliteSessionStore.js';

describe('x', () => {
  it('y', async () => {
    const s = new SqliteSessionStore(':memory:');
    const key = { projectKey: 'p', sessionId: 's' };
    await s.append(key, [{ type: 'user', uuid: 'a', message: { role: 'user', content: 'hi' } }, { type: 'mode' }]);
    await s.append(key, [
      { type: 'user', uuid: 'a' },
      { type: 'x', uuid: 'b' },
    ]);
    expect(await s.load(key)).toHaveLength(3);
    expect(
      s.importTranscript(key, [
        '{"type":"q","uuid":"0"}',
        '{"type":"user","uuid":"a"}',
        '{"type":"q","uuid":"1"}',
        '{"type":"mode"}',
        '{"type":"x","uuid":"b"}',
        '{"type":"x","uuid":"c"}',
        '{"typ',
      ]),
    ).toBe(3);
    expect((await s.load(key))?.map((e) => e.uuid)).toEqual(['0', 'a', '1', undefined, 'b', 'c']);
    expect((await s.listSessionSummaries('p'))[0]?.data.firstPrompt).toBe('hi');
  });
});
