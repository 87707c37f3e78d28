import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemorySessionStore, type SessionStore } from '@anthropic-ai/claude-agent-sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  assistant,
  bash,
  blocks,
  call,
  calls,
  result,
  resultContents,
  text,
  user,
} from '../../test/support/storeTranscripts.js';
import { EphemeralPolicy } from './ephemeralPolicy.js';
import { trimReport } from './loadReport.js';
import { TrimmingSessionStore } from './trimmingSessionStore.js';
import { TrimPolicy } from './trimPolicy.js';

type Entries = Parameters<SessionStore['append']>[1];
type Options = ConstructorParameters<typeof TrimmingSessionStore>[2];

const key = { projectKey: 'app', sessionId: 's1' };
let workspace: string;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'flower-trim-'));
});

async function load(entries: Entries, options: Options = {}) {
  const before = JSON.stringify(entries);
  const store = new TrimmingSessionStore(new InMemorySessionStore(), workspace, { locale: 'en', ...options });
  await store.append(key, entries);
  const loaded = (await store.load(key)) ?? [];
  expect(JSON.stringify(await store.load(key))).toBe(JSON.stringify(loaded));
  expect(JSON.stringify(entries)).toBe(before);
  const twice = new TrimmingSessionStore(store, workspace, options);
  expect(await twice.load(key)).toEqual(loaded);
  return { loaded, report: store.lastReport, store };
}

const looks = (n: number) =>
  calls(
    Array.from({ length: n }, (_, i) => ['git status -s', `M file${i}`] as const),
    null,
  );

describe('results that go out of date', () => {
  const ephemeral = new EphemeralPolicy({ keepRecent: 2 }, 'en');

  it('expire but for the newest, in the same words whatever comes later', async () => {
    const { loaded, report } = await load(looks(6), { ephemeral });
    const old =
      '[result of `git status -s` is out of date (3 looks ago) and the state may have changed; run it again if needed]';
    expect(resultContents(loaded)).toEqual([old, old, old, old, 'M file4', 'M file5']);
    expect(report).toMatchObject({ expired: 4 });
    const later = await load(looks(7), { ephemeral });
    expect(later.loaded.slice(0, 8)).toEqual(loaded.slice(0, 8));
  });

  it('are those of commands that only look, and short ones', async () => {
    const entries = calls(
      [
        ['pytest', 'ok'],
        ['git diff', 'x'.repeat(2001)],
        ['git status', 'clean'],
      ],
      null,
    );
    const { loaded, report } = await load([...entries, user('end', 'result2', 'go on')], {
      ephemeral: new EphemeralPolicy({ keepRecent: 0 }),
    });
    expect(resultContents(loaded).slice(0, 2)).toEqual(['ok', 'x'.repeat(2001)]);
    expect(report.expired).toBe(1);
  });

  it('are never images, summaries or notes of the program, nor what Read gave', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const entries = [
      assistant('a', null, 'm', [bash('1', 'ls'), bash('2', 'ls'), bash('3', 'ls'), call('4', 'Read')]),
      user('r1', 'a', [result('1', [image])]),
      user('r2', 'r1', [result('2', 'x')], { isCompactSummary: true }),
      user('r3', 'r2', [result('3', 'x')], { isMeta: true }),
      user('r4', 'r3', [result('4', 'x')]),
    ];
    const { loaded, report } = await load(entries, { ephemeral: new EphemeralPolicy({ keepRecent: 0 }) });
    expect(loaded).toEqual(entries);
    expect(report.expired).toBe(0);
  });

  it('show the first line of the command, at most 60 characters of it, never half a character', () => {
    const { placeholder } = new EphemeralPolicy({ text: '{cmd} {age}' });
    const policy = new EphemeralPolicy({ text: '{cmd} {age}' });
    expect(placeholder.call(policy, '  echo {age} $&\nrm x', 7)).toBe('`echo {age} $&` 7');
    expect(policy.placeholder('🌼'.repeat(80), 1)).toBe(`\`${'🌼'.repeat(60)}\` 1`);
  });

  it('stay when the policy is off', async () => {
    const { loaded, report } = await load(looks(9), { ephemeral: new EphemeralPolicy({ enabled: false }) });
    expect(loaded).toEqual(looks(9));
    expect(report).not.toHaveProperty('expired');
  });
});

describe('large results', () => {
  const large = (n: number, i: number) => `${i}`.padEnd(n, 'x');
  const makes = (n: number) =>
    calls(
      Array.from({ length: n }, (_, i) => ['make', large(2000 + i, i)] as const),
      null,
    );

  it('go to files but for the newest 20 of them; small ones do not count', async () => {
    const { loaded, report, store } = await load(
      calls(
        [...Array(25)].flatMap(
          (_, i) =>
            [
              ['make', large(2000 + i, i)],
              ['pytest', 'ok'],
            ] as const,
        ),
        null,
      ),
    );
    const contents = resultContents(loaded) as string[];
    expect(report).toMatchObject({ cleared: 5, kept: 20, charsSaved: 2000 + 2001 + 2002 + 2003 + 2004 });
    expect(contents.filter((content) => content === 'ok')).toHaveLength(25);
    const [, count, path] =
      /^\[tool result archived: (\d+) characters, all of it in (\S+); use Read if needed\]$/.exec(contents[2] ?? '') ??
      [];
    expect(count).toBe('2001');
    expect(path).toMatch(/^\.flower\/spill\/[0-9a-f]{16}\.txt$/);
    expect(readFileSync(join(workspace, path ?? ''), 'utf8')).toBe(large(2001, 1));
    expect(trimReport(store, 'en')).toBe('trimmed 5 tool results (the latest 20 kept), saving ~2502 tokens');
  });

  it('show the absolute path of a folder outside the workspace, a relative one inside', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'flower-spill-'));
    for (const [spillDir, shown] of [
      [outside, `${outside}/`],
      [join(workspace, 'notes', 'spill'), 'notes/spill/'],
    ] as const) {
      const { loaded } = await load(makes(1), { policy: new TrimPolicy({ keepRecent: 0, spillDir }, 'zh') });
      expect(resultContents(loaded)[0]).toContain(`完整内容在 ${shown}`);
      expect(readdirSync(spillDir)).toHaveLength(1);
    }
  });

  it('stay as they are when the file cannot be written', async () => {
    const file = join(workspace, 'file');
    writeFileSync(file, '');
    const { loaded, report } = await load(makes(1), {
      policy: new TrimPolicy({ keepRecent: 0, spillDir: join(file, 'below') }),
    });
    expect(loaded).toEqual(makes(1));
    expect(report).toMatchObject({ cleared: 0, kept: 1, charsSaved: 0 });
  });

  it('are text only: several blocks count together, one with an image stays', async () => {
    const parts = [text('x'.repeat(1500)), text('y'.repeat(1500))];
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const entries = [
      assistant('a', null, 'm', [call('1', 'Agent'), call('2', 'Read')]),
      user('r1', 'a', [result('1', parts)]),
      user('r2', 'r1', [result('2', [...parts, image])]),
    ];
    const { loaded } = await load(entries, { policy: new TrimPolicy({ keepRecent: 0 }) });
    expect(blocks(loaded[1])[0]?.content).toMatch(/archived: 3000/);
    expect(loaded[2]).toEqual(entries[2]);
  });
});

it('says in three forms and two languages what was trimmed', () => {
  expect(trimReport({ lastReport: {} }, 'en')).toBe('nothing trimmed');
  expect(trimReport({ lastReport: {} }, 'zh')).toBe('未裁剪');
  expect(trimReport({ lastReport: { expired: 3, cleared: 0 } }, 'en')).toBe('3 results marked as out of date');
  expect(trimReport({ lastReport: { expired: 3 } }, 'zh')).toBe('3 个时效性结果标记为过期');
  const full = { expired: 3, cleared: 2, kept: 20, charsSaved: 4003 };
  expect(trimReport({ lastReport: full }, 'zh')).toBe('裁掉 2 个工具结果(保留最近 20 个),省下 ~1000 tokens');
});

describe('what stands in front of a store', () => {
  it('has the optional methods that the inner store has, and no others', () => {
    const bare = new TrimmingSessionStore({ append: async () => {}, load: async () => null }, workspace);
    for (const name of ['listSessions', 'listSessionSummaries', 'delete', 'listSubkeys', 'importTranscript'] as const) {
      expect(name in bare).toBe(false);
    }
    const memory = new TrimmingSessionStore(new InMemorySessionStore(), workspace);
    expect('listSubkeys' in memory).toBe(true);
    expect('importTranscript' in memory).toBe(false);
    const sqlite = new TrimmingSessionStore(':memory:', workspace);
    expect(sqlite.importTranscript?.(key, ['{"type":"user","uuid":"u"}'])).toBe(1);
  });

  it('answers queries that the inner store lacks from its entries', async () => {
    const usage = { input_tokens: 7 };
    const entries = [
      assistant('a', null, 'm', [text('x')], { message: { usage, content: [text('x')] } }),
      user('u', 'a', 'y'),
    ];
    const store = new TrimmingSessionStore(
      { append: async () => {}, load: async ({ sessionId }) => (sessionId === 's1' ? entries : null) },
      workspace,
    );
    expect(await store.hasSession('app', 's1')).toBe(true);
    expect(await store.hasSession('app', 's2')).toBe(false);
    expect(await store.lastContext('app', 's1')).toBe(7);
    expect(await store.lastContext('app', 's1', { scan: 1 })).toBe(0);
    expect(await store.projects()).toEqual([]);
    await store.close();
    expect([store.fault, store.flush()]).toEqual([null, true]);
  });

  it('passes on promises of the inner store', async () => {
    const inner = Object.assign(new InMemorySessionStore(), {
      hasSession: async () => true,
      lastContext: async () => 5,
      projects: async () => ['p'],
      close: async () => {},
    });
    const store = new TrimmingSessionStore(inner, workspace);
    expect([await store.hasSession('p', 's'), await store.lastContext('p', 's'), await store.projects()]).toEqual([
      true,
      5,
      ['p'],
    ]);
  });

  it('passes nothing on for an empty batch, and hands its listener to the inner store', async () => {
    const inner = new TrimmingSessionStore(':memory:', workspace);
    const store = new TrimmingSessionStore(inner, workspace);
    const listener = () => {};
    store.onFault = listener;
    expect(inner.onFault).toBe(listener);
    const memory = new TrimmingSessionStore(new InMemorySessionStore(), workspace);
    await memory.append(key, []);
    expect(await memory.load(key)).toBeNull();
  });
});

describe('policies', () => {
  it.each([
    [{ keepRecent: -1 }, /TrimPolicy: keepRecent must be a whole number from 0 on, got -1/],
    [{ keepRecent: '3' }, /TrimPolicy: keepRecent must be a number, got "3"/],
    [{ keepResent: 3 }, /TrimPolicy: no option keepResent; known: .*keepRecent/],
  ])('refuse %j', (fields, message) => {
    expect(() => new TrimPolicy(fields as object)).toThrow(message);
  });

  it('take null as their defaults', () => {
    const store = new TrimmingSessionStore(':memory:', workspace, { policy: null, ephemeral: null });
    expect([store.policy.keepRecent, store.ephemeral.keepRecent]).toEqual([20, 6]);
  });
});
