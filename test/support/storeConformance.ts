import type { SessionStore } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';

const main = { projectKey: 'project', sessionId: 'one' };
const sub = { ...main, subpath: 'subagents/agent-1' };
/** Of a type that nobody knows, as a store must take whatever comes. */
const entry = (n: number) => ({ type: 'unknown', uuid: `u${n}`, nested: { list: [n, null, { deep: 'words' }] } });

/** What the SDK demands of a session store. Optional methods that a store lacks are not asked for. */
export function sessionStoreConformance(name: string, make: () => SessionStore): void {
  describe(`${name} as a session store`, () => {
    it('gives back what was appended, in order', async () => {
      const store = make();
      const entries = [entry(1), { type: 'mode', mode: 'default' }, entry(2)];
      await store.append(main, entries);
      expect(await store.load(main)).toEqual(entries);
    });

    it('knows nothing of a key that was never written', async () => {
      const store = make();
      await store.append(main, [entry(1)]);
      expect(await store.load({ ...main, sessionId: 'two' })).toBeNull();
      expect(await store.load(sub)).toBeNull();
    });

    it('keeps the order of several appends', async () => {
      const store = make();
      for (const n of [1, 2, 3]) await store.append(main, [entry(n), entry(n + 10)]);
      expect((await store.load(main))?.map(({ uuid }) => uuid)).toEqual(['u1', 'u11', 'u2', 'u12', 'u3', 'u13']);
    });

    it('is not changed by an empty batch', async () => {
      const store = make();
      await store.append(main, []);
      expect(await store.load(main)).toBeNull();
    });

    it('keeps subagents apart from the main transcript', async () => {
      const store = make();
      await store.append(main, [entry(1)]);
      await store.append(sub, [entry(2)]);
      expect(await store.load(main)).toEqual([entry(1)]);
      expect(await store.load(sub)).toEqual([entry(2)]);
    });

    it('keeps projects apart', async () => {
      const store = make();
      await store.append(main, [entry(1)]);
      await store.append({ ...main, projectKey: 'other' }, [entry(2)]);
      expect(await store.load(main)).toEqual([entry(1)]);
    });

    it('lists the sessions of one project with their times', async () => {
      const store = make();
      if (!store.listSessions) return;
      await store.append(main, [entry(1)]);
      await store.append({ ...main, sessionId: 'two' }, [entry(1)]);
      await store.append({ projectKey: 'other', sessionId: 'three' }, [entry(1)]);
      const sessions = await store.listSessions('project');
      expect(sessions.map(({ sessionId }) => sessionId).sort()).toEqual(['one', 'two']);
      for (const { mtime } of sessions) expect(mtime).toBeGreaterThan(1e12);
      expect(await store.listSessions('nowhere')).toEqual([]);
    });

    it('lists no session that has subagents only', async () => {
      const store = make();
      await store.append(sub, [entry(1)]);
      if (store.listSessions) expect(await store.listSessions('project')).toEqual([]);
    });

    it('forgets a session that is deleted, and takes an unknown one', async () => {
      const store = make();
      await store.append(main, [entry(1)]);
      if (!store.delete) return;
      await store.delete(main);
      expect(await store.load(main)).toBeNull();
      await store.delete({ ...main, sessionId: 'unknown' });
    });

    it('deletes subagents with their session, and nothing else', async () => {
      const store = make();
      const others = [
        { ...main, sessionId: 'two' },
        { ...main, projectKey: 'other' },
      ];
      for (const key of [main, sub, ...others]) await store.append(key, [entry(1)]);
      if (!store.delete) return;
      await store.delete(main);
      expect(await store.load(sub)).toBeNull();
      for (const key of others) expect(await store.load(key)).toEqual([entry(1)]);
    });

    it('deletes one subagent alone', async () => {
      const store = make();
      const sibling = { ...main, subpath: 'subagents/agent-2' };
      for (const key of [main, sub, sibling]) await store.append(key, [entry(1)]);
      if (!store.delete) return;
      await store.delete(sub);
      expect(await store.load(sub)).toBeNull();
      for (const key of [main, sibling]) expect(await store.load(key)).toEqual([entry(1)]);
    });

    it('lists the subagents of one session', async () => {
      const store = make();
      await store.append(sub, [entry(1)]);
      await store.append({ ...sub, sessionId: 'two', subpath: 'subagents/agent-2' }, [entry(1)]);
      if (store.listSubkeys) expect(await store.listSubkeys(main)).toEqual(['subagents/agent-1']);
    });

    it('lists no main transcript among subagents', async () => {
      const store = make();
      await store.append(main, [entry(1)]);
      if (!store.listSubkeys) return;
      expect(await store.listSubkeys(main)).toEqual([]);
      expect(await store.listSubkeys({ ...main, sessionId: 'unknown' })).toEqual([]);
    });
  });
}
