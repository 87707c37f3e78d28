import { describe, expect, it } from 'vitest';
import type { Event } from '../events/event.js';
import { PruningSessionStore } from '../store/pruningSessionStore.js';
import { hearStore } from './hearStore.js';

const key = { projectKey: 'p', sessionId: 's' };
const call = {
  type: 'assistant',
  uuid: 'a1',
  parentUuid: 'u1',
  sessionId: 's',
  message: {
    id: 'm1',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }],
  },
};
const prompt = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'go' } };

function heard(): { store: PruningSessionStore; events: Event[] } {
  const store = new PruningSessionStore(':memory:', '/tmp', { locale: 'en' });
  const events: Event[] = [];
  hearStore(store, 'en', (event) => events.push(event));
  return { store, events };
}

describe('hearStore', () => {
  it('R8.56: tells once for each session that its history was mended, and not of its workers', async () => {
    const { store, events } = heard();
    await store.append(key, [prompt, call] as never);
    await store.append({ ...key, subpath: 'subagents/agent-a' }, [prompt, call] as never);
    await store.load(key);
    await store.load(key);
    await store.load({ ...key, subpath: 'subagents/agent-a' });
    expect(events.map(({ kind, text }) => [kind, text])).toEqual([['system', 'history_mended']]);
    expect(events[0]?.payload).toMatchObject({ session_id: 's', orphans: 1, faults: [] });
    await store.close();
  });

  it('R8.13: tells that entries wait, and that they are written', async () => {
    const { store, events } = heard();
    store.onFault?.({ kind: 'full', message: 'disk full', waiting: 2, bytes: 100 });
    store.onFault?.(null);
    expect(events.map(({ kind }) => kind)).toEqual(['error', 'system']);
    expect(events[0]?.text).toContain('disk full');
    expect(events[0]?.payload).toEqual({ store_fault: { kind: 'full', waiting: 2 } });
    await store.close();
  });
});
