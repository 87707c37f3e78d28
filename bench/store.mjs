/**
 * What the session store costs, each time beside a baseline of the same run: appending beside a plain JSONL file without and with
 * fsync, loading with all curation beside JSON.parse over the same text, and the two queries that must not depend on size.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const KEY = { projectKey: 'bench', sessionId: 'session' };
const SIZES = [1000, 10_000, 100_000];
const SELF = fileURLToPath(import.meta.url);
const from = (file) => import(new URL(`../dist/store/${file}`, import.meta.url).href);

/** A session as long work makes it, about 1.5 KB an entry: prompts, thinking, calls that look and calls that act, results, a few large. */
function* transcript(count) {
  const commands = ['git status -s', 'npm test', 'ls -la src', 'node build.js --all', 'git diff --stat', 'make'];
  let parent = null;
  for (let n = 0; n < count; n += 1) {
    const turn = Math.floor(n / 4);
    const id = `toolu_${turn}`;
    const message = (role, content) => ({
      role,
      content,
      ...(role === 'assistant' && {
        id: `msg_${turn}`,
        model: 'm-1',
        usage: { input_tokens: 9, cache_read_input_tokens: 9000 },
      }),
    });
    const kinds = [
      () => ['user', message('user', [{ type: 'text', text: words(900, n) }])],
      () => [
        'assistant',
        message('assistant', [{ type: 'thinking', thinking: words(1000, n), signature: words(300, n) }]),
      ],
      () => [
        'assistant',
        message('assistant', [
          {
            type: 'tool_use',
            id,
            name: 'Bash',
            input: { command: `${commands[turn % 6]} ${turn % 50}`, description: words(700, n) },
          },
        ]),
      ],
      () => [
        'user',
        message('user', [
          { type: 'tool_result', tool_use_id: id, content: words(turn % 20 === 0 ? 6000 : 800, n), is_error: false },
        ]),
      ],
    ];
    const [type, body] = kinds[n % 4]();
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    yield {
      parentUuid: parent,
      isSidechain: false,
      type,
      message: body,
      uuid,
      timestamp: '2026-01-15T09:00:00.000Z',
      sessionId: 'session',
      cwd: '/home/dev/app',
      version: '2.1.332',
      gitBranch: 'main',
      userType: 'external',
      entrypoint: 'sdk-ts',
    };
    parent = uuid;
  }
}

function words(length, seed) {
  return `${seed} the importer reads one row after the other and says what it skips, `
    .repeat(Math.ceil(length / 70))
    .slice(0, length);
}

export async function benchAppend() {
  const { SqliteSessionStore } = await from('sqliteSessionStore.js');
  const entries = [...transcript(3000)];
  const rows = [];
  for (const [shape, size] of [
    ['one by one', 1],
    ['batches of 50', 50],
  ]) {
    const batches = [];
    for (let i = 0; i < entries.length; i += size) batches.push(entries.slice(i, i + size));
    const plain = await timed(batches, (folder) => jsonl(folder, false));
    const synced = await timed(batches, (folder) => jsonl(folder, true));
    const sqlite = await timed(batches, (folder) => {
      const store = new SqliteSessionStore(join(folder, 'sessions.db'));
      return { append: (batch) => store.append(KEY, batch), close: () => store.close() };
    });
    rows.push({
      shape,
      'JSONL, µs an entry': perEntry(plain),
      'JSONL with fsync': perEntry(synced),
      SQLite: perEntry(sqlite),
      'times JSONL': ratio(sqlite, plain),
      'times JSONL with fsync': ratio(sqlite, synced),
    });
  }
  return rows;

  function perEntry(ms) {
    return Math.round((ms * 1000) / entries.length);
  }
}

async function timed(batches, make) {
  const folder = mkdtempSync(join(tmpdir(), 'flower-bench-'));
  const target = make(folder);
  const started = performance.now();
  for (const batch of batches) await target.append(batch);
  const ms = performance.now() - started;
  target.close();
  rmSync(folder, { recursive: true });
  return ms;
}

function jsonl(folder, sync) {
  const file = openSync(join(folder, 'session.jsonl'), 'a');
  return {
    append(batch) {
      writeSync(file, batch.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      if (sync) fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

export async function benchLoad() {
  const { SqliteSessionStore } = await from('sqliteSessionStore.js');
  const rows = [];
  for (const count of SIZES) {
    const folder = mkdtempSync(join(tmpdir(), 'flower-bench-'));
    const store = new SqliteSessionStore(join(folder, 'sessions.db'));
    const entries = [...transcript(count)];
    for (let i = 0; i < count; i += 1000) await store.append(KEY, entries.slice(i, i + 1000));
    const text = entries.map((entry) => JSON.stringify(entry)).join('\n');
    writeFileSync(join(folder, 'session.jsonl'), text);
    const has = perCall(() => store.hasSession(KEY.projectKey, KEY.sessionId));
    const context = perCall(() => store.lastContext(KEY.projectKey, KEY.sessionId));
    store.close();

    const parse = inChild('parse', folder);
    inChild('load', folder); // writes the files of large results
    const load = inChild('load', folder);
    const megabytes = Buffer.byteLength(text) / 2 ** 20;
    rows.push({
      entries: count,
      MB: Math.round(megabytes),
      'JSON.parse, ms': parse.ms.map(Math.round).join(', '),
      'load, ms': load.ms.map(Math.round).join(', '),
      'first, times JSON.parse': ratio(load.ms[0], parse.ms[0]),
      'third, times JSON.parse': ratio(load.ms[2], parse.ms[2]),
      'peak of parse, times the text': ratio(parse.peakMB, megabytes),
      'peak of load, times the text': ratio(load.peakMB, megabytes),
      'hasSession, µs': has,
      'lastContext, µs': context,
    });
    rmSync(folder, { recursive: true });
  }
  return rows;
}

function perCall(query) {
  for (let i = 0; i < 100; i += 1) query();
  const started = performance.now();
  for (let i = 0; i < 1000; i += 1) query();
  return Math.round(performance.now() - started);
}

/**
 * Each measurement in a process of its own, as memory is not given back. The flag keeps out what V8 does in the background once in a
 * process: it compiles the shell grammar a second time, which is half a second of processor time that nobody waits for.
 */
function inChild(what, folder) {
  return JSON.parse(execFileSync(process.execPath, ['--liftoff-only', SELF, what, folder], { encoding: 'utf8' }));
}

const measured = {
  async parse(folder) {
    const text = readFileSync(join(folder, 'session.jsonl'), 'utf8');
    return () => text.split('\n').map((line) => JSON.parse(line));
  },
  async load(folder) {
    const { PruningSessionStore } = await from('pruningSessionStore.js');
    const store = new PruningSessionStore(join(folder, 'sessions.db'), folder);
    await store.load({ ...KEY, sessionId: 'none' });
    return () => store.load(KEY);
  },
};

/**
 * Three times in one process, as the first one also warms up the compiler; the memory is that of the first.
 * Processor time: what else the machine does meanwhile does not count.
 */
async function measure(what, folder) {
  const run = await measured[what](folder);
  const before = process.memoryUsage().rss / 2 ** 20;
  const ms = [];
  let peakMB = 0;
  for (let n = 0; n < 3; n += 1) {
    const started = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(started);
    ms.push((user + system) / 1000);
    peakMB ||= process.resourceUsage().maxRSS / 1024 - before;
  }
  process.stdout.write(JSON.stringify({ ms, peakMB }));
}

function ratio(value, base) {
  return Number((value / base).toFixed(2));
}

if (process.argv[1] === SELF) {
  const [what, folder] = process.argv.slice(2);
  if (what) await measure(what, folder);
  else {
    console.table(await benchAppend());
    console.table(await benchLoad());
  }
}
