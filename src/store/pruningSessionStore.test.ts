import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import {
  assistant,
  bash,
  blocks,
  call,
  chain,
  find,
  recorded,
  result,
  resultContents,
  text,
  user,
} from '../../test/support/storeTranscripts.js';
import { openDatabase } from '../database/database.js';
import { contextOf } from './contextOf.js';
import { validate } from './curate/validate.js';
import { PrunePolicy } from './prunePolicy.js';
import { PruningSessionStore } from './pruningSessionStore.js';
import { TrimPolicy } from './trimPolicy.js';

const workspace = mkdtempSync(join(tmpdir(), 'flower-prune-'));
const key = { projectKey: 'app', sessionId: 's1' };

async function load(entries: SessionStoreEntry[], prune: ConstructorParameters<typeof PrunePolicy>[0] = {}) {
  const policy = new PrunePolicy({
    interruptText: '[cut]',
    cutWorkerText: '[worker cut off]',
    orphanText: '[again]',
    orphanUnknownText: '[unknown]',
    ...prune,
  });
  const store = new PruningSessionStore(':memory:', workspace, { prune: policy });
  await store.append(key, entries);
  const loaded = (await store.load(key)) ?? [];
  const counts = { pruned: store.pruned, denialsDropped: store.denialsDropped, healed: store.healed };
  expect(await store.load(key)).toEqual(loaded);
  const twice = new PruningSessionStore(store, workspace, { prune: policy });
  expect(await twice.load(key)).toEqual(loaded);
  expect(await store.inner.load(key)).toEqual(entries);
  return { loaded, store, ...counts };
}

const denied = { toolDenialKind: 'permission-rule', permissionDecision: { decision: 'reject', source: 'hook' } };

describe('refused calls', () => {
  const entries = [
    user('u1', null, 'go'),
    assistant('a1', 'u1', 'm1', [text('I look.'), bash('t1', 'npm test'), bash('t2', 'rm -rf x')]),
    user('r1', 'a1', [result('t1', 'passed')]),
    user('r2', 'r1', [result('t2', 'no', { is_error: true })], { ...denied, toolUseResult: 'Error: no' }),
    assistant('a2', 'r2', 'm2', [bash('t4', 'rm y')]),
    user('r4', 'a2', [result('t4', 'no'), text('and a word')], { ...denied, toolUseResult: 'Error: no' }),
    assistant('a3', 'r4', 'm3', [text('done')]),
  ];

  it.each([
    [0, []],
    [1, ['t4']],
    [5, ['t2', 't4']],
  ])('with keepDenials %i: %j stay, whole; the sound call beside them too', async (keepDenials, kept) => {
    const { loaded, denialsDropped } = await load(entries, { keepDenials });
    const ids = loaded
      .flatMap(blocks)
      .map((block) => block.tool_use_id ?? block.id)
      .filter((id) => id !== undefined);
    expect([...new Set(ids)].sort()).toEqual(['t1', ...kept]);
    expect(denialsDropped).toBe(2 - kept.length);
    expect(blocks(loaded[1]).slice(0, 2)).toEqual([text('I look.'), bash('t1', 'npm test')]);
    expect(validate(loaded, entries)).toEqual([]);
    expect(chain(loaded).at(-1)).toBe('u1');
    expect(JSON.stringify(loaded).split('Error: no').length - 1).toBe(kept.length);
    expect(JSON.stringify(loaded)).toContain('and a word');
  });

  it('of the last message stay', async () => {
    const { loaded, denialsDropped } = await load(entries.slice(0, 6), { keepDenials: 0 });
    expect(denialsDropped).toBe(1);
    expect(resultContents(loaded)).toEqual(['passed', 'no']);
  });

  it.each([
    ['a person said it', { toolDenialKind: 'permission-rule', holdsPersonsWords: true }],
    ['a person was asked', { toolDenialKind: 'user-rejected', permissionDecision: { source: 'user_reject' } }],
    ['the tool itself failed', {}],
  ])('stay when %s', async (_, marks) => {
    const list = entries.map((entry) =>
      entry.uuid === 'r2' ? { ...user('r2', 'r1', [result('t2', 'no')]), ...marks } : entry,
    );
    expect((await load(list, { keepDenials: 0 })).denialsDropped).toBe(1);
  });

  it('stay when there is a true result as well', async () => {
    const both = entries.toSpliced(4, 0, user('r3', 'r2', [result('t2', 'done after all')]));
    const { loaded, denialsDropped } = await load(both, { keepDenials: 0 });
    expect(denialsDropped).toBe(1);
    expect(JSON.stringify(loaded)).toContain('rm -rf x');
  });

  it('count as refused when nobody was there to grant them', async () => {
    const marks = { toolDenialKind: 'user-rejected', permissionDecision: { decision: 'reject', source: 'config' } };
    const list = entries.map((entry) => (entry.uuid === 'r2' ? { ...entry, ...marks } : entry));
    expect((await load(list, { keepDenials: 0 })).denialsDropped).toBe(2);
  });
});

describe('lines that the program wrote in the name of the model', () => {
  const synthetic = (uuid: string, parent: string, words: string, extra = {}) =>
    assistant(uuid, parent, `id-${uuid}`, [text(words)], {
      message: { id: `id-${uuid}`, role: 'assistant', model: '<synthetic>', content: [text(words)] },
      ...extra,
    });
  const entries = [
    user('d5', null, 'begin'),
    assistant('d6', 'd5', 'msg_01', [text('Saying "No response requested." is no answer.')], {}),
    user('d65', 'd6', 'the open request'),
    synthetic('d7', 'd65', "You've hit your session limit", { isApiErrorMessage: true }),
    user('d8', 'd7', 'continue'),
    synthetic('d9', 'd8', 'No response requested.'),
    user('d10', 'd9', 'Continue from where you left off.', { isMeta: true }),
  ];

  it('go, by their marks; prompts and quotes of them stay, and the chain is whole (C13)', async () => {
    const { loaded, pruned } = await load(entries);
    expect(loaded.map((entry) => [entry.uuid, entry.parentUuid])).toEqual([
      ['d5', null],
      ['d6', 'd5'],
      ['d65', 'd6'],
      ['d8', 'd65'],
      ['d10', 'd8'],
    ]);
    expect(pruned).toBe(2);
  });

  it('go at the end too, and without a uuid', async () => {
    const end = [...entries.slice(0, 4), { ...synthetic('x', 'd7', 'API Error'), uuid: undefined }];
    expect((await load(end as SessionStoreEntry[])).loaded.map(({ uuid }) => uuid)).toEqual(['d5', 'd6', 'd65']);
  });

  it('stay when the switch is off', async () => {
    expect((await load(entries, { dropApiErrors: false })).loaded).toEqual(entries);
  });

  it('leave the context size as the last real reply told it', async () => {
    const untilError = recorded('session').slice(0, 51);
    expect(untilError.at(-1)).toMatchObject({ message: { model: '<synthetic>' } });
    const { loaded, store } = await load(untilError);
    expect(await store.lastContext('app', 's1')).toBe(contextOf(loaded.toReversed()));
    expect(contextOf(loaded.toReversed())).toBeGreaterThan(0);
  });
});

describe('what the program says of a worker that an API failure ended', () => {
  const notice =
    'Agent terminated early due to an API error: API Error: 502 <html>\n\n</html> (error type server_error)';
  const report = (name: string, content: unknown, marks = {}) => [
    user('u', null, 'go'),
    assistant('a', 'u', 'm', [call('t', name, { prompt: 'Do it.' })]),
    user('r', 'a', [result('t', content, marks)]),
  ];
  const contentOf = async (entries: SessionStoreEntry[], prune = {}) =>
    resultContents((await load(entries, prune)).loaded)[0];

  it('names the failure no more', async () => {
    const { loaded } = await load(report('Agent', notice, { is_error: true }));
    expect(blocks(find(loaded, 'r'))).toEqual([result('t', '[worker cut off]', { is_error: false })]);
  });

  it('keeps what the worker had said, and other blocks', async () => {
    const partial = `  ${notice}\n  \n  Everything below is PARTIAL output recovered from the agent before it was cut off.`;
    const said = '\n[Subagent hand-back]\n  Half of it is in the log: Agent terminated early.';
    const content = await contentOf(report('Agent', [text(`${partial}${said}`), text('usage')]));
    expect(content).toEqual([text(`[worker cut off]${said}`), text('usage')]);
  });

  it('also where the call is no longer there', async () => {
    const entries = report('Agent', notice).toSpliced(1, 1);
    expect(JSON.stringify((await load(entries)).loaded)).not.toContain('502');
  });

  it('stays where it is the output of another tool, where a report quotes it, and when the switch is off', async () => {
    expect(await contentOf(report('Bash', notice))).toBe(notice);
    expect(await contentOf(report('Agent', `The log says: ${notice}`))).toBe(`The log says: ${notice}`);
    expect(await contentOf(report('Agent', notice), { dropApiErrors: false })).toBe(notice);
  });

  it('is replaced before it is put into a file', async () => {
    const store = new PruningSessionStore(':memory:', workspace, {
      prune: new PrunePolicy({ cutWorkerText: '[worker cut off]' }),
      policy: new TrimPolicy({ keepRecent: 0, minChars: 50 }),
    });
    await store.append(key, report('Agent', notice));
    expect(resultContents((await store.load(key)) ?? [])).toEqual(['[worker cut off]']);
  });
});

describe('what an interrupt left', () => {
  const cut = (name: string, marks: object, input: object = {}) => [
    user('u', null, 'go'),
    assistant('a', 'u', 'm', [call('t', name, input)]),
    user('r', 'a', [result('t', "The user doesn't want to proceed", { is_error: true })], marks),
    user('w', 'r', '[Request interrupted by user for tool use]'),
  ];
  const interrupted = { toolDenialKind: 'user-rejected' };

  it.each([
    ['a look', 'Read', interrupted, {}, '[cut]'],
    ['a command that looks', 'Bash', interrupted, { command: 'git status' }, '[cut]'],
    ['a question of flower', 'mcp__human__ask', interrupted, {}, '[cut]'],
    ['a call that had not begun', 'Bash', { ...interrupted, toolDenialBeforeRun: true }, { command: 'make' }, '[cut]'],
    ['a command that acts', 'Bash', interrupted, { command: 'make' }, '[unknown]'],
    ['a process that ended', 'Write', { toolDenialKind: 'interrupted' }, {}, '[unknown]'],
  ])('%s is told truly', async (_, name, marks, input, words) => {
    const { loaded } = await load(cut(name, marks, input));
    expect(blocks(find(loaded, 'r'))).toEqual([
      { type: 'tool_result', tool_use_id: 't', content: words, is_error: false },
    ]);
    expect(loaded).toHaveLength(4);
  });

  it('is known by its words in older records', async () => {
    const entries = cut('Read', {});
    entries[2] = user('r', 'a', [result('t', '[Request interrupted by user]', { is_error: true })]);
    expect(resultContents((await load(entries)).loaded)).toEqual(['[cut]']);
  });

  it('is told truly before it is large enough for a file', async () => {
    const entries = cut('Bash', {}, { command: 'make' });
    entries[2] = user('r', 'a', [result('t', `${'x'.repeat(3000)}[Request interrupted by user]`, { is_error: true })]);
    const store = new PruningSessionStore(':memory:', workspace, {
      prune: new PrunePolicy({ orphanUnknownText: '[unknown]' }),
      policy: new TrimPolicy({ keepRecent: 0 }),
    });
    await store.append(key, entries);
    expect(resultContents((await store.load(key)) ?? [])).toEqual(['[unknown]']);
  });

  it('is not a refusal that was decided', async () => {
    const entries = cut('Read', { toolDenialKind: 'user-rejected', permissionDecision: { source: 'user_reject' } });
    expect((await load(entries)).loaded).toEqual(entries);
  });

  it('stays when the switch is off', async () => {
    const entries = cut('Read', interrupted);
    expect((await load(entries, { neutralizeInterrupts: false })).loaded).toEqual(entries);
  });
});

it('curates a recorded session with all of it, and says what it did', async () => {
  const { loaded, store, pruned, denialsDropped, healed } = await load(recorded('session'));
  expect(validate(loaded, recorded('session'))).toEqual([]);
  expect({ pruned, denialsDropped, healed }).toEqual({ pruned: 2, denialsDropped: 0, healed: 1 });
  expect(store.lastReport).toMatchObject({ expired: 0, cleared: 0, mended: { orphans: 1, moved: 0, unreadable: 0 } });
  expect(store.lastReport.faults).toBeUndefined();
  expect(resultContents(loaded).slice(-2)).toEqual(['[unknown]', '[unknown]']);
});

it('counts what could not be read', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'flower-prune-')), 'sessions.db');
  const store = new PruningSessionStore(path, workspace);
  await store.append(key, [user('u', null, 'x'), user('v', 'u', 'y')]);
  const database = openDatabase(path);
  database.handle.prepare("UPDATE entries SET payload = '{' WHERE uid = 'u'").run();
  expect(await store.load(key)).toEqual([user('v', null, 'y')]);
  expect(store.lastReport.mended).toMatchObject({ unreadable: 1, parents: 1 });
  database.close();
  await store.close();
});

it('tells of each load by its key, as the subagents of a session are loaded after it', async () => {
  const store = new PruningSessionStore(':memory:', workspace);
  const sub = { ...key, subpath: 'subagents/agent-1' };
  const cut = [user('u', null, 'go'), assistant('a', 'u', 'm', [bash('t', 'make')])];
  await store.append(key, cut);
  await store.append(sub, cut.slice(0, 1));
  const told: unknown[] = [];
  store.onLoad = (of, report) => told.push([of.subpath, report.mended?.orphans]);
  await store.load(key);
  await store.load(sub);
  await store.load({ ...key, sessionId: 'unknown' });
  expect(told).toEqual([
    [undefined, 1],
    ['subagents/agent-1', 0],
  ]);
});

it('says what is still wrong when a switch leaves it alone', async () => {
  const entries = [user('u', null, 'go'), assistant('a', 'u', 'm', [bash('t', 'make')]), user('v', 'a', 'on')];
  const { loaded, store } = await load(entries, { healOrphans: false });
  expect(loaded).toEqual(entries);
  expect(store.lastReport.faults).toEqual(['call t: 0 results in the next message']);
});
