import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
import { runChild, startChild } from '../../src/database/testing/childProcess.mjs';
import { SqliteSessionStore } from '../../src/store/sqliteSessionStore.js';

/** Children run the built library, as users do. */
const built = (path: string) => new URL(`../../dist/${path}`, import.meta.url).href;

const imports = `
  import { SqliteSessionStore } from '${built('store/sqliteSessionStore.js')}';
  import { observeDurableWrites } from '${built('durableWrites.js')}';
  const { path, left = 0, name = '', batches = 0 } = JSON.parse(process.argv[1]);
  const key = { projectKey: 'app', sessionId: 's1' };
  const entry = (uuid, extra) => ({ type: 'user', uuid, parentUuid: null, ...extra });`;

const key = { projectKey: 'app', sessionId: 's1' };
const newPath = () => join(mkdtempSync(join(tmpdir(), 'flower-store-crash-')), 'sessions.db');

it('runs on what was built', () => {
  expect(existsSync(new URL(built('store/sqliteSessionStore.js')))).toBe(true);
});

/** Batches of one and of many, an import into the middle, a deletion; each is told once it is acknowledged. */
const writes = `${imports}
  let count = 0;
  observeDurableWrites((point) => { if (point.endsWith(':before') && ++count === left) process.kill(process.pid, 'SIGKILL'); });
  const store = new SqliteSessionStore(path);
  const done = (words) => process.stdout.write(words + '\\n');
  for (const n of [1, 2, 3]) {
    await store.append(key, [entry('single' + n)]);
    done('single' + n);
    await store.append(key, Array.from({ length: 30 }, (_, i) => entry('many' + n + '-' + i, { text: 'x'.repeat(500) })));
    done('many' + n + '-0 many' + n + '-29');
  }
  store.importTranscript(key, ['single1', 'imported', 'single3'].map((uuid) => JSON.stringify(entry(uuid))));
  done('imported');
  await store.append({ ...key, sessionId: 's2' }, [entry('gone')]);
  await store.delete({ ...key, sessionId: 's2' });
  store.close();`;

it('a kill at each durable write loses nothing that was acknowledged, leaves no batch half, and doubles nothing when it is sent again', async () => {
  let last = 0;
  for (let n = 1; last === 0; n += 1) {
    const path = newPath();
    const end = await runChild(writes, { path, left: n });
    expect(end.errors).toBe('');
    if (end.signal === null) last = n;

    const database = openDatabase(path);
    expect(database.integrityCheck()).toEqual([]);
    database.close();
    const store = new SqliteSessionStore(path);
    const uuids = ((await store.load(key)) ?? []).map(({ uuid }) => uuid ?? '');
    const acknowledged = end.output.split(/\s/).filter((uuid) => uuid !== '');
    expect(uuids).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(uuids).size).toBe(uuids.length);
    for (const batch of [1, 2, 3])
      expect([0, 30]).toContain(uuids.filter((uuid) => uuid.startsWith(`many${batch}`)).length);
    if (uuids.includes('imported')) expect(uuids[1]).toBe('imported');

    await store.append(
      key,
      ['single1', 'many1-0', 'after'].map((uuid) => ({ type: 'user', uuid })),
    );
    const again = ((await store.load(key)) ?? []).map(({ uuid }) => uuid);
    expect(new Set(again).size).toBe(again.length);
    expect(again).toContain('after');
    store.close();
  }
  // Opening, seven batches, the import, another session, its deletion.
  expect(last).toBeGreaterThanOrEqual(11);
});

const racer = `${imports}
  const store = new SqliteSessionStore(path);
  const faults = [];
  store.onFault = (fault) => faults.push(fault);
  for (let n = 0; n < batches; n += 1) {
    await store.append(key, [entry(name + n), { type: 'mode', of: name + n }, entry('both' + n)]);
    if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (!store.flush());
  store.close();
  process.stdout.write(JSON.stringify(faults));`;

it('several processes append to one session at once: nothing lost, nothing doubled, nothing of a lock to be seen', async () => {
  const path = newPath();
  const names = ['a', 'b', 'c'];
  const batches = 200;
  const ends = await Promise.all(names.map((name) => startChild(racer, { path, name, batches }).ended));
  for (const end of ends) expect(end).toMatchObject({ exitCode: 0, errors: '', output: '[]' });

  const store = new SqliteSessionStore(path);
  const entries = (await store.load(key)) ?? [];
  const numbers = Array.from({ length: batches }, (_, n) => n);
  for (const name of names) {
    const own = numbers.map((n) => `${name}${n}`);
    expect(
      entries.map(({ uuid }) => uuid).filter((uuid) => uuid?.startsWith(name) && !uuid.startsWith('both')),
    ).toEqual(own);
    expect(entries.map(({ of }) => of).filter((of) => `${of}`.startsWith(name))).toEqual(own);
  }
  const shared = entries.map(({ uuid }) => uuid).filter((uuid) => uuid?.startsWith('both'));
  expect(shared.toSorted()).toEqual(numbers.map((n) => `both${n}`).toSorted());
  store.close();
});
