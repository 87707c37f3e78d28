import { spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { InMemorySessionStore, type SessionKey, type SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recorded } from '../../test/support/storeTranscripts.js';
import { PruningSessionStore } from '../store/pruningSessionStore.js';
import { SqliteSessionStore } from '../store/sqliteSessionStore.js';
import { type CrashSite, importCrashed } from './crashImport.js';
import { linesOf } from './localTranscripts.js';

const projectKey = 'flower-0123';
const main: SessionKey = { projectKey, sessionId: 's1' };
const worker: SessionKey = { ...main, subpath: 'subagents/agent-a1' };
/** Without what stands there twice and has no uuid: nobody could say which of the two the store lacks. */
const whole = distinct(recorded('session'));
const workerWhole = recorded('subagent');

let root: string;
let store: SqliteSessionStore;
let site: CrashSite;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'flower-crash-')));
  mkdirSync(join(root, 'tmp'));
  store = new SqliteSessionStore(':memory:');
  site = { store, projectKey, configDir: join(root, 'harness'), tmpDir: join(root, 'tmp') };
});
afterEach(() => {
  vi.unstubAllGlobals();
  store.close();
  rmSync(root, { recursive: true, force: true });
});

describe('R8.60 fresh sessions', () => {
  it('gives the store what it lacks, at its place, and removes the transcripts', async () => {
    await store.append(main, [...whole.slice(0, 20), ...whole.slice(23, -5)]);
    write(transcript(main), whole);
    write(transcript(worker), workerWhole);
    write(transcript({ ...main, sessionId: 's2' }), whole.slice(0, 3));
    expect(await importCrashed(site)).toEqual({ entries: 8 + workerWhole.length + 3, failures: [] });
    expectRecord(await store.load(main), whole);
    expectRecord(await store.load(worker), workerWhole);
    expect(await store.load({ ...main, sessionId: 's2' })).toEqual(whole.slice(0, 3));
    expect(filesBelow(root)).toEqual([]);
    expect(await importCrashed(site)).toEqual({ entries: 0, failures: [] });
  });

  it('leaves large outputs, whose paths stand in the history, and what is none of its business', async () => {
    write(transcript(main), whole);
    const kept = [
      put(`harness/projects/${projectKey}/s1/tool-results/b1.txt`),
      put(`harness/projects/${projectKey}/memory/MEMORY.md`),
      put('harness/projects/another-project/s1.jsonl'),
      put('harness/.claude.json'),
    ];
    await importCrashed(site);
    expect(filesBelow(root)).toEqual(kept.sort());
  });

  it('skips what the harness keeps for itself and a line that was cut', async () => {
    const own = ['api-request', 'api-request-shape', 'api-request-blob'].map((type) => ({ type, n: 1 }));
    write(transcript(main), [...own, ...whole.slice(0, 4)], `${JSON.stringify(whole[4]).slice(0, 40)}`);
    expect(await importCrashed(site)).toEqual({ entries: 4, failures: [] });
    expect(await store.load(main)).toEqual(whole.slice(0, 4));
  });

  it('makes the store whole again wherever it lost its entries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: whole.length, maxLength: whole.length }), async (has) => {
        const fresh = new SqliteSessionStore(':memory:');
        await fresh.append(
          main,
          whole.filter((_, i) => has[i]),
        );
        write(transcript(main), whole);
        const lost = has.filter((stored) => !stored).length;
        expect(await importCrashed({ ...site, store: fresh })).toEqual({ entries: lost, failures: [] });
        expectRecord(await fresh.load(main), whole);
        fresh.close();
      }),
      { numRuns: 50 },
    );
  });

  it.runIf(process.platform === 'linux')('are left alone while a living process has their folder', async () => {
    write(transcript(main), whole);
    const stop = await processIn(site.configDir);
    expect(await importCrashed(site)).toEqual({ entries: 0, failures: [] });
    expect(existsSync(transcript(main))).toBe(true);
    await stop();
    expect((await importCrashed(site)).entries).toBe(whole.length);
  });
});

describe('R8.60 resumed sessions', () => {
  it('gives the store what it lacks and removes the folder with its credentials', async () => {
    await store.append(main, whole.slice(0, -2));
    const folder = resumeFolder('a');
    expect(await importCrashed(site)).toEqual({ entries: 2 + workerWhole.length, failures: [] });
    expect(await store.load(main)).toEqual(whole);
    expect(existsSync(folder)).toBe(false);
  });

  it('takes a fork along that lies beside a session that the store knows', async () => {
    await store.append(main, whole);
    const fork = { ...main, sessionId: 'fork' };
    write(transcript(fork, resumeFolder('a')), whole.slice(0, 7));
    expect((await importCrashed(site)).entries).toBe(7 + workerWhole.length);
    expect(await store.load(fork)).toEqual(whole.slice(0, 7));
  });

  it('leaves a folder alone that holds no session of this store', async () => {
    const folder = resumeFolder('a');
    const before = filesBelow(folder);
    await store.append({ ...main, projectKey: 'other' }, whole.slice(0, 1));
    expect(await importCrashed(site)).toEqual({ entries: 0, failures: [] });
    expect(filesBelow(folder)).toEqual(before);
  });

  it.runIf(process.platform === 'linux')(
    'leaves a folder alone that a living process has, by whatever path, until it is gone',
    async () => {
      await store.append(main, whole.slice(0, 1));
      const folder = resumeFolder('a');
      symlinkSync(site.tmpDir, join(root, 'way'));
      const stop = await processIn(join(root, 'way', 'claude-resume-a'));
      expect(await importCrashed(site)).toEqual({ entries: 0, failures: [] });
      expect(existsSync(transcript(main, folder))).toBe(true);
      await stop();
      await importCrashed(site);
      expect(existsSync(folder)).toBe(false);
    },
  );

  it('tells by the file that the harness keeps, where processes cannot be looked at', async () => {
    vi.stubGlobal(
      'process',
      new Proxy(process, { get: (real, name) => (name === 'platform' ? 'darwin' : Reflect.get(real, name, real)) }),
    );
    await store.append(main, whole.slice(0, 1));
    const folder = resumeFolder('a');
    const file = put(`tmp/claude-resume-a/sessions/${process.pid}.json`);
    expect(await importCrashed(site)).toEqual({ entries: 0, failures: [] });
    rmSync(join(root, file));
    put(`tmp/claude-resume-a/sessions/${await deadPid()}.json`);
    expect((await importCrashed(site)).entries).toBeGreaterThan(0);
    expect(existsSync(folder)).toBe(false);
  });

  it('follows no link, neither to a folder nor in one', async () => {
    await store.append(main, whole.slice(0, 1));
    const elsewhere = resumeFolder('a', join(root, 'elsewhere'));
    symlinkSync(elsewhere, join(site.tmpDir, 'claude-resume-link'));
    for (const [name, link, target] of [
      ['b', 'projects', 'projects'],
      ['c', `projects/${projectKey}`, `projects/${projectKey}`],
      ['d', `projects/${projectKey}/s1.jsonl`, `projects/${projectKey}/s1.jsonl`],
      ['e', `projects/${projectKey}/s1`, `projects/${projectKey}/s1`],
    ] as const) {
      const at = join(site.tmpDir, `claude-resume-${name}`, link);
      mkdirSync(dirname(at), { recursive: true });
      symlinkSync(join(elsewhere, target), at);
    }
    const before = filesBelow(elsewhere);
    expect(await importCrashed(site)).toEqual({ entries: 0, failures: [] });
    expect(readdirSync(site.tmpDir).sort()).toEqual(
      ['b', 'c', 'd', 'e', 'link'].map((name) => `claude-resume-${name}`),
    );
    // A transcript of its own is taken in, and what lies behind the link beside it stays.
    write(transcript(main, join(site.tmpDir, 'claude-resume-e')), whole);
    expect(await importCrashed(site)).toEqual({ entries: whole.length - 1, failures: [] });
    expect(existsSync(join(site.tmpDir, 'claude-resume-e'))).toBe(false);
    expect(filesBelow(elsewhere)).toEqual(before);
  });

  // Only root can give a folder away.
  it.runIf(process.getuid?.() === 0)('leaves a folder of another user alone', async () => {
    await store.append(main, whole.slice(0, 1));
    const folder = resumeFolder('a');
    chownSync(folder, 12_345, 12_345);
    expect(await importCrashed(site)).toEqual({ entries: 0, failures: [] });
    expect(existsSync(transcript(main, folder))).toBe(true);
  });

  it('touches nothing else in the temporary folder', async () => {
    await store.append(main, whole.slice(0, 1));
    const kept = [put('tmp/claude-resume.txt'), put('tmp/claude-resume-file'), put('tmp/other/projects/x.jsonl')];
    await importCrashed(site);
    expect(filesBelow(root)).toEqual(kept.sort());
    expect(await importCrashed({ ...site, tmpDir: join(root, 'nowhere') })).toEqual({ entries: 0, failures: [] });
  });
});

describe('R8.60 where it fails', () => {
  it('keeps the session and names it, but not the credentials, and does the rest', async () => {
    await store.append(main, whole.slice(0, 1));
    const folder = resumeFolder('a');
    write(transcript({ ...main, sessionId: 's2' }), whole.slice(0, 3));
    const real = store.importTranscript.bind(store);
    const importTranscript = vi.spyOn(store, 'importTranscript').mockImplementation((key, lines) => {
      if (key.subpath) throw new Error('disk full');
      return real(key, lines);
    });
    const { entries, failures } = await importCrashed(site);
    expect(entries).toBe(whole.length - 1 + 3);
    expect(failures).toEqual([`${transcript(worker, folder)}: disk full`]);
    expect(filesBelow(folder).map((path) => path.split('/')[0])).toEqual(['projects', 'projects']);
    expect(existsSync(transcript({ ...main, sessionId: 's2' }))).toBe(false);

    importTranscript.mockRestore();
    expect(await importCrashed(site)).toEqual({ entries: workerWhole.length, failures: [] });
    expect(existsSync(folder)).toBe(false);
  });

  it('says so of a store that cannot be asked, and keeps everything', async () => {
    const folder = resumeFolder('a');
    const before = filesBelow(folder);
    vi.spyOn(store, 'hasSession').mockImplementation(() => {
      throw new Error('database is locked');
    });
    expect(await importCrashed(site)).toEqual({ entries: 0, failures: [`${folder}: database is locked`] });
    expect(filesBelow(folder)).toEqual(before);
  });
});

describe('R8.62 a store that cannot put entries at their place', () => {
  it('gets those that it lacks in the order of the file, and none twice', async () => {
    const inner = new InMemorySessionStore();
    const curating = new PruningSessionStore(inner, root);
    // As a database with JSON columns would: the fields in another order.
    await inner.append(main, whole.slice(0, -9).map(reversed));
    const own = { type: 'api-request', n: 1 };
    const odd = [{ uuid: 7 }, {}] as unknown as SessionStoreEntry[];
    write(transcript(main), [own, ...whole, ...odd]);
    const place = { ...site, store: curating };
    expect(await importCrashed(place)).toEqual({ entries: 9 + 2, failures: [] });
    expect((await inner.load(main))?.slice(-11)).toEqual([...whole.slice(-9), ...odd]);
    write(transcript(main), [own, ...whole, ...odd]);
    expect(await importCrashed(place)).toEqual({ entries: 0, failures: [] });
  });

  it('gets no result that curation made up for a resumed session', async () => {
    const inner = new InMemorySessionStore();
    const curating = new PruningSessionStore(inner, root);
    const cut = whole.slice(0, 1 + whole.findLastIndex((entry) => JSON.stringify(entry).includes('"tool_use"')));
    await inner.append(main, cut);
    const fedBack = (await curating.load(main)) ?? [];
    expect(curating.healed).toBeGreaterThan(0);
    write(transcript(main, resumeFolder('a')), fedBack);
    await importCrashed({ ...site, store: curating });
    expect(await inner.load(main)).toEqual(cut);
  });
});

describe('linesOf', () => {
  it('gives each line whole, whatever its length', () => {
    const lines = ['short', '€'.repeat(700_000), '', 'a'.repeat((1 << 20) - 1), 'b'.repeat(1 << 20), 'no end'];
    const path = join(root, 'lines');
    for (const ending of ['', '\n']) {
      writeFileSync(path, lines.join('\n') + ending);
      expect([...linesOf(path)]).toEqual(lines);
    }
    writeFileSync(path, '');
    expect([...linesOf(path)]).toEqual([]);
  });
});

/** The same entries, those on which others hang in the same order. What has no uuid has no place of its own. */
function expectRecord(found: readonly SessionStoreEntry[] | null, wanted: readonly SessionStoreEntry[]): void {
  expect(found?.filter(({ uuid }) => uuid)).toEqual(wanted.filter(({ uuid }) => uuid));
  expect(new Set(found)).toEqual(new Set(wanted));
}

function distinct(entries: readonly SessionStoreEntry[]): SessionStoreEntry[] {
  return [...new Map(entries.map((entry) => [entry.uuid ?? JSON.stringify(entry), entry])).values()];
}

function transcript({ projectKey: project, sessionId, subpath }: SessionKey, configDir = site.configDir): string {
  return `${join(configDir, 'projects', project, sessionId, subpath ?? '').replace(/\/$/, '')}.jsonl`;
}

function write(path: string, entries: readonly object[], rest = ''): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') + rest);
}

/** As the SDK makes one: a transcript with its worker's, and copies of settings and credentials. */
function resumeFolder(name: string, below = site.tmpDir): string {
  const folder = join(below, `claude-resume-${name}`);
  write(transcript(main, folder), whole);
  write(transcript(worker, folder), workerWhole);
  writeFileSync(join(folder, '.credentials.json'), '{}');
  writeFileSync(join(folder, 'settings.json'), '{}');
  return folder;
}

function put(path: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), 'x');
  return path;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function reversed<T extends object>(entry: T): T {
  return Object.fromEntries(Object.entries(entry).reverse()) as T;
}

/** Starts a process that has a folder as its config folder; gives how to end it. */
async function processIn(configDir: string): Promise<() => Promise<void>> {
  const child = spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: configDir } });
  await new Promise((resolve) => child.once('spawn', resolve));
  return async () => {
    child.kill();
    await new Promise((resolve) => child.once('exit', resolve));
  };
}

async function deadPid(): Promise<number | undefined> {
  const child = spawn('true');
  await new Promise((resolve) => child.once('exit', resolve));
  return child.pid;
}
