import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuMs, exponent, growth, inTurn, median, ratioOf, round } from './frame/figures.mjs';
import { inFolder } from './frame/place.mjs';

const KEY = { projectKey: 'bench', sessionId: 'session' };
const SIZES = [1000, 10_000, 100_000];
const LONG = 1_000_000;
const APPENDS = 3000;
const ROUNDS = 3;
const SELF = fileURLToPath(import.meta.url);
const from = (file, base) => import(new URL(`store/${file}`, base));

export const store = {
  name: 'store',
  title: 'What the session store costs',
  question:
    'Appending beside a plain JSONL file without and with fsync; loading with all curation beside JSON.parse over the same text; and the two queries that must not depend on size.',
  run: benchStore,
};

async function benchStore({ base, long }) {
  const append = await benchAppend(base);
  const rows = [];
  for (const count of long ? [...SIZES, LONG] : SIZES)
    rows.push(await inFolder((folder) => measureSize(base, folder, count)));
  const power = (column) =>
    exponent(
      rows.map(({ entries }) => entries),
      rows.map((row) => row[column]),
    );
  const time = power('third load, ms');
  const memory = power('memory of a load, MB');
  const query = power('lastContext, µs');
  return {
    tables: [
      {
        title: 'Appending',
        rows: append.rows,
        notes: [
          'SQLite (WAL, `synchronous = NORMAL`) waits for the disk at checkpoints, the file with fsync at each append. Both outlive a kill of the process; after a power cut the last entries may be missing from the store.',
        ],
      },
      {
        title: 'Loading, by entries of a session',
        rows,
        notes: [
          `Time grows by the power of ${time}, memory by ${memory}, lastContext by ${query}. A first load in a process also warms up the compiler.`,
        ],
      },
    ],
    ratios: [
      ...append.ratios,
      {
        name: 'third load of 100,000 entries, times JSON.parse',
        value: rows[SIZES.length - 1]['third, times JSON.parse'],
      },
      growth('time of a load', time),
      growth('memory of a load', memory),
    ],
  };
}

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

async function benchAppend(base) {
  const { SqliteSessionStore } = await from('sqliteSessionStore.js', base);
  const entries = [...transcript(APPENDS)];
  const rows = [];
  const ratios = [];
  for (const [shape, size] of [
    ['one by one', 1],
    ['batches of 50', 50],
  ]) {
    const batches = [];
    for (let i = 0; i < entries.length; i += size) batches.push(entries.slice(i, i + size));
    const times = await inTurn(ROUNDS, {
      plain: () => timed(batches, (folder) => jsonl(folder, false)),
      synced: () => timed(batches, (folder) => jsonl(folder, true)),
      sqlite: () =>
        timed(batches, (folder) => {
          const target = new SqliteSessionStore(join(folder, 'sessions.db'));
          return { append: (batch) => target.append(KEY, batch), close: () => target.close() };
        }),
    });
    const perEntry = (list) => Math.round((median(list) * 1000) / entries.length);
    const ratio = ratioOf(times.sqlite, times.synced);
    rows.push({
      shape,
      'JSONL, µs an entry': perEntry(times.plain),
      'JSONL with fsync': perEntry(times.synced),
      SQLite: perEntry(times.sqlite),
      'times JSONL': ratioOf(times.sqlite, times.plain),
      'times JSONL with fsync': ratio,
    });
    ratios.push({ name: `appending ${shape}, times JSONL with fsync`, value: ratio, noisy: true });
  }
  return { rows, ratios };
}

function timed(batches, make) {
  return inFolder(async (folder) => {
    const target = make(folder);
    const started = performance.now();
    for (const batch of batches) await target.append(batch);
    const ms = performance.now() - started;
    target.close();
    return ms;
  });
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

async function measureSize(base, folder, count) {
  const { SqliteSessionStore } = await from('sqliteSessionStore.js', base);
  const target = new SqliteSessionStore(join(folder, 'sessions.db'));
  const file = openSync(join(folder, 'session.jsonl'), 'a');
  let bytes = 0;
  let batch = [];
  for (const entry of transcript(count)) {
    batch.push(entry);
    if (batch.length < 1000) continue;
    await target.append(KEY, batch);
    bytes += writeSync(file, batch.map((each) => `${JSON.stringify(each)}\n`).join(''));
    batch = [];
  }
  closeSync(file);
  const has = perCall(() => target.hasSession(KEY.projectKey, KEY.sessionId));
  const context = perCall(() => target.lastContext(KEY.projectKey, KEY.sessionId));
  target.close();

  // A text of gigabytes is more than one string can hold.
  const parse = count < LONG ? inChild('parse', folder, base) : null;
  inChild('load', folder, base); // writes the files of large results
  const load = inChild('load', folder, base);
  const megabytes = bytes / 2 ** 20;
  return {
    entries: count,
    'text, MB': Math.round(megabytes),
    'JSON.parse, ms': parse === null ? '' : Math.round(parse.ms[2]),
    'first load, ms': Math.round(load.ms[0]),
    'third load, ms': Math.round(load.ms[2]),
    'first, times JSON.parse': parse === null ? '' : round(load.ms[0] / parse.ms[0]),
    'third, times JSON.parse': parse === null ? '' : round(load.ms[2] / parse.ms[2]),
    'memory of a load, MB': Math.round(load.peakMB),
    'times the text': round(load.peakMB / megabytes),
    'hasSession, µs': has,
    'lastContext, µs': context,
  };
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
function inChild(what, folder, base) {
  const flags = ['--liftoff-only', '--max-old-space-size=16000'];
  return JSON.parse(execFileSync(process.execPath, [...flags, SELF, what, folder, base.href], { encoding: 'utf8' }));
}

const measured = {
  async parse(folder) {
    const text = readFileSync(join(folder, 'session.jsonl'), 'utf8');
    return () =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
  },
  async load(folder, base) {
    const { PruningSessionStore } = await from('pruningSessionStore.js', base);
    const target = new PruningSessionStore(join(folder, 'sessions.db'), folder);
    await target.load({ ...KEY, sessionId: 'none' });
    return () => target.load(KEY);
  },
};

/**
 * Three times in one process, as the first one also warms up the compiler; the memory is that of the first.
 * Processor time: what else the machine does meanwhile does not count.
 */
async function measure(what, folder, base) {
  const run = await measured[what](folder, base);
  const before = process.memoryUsage().rss / 2 ** 20;
  const ms = [];
  let peakMB = 0;
  for (let n = 0; n < 3; n += 1) {
    ms.push(await cpuMs(run));
    peakMB ||= process.resourceUsage().maxRSS / 1024 - before;
  }
  process.stdout.write(JSON.stringify({ ms, peakMB }));
}

if (process.argv[1] === SELF) {
  const [what, folder, base] = process.argv.slice(2);
  await measure(what, folder, base);
}
