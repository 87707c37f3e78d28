import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recorded } from '../../test/support/storeTranscripts.js';
import { openDatabase } from '../database/database.js';
import { derivedUuid } from './curate/madeUp.js';
import { unreadableIn } from './parsePayloads.js';
import { SqliteSessionStore } from './sqliteSessionStore.js';
import type { StoreFault } from './storeQueries.js';

const key = { projectKey: 'app', sessionId: 's1' };
const entry = (uuid: string, extra = {}) => ({ type: 'user', uuid, ...extra });
const uuids = (entries: readonly { uuid?: string }[] | null) => entries?.map(({ uuid }) => uuid);

let path: string;
let store: SqliteSessionStore;

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'flower-store-')), 'runs', 'sessions.db');
  store = new SqliteSessionStore(path);
});

afterEach(() => {
  vi.useRealTimers();
  store.close();
});

/** The same connection as the store has. */
function sameConnection() {
  return openDatabase(path).handle;
}

describe('append', () => {
  it('stores a batch that is sent again once, without a trace of the second time', async () => {
    const batch = [entry('u1', { message: { role: 'user', content: 'first words' } }), entry('u2')];
    await store.append(key, batch);
    const before = [await store.listSessions('app'), await store.listSessionSummaries('app')];
    await store.append(key, batch);
    await store.append(key, []);
    expect([await store.listSessions('app'), await store.listSessionSummaries('app')]).toEqual(before);
    expect(uuids(await store.load(key))).toEqual(['u1', 'u2']);
  });

  it('takes the first of two with one uuid inside a batch, and every entry without one', async () => {
    await store.append(key, [entry('u1', { n: 1 }), entry('u1', { n: 2 }), { type: 'mode' }, { type: 'mode' }]);
    expect(await store.load(key)).toEqual([entry('u1', { n: 1 }), { type: 'mode' }, { type: 'mode' }]);
  });

  it.each([
    ['of 50 MB', { type: 'user', uuid: 'big', text: 'x'.repeat(50 * 1024 * 1024) }],
    ['with NUL bytes', { type: 'user', uuid: 'nul\u0000', text: 'a\u0000b' }],
    ['with half a surrogate pair', { type: 'user', uuid: 'half', text: 'half \ud83d', '\ude00': 1 }],
    ['without a uuid', { type: 'mode', mode: 'default' }],
    ['of a type that nobody knows', { type: 'from-the-future', uuid: 'f', deep: [[{ a: null }], 1e300, -0.5, true] }],
    ['with a uuid that is none', { type: 'user', uuid: 7 as unknown as string }],
  ])('keeps an entry %s exactly as it is', async (_, odd) => {
    await store.append(key, [odd]);
    expect(await store.load(key)).toEqual([odd]);
  });

  it('keeps the order of two stores on one file, and gives no number twice', async () => {
    const other = new SqliteSessionStore(path);
    for (let n = 0; n < 20; n += 1) await (n % 2 ? other : store).append(key, [entry(`u${n}`)]);
    expect(uuids(await store.load(key))).toEqual(Array.from({ length: 20 }, (_, n) => `u${n}`));
    other.close();
  });

  it('gives strictly rising times that lists and summaries share, even with a clock that was set back', async () => {
    vi.useFakeTimers({ now: 2e12 });
    await store.append(key, [entry('u1')]);
    store.close();
    vi.setSystemTime(1.9e12);
    store = new SqliteSessionStore(path);
    await store.append({ ...key, sessionId: 's2' }, [entry('u2')]);
    await store.append(key, [entry('u3')]);
    const sessions = await store.listSessions('app');
    expect(sessions).toEqual([
      { sessionId: 's1', mtime: 2e12 + 2 },
      { sessionId: 's2', mtime: 2e12 + 1 },
    ]);
    const summaries = await store.listSessionSummaries('app');
    expect(summaries.map(({ sessionId, mtime }) => ({ sessionId, mtime }))).toEqual(sessions);
  });

  it('refuses a batch once it is closed, and closes twice', async () => {
    store.close();
    store.close();
    await expect(store.append(key, [entry('u1')])).rejects.toMatchObject({ code: 'store_closed' });
  });
});

it('reads summaries of earlier flower, and goes on with them in its form', async () => {
  const data = {
    is_sidechain: false,
    created_at: 1,
    first_prompt: 'older words',
    first_prompt_locked: true,
    other: 'x',
  };
  const handle = sameConnection();
  handle.prepare("INSERT INTO meta VALUES ('app/s1', 5, 1)").run();
  handle.prepare("INSERT INTO entries VALUES ('app/s1', 0, 'u0', ?)").run(JSON.stringify(entry('u0')));
  handle
    .prepare("INSERT INTO summaries VALUES ('app', 's1', 5, ?)")
    .run(JSON.stringify({ session_id: 's1', mtime: 5, data }));
  expect(await store.listSessionSummaries('app')).toEqual([
    {
      sessionId: 's1',
      mtime: 5,
      data: { isSidechain: false, createdAt: 1, firstPrompt: 'older words', firstPromptLocked: true, other: 'x' },
    },
  ]);
  await store.append(key, [entry('u1', { gitBranch: 'dev', message: { role: 'user', content: 'newer' } })]);
  const written = handle.prepare('SELECT data FROM summaries').pluck().get() as string;
  expect(JSON.parse(written)).toMatchObject({ session_id: 's1', data: { ...data, git_branch: 'dev' } });
});

it('folds only main transcripts into summaries', async () => {
  await store.append({ ...key, subpath: 'subagents/agent-a' }, [entry('u1', { message: { content: 'x' } })]);
  expect(await store.listSessionSummaries('app')).toEqual([]);
});

it('takes keys literally: a/b is no part of a/bc, and _ and % are no wildcards', async () => {
  const odd = { projectKey: 'a_b%', sessionId: 'b' };
  for (const sessionId of ['b', 'bc']) await store.append({ projectKey: 'a', sessionId }, [entry('u')]);
  for (const projectKey of ['a_b%', 'axb1'])
    await store.append({ projectKey, sessionId: 'b', subpath: 'x/y' }, [entry('u')]);
  await store.append(odd, [entry('u')]);
  await store.delete(odd);
  await store.delete({ projectKey: 'a', sessionId: 'b' });
  expect(store.projects()).toEqual(['a', 'axb1']);
  expect(await store.listSessions('a')).toMatchObject([{ sessionId: 'bc' }]);
  expect(await store.listSubkeys({ projectKey: 'axb1', sessionId: 'b' })).toEqual(['x/y']);
  expect(store.hasSession('a', 'bc')).toBe(true);
  expect(store.hasSession('a', 'b')).toBe(false);
});

describe('lastContext', () => {
  it('is the newest usage that says anything, with what came from the cache', async () => {
    await store.append(key, [
      entry('a', { message: { usage: { input_tokens: 5, cache_creation_input_tokens: 7 } } }),
      entry('b', { message: { usage: { cache_read_input_tokens: 900 } } }),
      entry('c', { message: { usage: { input_tokens: 0 } } }),
      entry('d', { message: { usage: 'odd' } }),
      entry('e'),
    ]);
    sameConnection().prepare("INSERT INTO entries VALUES ('app/s1', 5, NULL, 'broken')").run();
    expect(store.lastContext('app', 's1')).toBe(900);
    expect(store.lastContext('app', 's1', { scan: 4 })).toBe(0);
    expect(store.lastContext('app', 's1', { scan: 0 })).toBe(0);
    expect(store.lastContext('app', 'unknown')).toBe(0);
  });

  it('finds it in a recorded session', async () => {
    await store.append(key, recorded('session'));
    expect(store.lastContext('app', 's1')).toBeGreaterThan(0);
  });
});

describe('load', () => {
  it('leaves out a payload that cannot be read, and counts it', async () => {
    await store.append(key, [entry('u1'), entry('u2'), entry('u3')]);
    sameConnection().prepare("UPDATE entries SET payload = '{\"type\": \"us' WHERE uid = 'u2'").run();
    const entries = await store.load(key);
    expect(uuids(entries)).toEqual(['u1', 'u3']);
    expect(unreadableIn(entries ?? [])).toBe(1);
  });

  it('throws for a known session of which nothing can be read', async () => {
    await store.append(key, [entry('u1')]);
    sameConnection().prepare("UPDATE entries SET payload = '[]'").run();
    await expect(store.load(key)).rejects.toMatchObject({
      code: 'store_unreadable',
      message: expect.stringContaining(`app/s1 in ${path}`),
    });
  });
});

describe('a store that cannot be written', () => {
  let heard: (StoreFault | null)[];

  beforeEach(() => {
    heard = [];
    store.onFault = (fault) => heard.push(fault);
  });

  it('keeps batches in order while the disk is full, says so once, and once when it is over', async () => {
    const handle = sameConnection();
    await store.append(key, [entry('u0')]);
    const pages = handle.pragma('page_count', { simple: true });
    handle.pragma(`max_page_count = ${pages}`);
    const big = 'x'.repeat(100_000);
    for (const n of [1, 2, 3]) await store.append(key, [entry(`u${n}`, { big })]);
    await store.append({ ...key, sessionId: 's2' }, [entry('u4', { big })]);
    expect(heard).toMatchObject([{ kind: 'full', waiting: 1, message: expect.stringContaining(path) }]);
    expect(store.fault).toMatchObject({ kind: 'full', waiting: 4 });
    expect(store.fault?.bytes).toBeGreaterThan(400_000);
    expect(uuids(await store.load(key))).toEqual(['u0', 'u1', 'u2', 'u3']);
    expect(store.hasSession('app', 's2')).toBe(true);
    expect(store.flush()).toBe(false);

    handle.pragma('max_page_count = 100000');
    await store.append(key, [entry('u5'), entry('u1')]);
    expect(heard.slice(1)).toEqual([null]);
    expect(store.fault).toBeNull();
    expect(uuids(await store.load(key))).toEqual(['u0', 'u1', 'u2', 'u3', 'u5']);
  });

  it('takes a file that is gone or another one for an I/O error, and does not write unseen', async () => {
    await store.append(key, [entry('u0')]);
    renameSync(path, `${path}.away`);
    writeFileSync(path, '');
    await store.append(key, [entry('u1')]);
    expect(heard).toMatchObject([{ kind: 'io', message: expect.stringContaining(path) }]);
    renameSync(`${path}.away`, path);
    expect(store.flush()).toBe(true);
    expect(heard.at(-1)).toBeNull();
  });

  it.each([
    [3, 0],
    [20, 0],
    [90, 1],
  ])('waits out a foreign lock of %i s and reports it %i times', async (seconds, reports) => {
    sameConnection().pragma('busy_timeout = 0');
    vi.useFakeTimers();
    const foreign = new Database(path);
    foreign.exec('BEGIN IMMEDIATE');
    for (let second = 0; second < seconds; second += 1) {
      await store.append(key, [entry(`u${second}`)]);
      vi.advanceTimersByTime(1000);
    }
    expect(heard).toHaveLength(reports);
    if (reports > 0) expect(heard[0]).toMatchObject({ kind: 'busy' });
    foreign.exec('ROLLBACK');
    foreign.close();
    vi.advanceTimersByTime(1000);
    expect(heard.length).toBe(reports * 2);
    expect(uuids(await store.load(key))).toEqual(Array.from({ length: seconds }, (_, n) => `u${n}`));
  });

  it('refuses what would be more than 64 MiB, and loses nothing of what waits', async () => {
    const foreign = new Database(path);
    foreign.exec('BEGIN IMMEDIATE');
    sameConnection().pragma('busy_timeout = 0');
    const text = 'x'.repeat(32 * 1024 * 1024 - 1000);
    await store.append(key, [entry('u1', { text })]);
    await store.append(key, [entry('u2', { text })]);
    await expect(store.append(key, [entry('u3', { text })])).rejects.toMatchObject({ code: 'store_queue_full' });
    foreign.close();
    expect(store.flush()).toBe(true);
    expect(uuids(await store.load(key))).toEqual(['u1', 'u2']);
  });

  it('survives a listener that throws', async () => {
    store.onFault = () => {
      throw new Error('listener');
    };
    renameSync(path, `${path}.away`);
    await store.append(key, [entry('u1')]);
    renameSync(`${path}.away`, path);
    expect(store.flush()).toBe(true);
  });

  it('drops what waits for a session that is deleted', async () => {
    const handle = sameConnection();
    handle.pragma(`max_page_count = ${handle.pragma('page_count', { simple: true })}`);
    await store.append(key, [entry('u1', { big: 'x'.repeat(100_000) })]);
    await store.delete(key);
    expect(await store.load(key)).toBeNull();
    expect(heard.at(-1)).toBeNull();
  });
});

describe('importTranscript', () => {
  const lines = ['u0', 'u1', 'u2', 'u3', 'u4'].map((uuid) => JSON.stringify(entry(uuid)));

  it('puts what is missing at its place, once', async () => {
    await store.append(key, [entry('u1'), { type: 'mode' }, entry('u3')]);
    expect(store.importTranscript(key, lines)).toBe(3);
    expect((await store.load(key))?.map(({ uuid, type }) => uuid ?? type)).toEqual([
      'u0',
      'u1',
      'u2',
      'mode',
      'u3',
      'u4',
    ]);
    expect(store.importTranscript(key, lines)).toBe(0);
    await store.append(key, [entry('u5')]);
    expect(uuids(await store.load(key))?.at(-1)).toBe('u5');
  });

  it('takes a session that the store has never seen, with time and summary', async () => {
    expect(store.importTranscript(key, [JSON.stringify(entry('u0', { message: { content: 'words' } }))])).toBe(1);
    expect(store.hasSession('app', 's1')).toBe(true);
    expect(await store.listSessionSummaries('app')).toMatchObject([
      { sessionId: 's1', data: { firstPrompt: 'words' } },
    ]);
    expect((await store.listSessions('app'))[0]?.mtime).toBeGreaterThan(1e12);
  });

  it('skips what is no whole entry, what the program keeps for itself, and what is stored with the same content', async () => {
    await store.append(key, [entry('u0'), { type: 'mode', mode: 'default' }]);
    const before = await store.listSessions('app');
    const skipped = [
      '{"type":"api-request","n":1}',
      '{"type":"api-request-shape"}',
      '{"type":"api-request-blob"}',
      '{"type":"mode","mode":"default"}',
      '',
      'null',
      '{"type":"user","uuid":"half',
    ];
    expect(store.importTranscript(key, skipped)).toBe(0);
    expect(await store.listSessions('app')).toEqual(before);
  });

  it('leaves out what curation had made up in the file of a resumed session', async () => {
    await store.append(key, [entry('u0')]);
    expect(store.importTranscript(key, [lines[0] as string, JSON.stringify(entry(derivedUuid('u0', 'toolu_1')))])).toBe(
      0,
    );
  });

  it('gives back the order of the file whatever was missing', async () => {
    const file = recorded('session').map((one) => JSON.stringify(one));
    for (let hole = 0; hole < 20; hole += 3) {
      const session = { ...key, sessionId: `hole ${hole}` };
      await store.append(
        session,
        recorded('session').filter((_, i) => i % 20 < hole || i % 20 > hole + 6),
      );
      store.importTranscript(session, file);
      const loaded = await store.load(session);
      const chained = (entries: typeof loaded) => uuids(entries)?.filter((uuid) => uuid !== undefined);
      expect(chained(loaded)).toEqual(chained(recorded('session')));
    }
  });

  it('throws, and adds nothing, while the store cannot be written', async () => {
    renameSync(path, `${path}.away`);
    await store.append(key, [entry('u0')]);
    expect(() => store.importTranscript(key, lines)).toThrow(/cannot be written/);
    renameSync(`${path}.away`, path);
    expect(uuids(await store.load(key))).toEqual(['u0']);
  });
});

it('names path and meaning when the file cannot be used at all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flower-store-'));
  const broken = join(folder, 'broken.db');
  writeFileSync(broken, 'this is no database, but long enough to be looked at'.repeat(100));
  expect(() => new SqliteSessionStore(broken)).toThrow(expect.objectContaining({ code: 'database_corrupt' }));
  const below = join(broken, 'sessions.db');
  expect(() => new SqliteSessionStore(below)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(below) }),
  );
  mkdirSync(join(folder, 'folder.db'));
  expect(() => new SqliteSessionStore(join(folder, 'folder.db'))).toThrow(/folder\.db/);
});
