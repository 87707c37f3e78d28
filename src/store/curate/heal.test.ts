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
  text,
  user,
} from '../../../test/support/storeTranscripts.js';
import { heal, healOrphans } from './heal.js';
import { validate } from './validate.js';

const texts = { orphan: '[again]', unknown: '[unknown]', lost: '[lost]', start: '[no start]' };
type Entries = Parameters<typeof heal>[0];

function healed(entries: Entries) {
  const { entries: list, mended } = heal(entries, texts);
  expect(validate(list, entries)).toEqual([]);
  expect(heal(list, texts).entries).toBe(list);
  return { list, mended };
}

/** A killed process: two calls in one message, the first answered. */
const killed = [
  user('a1', null, 'Count the lines of notes.txt and other.txt'),
  assistant('a2', 'a1', 'msg_01A', [bash('toolu_A', 'git status')]),
  assistant('a3', 'a2', 'msg_01A', [bash('toolu_B', 'npm run migrate')]),
  user('a4', 'a2', [result('toolu_A', '3 notes.txt')]),
];

describe('a call without a result (R8.46)', () => {
  it('gets one behind the results of its message, whose uuid is the same at every load', () => {
    const { list, mended } = healed(killed);
    expect(list.slice(0, 4)).toEqual(killed);
    const added = list[4];
    expect(added).toMatchObject({ type: 'user', parentUuid: 'a3', sourceToolAssistantUUID: 'a3' });
    expect(added?.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(blocks(added)).toEqual([
      { type: 'tool_result', tool_use_id: 'toolu_B', content: '[unknown]', is_error: false },
    ]);
    expect(mended).toMatchObject({ orphans: 1, moved: 0 });
    expect(healed(structuredClone(killed)).list[4]?.uuid).toBe(added?.uuid);
  });

  it('keeps the chain whole when the harness goes on behind it', () => {
    const first = healed(killed).list[4]?.uuid as string;
    const { list } = healed([...killed, user('a5', first, 'go on')]);
    expect(list.map((entry) => entry.uuid)).toEqual(['a1', 'a2', 'a3', 'a4', first, 'a5']);
    expect(chain(list)).toEqual(['a5', first, 'a3', 'a2', 'a1']);
  });

  it('is told to be done again only if it merely looks', () => {
    const looks = [bash('1', 'git status'), call('2', 'Read'), call('3', 'Grep'), call('4', 'Glob')];
    const acts = [bash('5', 'npm run migrate'), call('6', 'Write'), call('7', 'Agent'), call('8', 'mcp__human__ask')];
    const { list } = healed([user('u', null, 'x'), assistant('a', 'u', 'msg_1', [...looks, ...acts])]);
    const contents = list.slice(2).map((entry) => blocks(entry)[0]?.content);
    expect(contents).toEqual([...looks.map(() => '[again]'), ...acts.map(() => '[unknown]')]);
  });

  it('hands what followed its message to the last result (C09 b)', () => {
    const { list } = healed([...killed, user('a5', 'a4', 'go on')]);
    expect(list[5]).toMatchObject({ uuid: 'a5', parentUuid: list[4]?.uuid });
  });

  it('takes the outer fields of its message', () => {
    const outer = {
      sessionId: 's',
      cwd: '/w',
      gitBranch: 'b',
      version: '2',
      agentId: 'a',
      isSidechain: true,
      userType: 'external',
      entrypoint: 'sdk-ts',
    };
    const { list } = healed([user('u', null, 'x'), assistant('a', 'u', 'm', [bash('1', 'make')], outer)]);
    expect(list[2]).toMatchObject(outer);
  });
});

it('moves a result that came late, with its own words, and makes nothing up (R8.48, C09 c)', () => {
  const late = user('a6', 'a3', [result('toolu_B', 'migrated')]);
  const { list, mended } = healed([
    ...killed,
    user('a5', 'a4', 'go on'),
    late,
    assistant('a7', 'a6', 'msg_2', [text('done')]),
  ]);
  expect(list.map((entry) => entry.uuid)).toEqual(['a1', 'a2', 'a3', 'a4', 'a6', 'a5', 'a7']);
  expect(list[4]).toEqual(late);
  expect(mended).toMatchObject({ moved: 1, orphans: 0 });
  expect(chain(list)).toEqual(['a7', 'a5', 'a6', 'a3', 'a2', 'a1']);
});

it('gives a message without a uuid one, the same at every load, so that it is sent', () => {
  const nameless: Entries[number] = { ...user('', 'a3', [result('toolu_B', 'migrated')]), uuid: undefined };
  const { list, mended } = healed([...killed, nameless]);
  expect(list[4]).toMatchObject({ uuid: expect.stringMatching(/^[0-9a-f-]{36}$/), message: nameless.message });
  expect(mended.orphans).toBe(0);
  expect(healed([...killed, structuredClone(nameless)]).list[4]?.uuid).toBe(list[4]?.uuid);
  const twice = [
    user('u', null, 'x'),
    { ...user('', 'u', 'y'), uuid: undefined },
    { ...user('', 'u', 'y'), uuid: undefined },
  ];
  expect(new Set(healed(twice).list.map(({ uuid }) => uuid)).size).toBe(3);
});

it('finds no fault in notes and attachments between a call and its result', () => {
  const entries = [
    user('u', null, 'go'),
    assistant('a', 'u', 'm', [bash('1', 'make')]),
    user('n', 'a', [text('a note')], { isMeta: true }),
    { type: 'attachment', uuid: 't', parentUuid: 'n', rendered: [{ content: 'x' }] },
    user('r', 't', [result('1', 'ok')]),
  ];
  expect(heal(entries, texts).entries).toBe(entries);
  expect(validate(entries)).toEqual([]);
});

it('leaves a complete parallel call alone (C09 d)', () => {
  const complete = [...killed, user('a5', 'a3', [result('toolu_B', 'migrated')])];
  expect(heal(complete, texts).entries).toBe(complete);
  expect(healOrphans(complete, texts)).toBe(complete);
});

it('keeps the first of two results, but a true one before a made-up one (R8.49, C09 f)', () => {
  const twice = [
    ...killed.slice(0, 2),
    user('r1', 'a2', [result('toolu_A', 'one')]),
    user('r2', 'r1', [result('toolu_A', 'two')]),
  ];
  const first = healed([...twice, user('u', 'r2', 'go on')]);
  expect(first.list.map((entry) => entry.uuid)).toEqual(['a1', 'a2', 'r1', 'u']);
  expect(first.list[3]?.parentUuid).toBe('r1');
  expect(first.mended.duplicates).toBe(1);
  const madeUp = twice.map((entry) => (entry.uuid === 'r1' ? { ...entry, toolDenialKind: 'interrupted' } : entry));
  expect(healed(madeUp).list.map((entry) => entry.uuid)).toEqual(['a1', 'a2', 'r2']);
});

it('turns a result without its call into words (R8.50)', () => {
  const { list, mended } = healed([user('u', null, 'x'), user('r', 'u', [result('gone', 'exit 0'), text('and this')])]);
  expect(blocks(list[1])).toEqual([text('and this'), text('[lost]\nexit 0')]);
  expect(mended.lost).toBe(1);
});

describe('blank text (R8.51, C11)', () => {
  const thinking = (n: number) => ({ type: 'thinking', thinking: `thought ${n}`, signature: `c2lnLTAwM${n}==` });
  const read = call('toolu_C', 'Read', { file_path: 'notes.txt' });

  it.each(['', '  \n\t'])('%j goes; signed thinking around it stays byte for byte', (blank) => {
    const { list } = healed([
      user('c1', null, 'x'),
      assistant('c2', 'c1', 'msg_01C', [thinking(1), text(blank), thinking(2), read]),
      user('c3', 'c2', [result('toolu_C', '')]),
    ]);
    expect(blocks(list[1])).toEqual([thinking(1), thinking(2), read]);
    expect(blocks(list[2])).toEqual([result('toolu_C', '')]);
  });

  it('takes its message along when nothing is left, and closes the chain', () => {
    const { list, mended } = healed([
      user('c1', null, 'x'),
      assistant('c2', 'c1', 'msg_1', [text('')]),
      user('c3', 'c2', ''),
      assistant('c4', 'c3', 'msg_2', []),
      user('c5', 'c4', 'y'),
    ]);
    expect(list).toEqual([user('c1', null, 'x'), user('c5', 'c1', 'y')]);
    expect(mended.empties).toBe(3);
  });

  it('goes from inside a result too', () => {
    const { list } = healed([
      user('u', null, 'x'),
      assistant('a', 'u', 'm', [read]),
      user('r', 'a', [result('toolu_C', [text(''), text('kept')])]),
    ]);
    expect(blocks(list[2])).toEqual([result('toolu_C', [text('kept')])]);
  });
});

it('writes a large image to a file and points to it; a small one stays (R8.53)', () => {
  const image = (n: number) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/jpeg', data: 'A'.repeat(n) },
  });
  const small = image(1000);
  const spilled: unknown[] = [];
  const oversize = {
    spill: (bytes: string | Uint8Array, extension: string) => {
      spilled.push([bytes.length, extension]);
      return 'spill/0123456789abcdef.jpg';
    },
    placeholder: (path: string, n: number) => `${path}: ${n}`,
  };
  const nineMB = 9 * 1024 * 1024;
  const list = heal(
    [
      user('u', null, [image(nineMB), small]),
      assistant('a', 'u', 'm', [call('1', 'Read')]),
      user('r', 'a', [result('1', [image(nineMB)])]),
    ],
    texts,
    { oversize },
  ).entries;
  const pointer = text(`spill/0123456789abcdef.jpg: ${nineMB}`);
  expect(blocks(list[0])).toEqual([pointer, small]);
  expect(blocks(list[2])).toEqual([result('1', [pointer])]);
  expect(spilled).toEqual([
    [(nineMB / 4) * 3, 'jpg'],
    [(nineMB / 4) * 3, 'jpg'],
  ]);
});

it('makes half surrogate pairs whole everywhere, and leaves out thinking that has one (R8.54, C23)', () => {
  const half = 'preview \ud83d';
  const { list, mended } = healed([
    { type: 'attachment', uuid: 't', parentUuid: null, rendered: [{ content: half }] },
    user('u', 't', half),
    assistant('a', 'u', 'm', [{ type: 'thinking', thinking: half, signature: 's' }, bash('1', `echo ${half}`)]),
    user('r', 'a', [result('1', [text(half)])]),
  ]);
  expect(JSON.stringify(list)).not.toMatch(/\\ud83d/);
  expect(list[1]?.message).toEqual({ role: 'user', content: 'preview \ufffd' });
  expect(blocks(list[2])).toEqual([bash('1', 'echo preview \ufffd')]);
  expect(mended.surrogates).toBe(4);
});

describe('a broken chain (R8.55)', () => {
  const line = (uuid: string, parentUuid: string | null) => user(uuid, parentUuid, uuid);

  it.each([
    ['a missing parent', [line('1', null), line('2', '1'), line('3', 'nowhere'), line('4', '3')]],
    ['its own parent', [line('1', null), line('2', '1'), line('3', '3'), line('4', '3')]],
    ['a cycle', [line('1', null), line('2', '4'), line('3', '2'), line('4', '3')]],
    ['null in the middle', [line('1', null), line('2', '1'), line('3', null), line('4', '3')]],
    ['no beginning', [line('1', 'cut off'), line('2', '1'), line('3', '2'), line('4', '3')]],
  ])('with %s is walked to its beginning', (_, entries) => {
    const { list, mended } = healed(entries);
    expect(chain(list)).toEqual(['4', '3', '2', '1']);
    expect(mended.parents).toBe(1);
  });

  it('begins anew at a compaction', () => {
    const entries = [
      line('1', null),
      { type: 'system', subtype: 'compact_boundary', uuid: '2', parentUuid: null },
      line('3', '2'),
    ];
    expect(heal(entries, texts).entries).toBe(entries);
  });
});

it('says so where the first words are gone, as the service takes no history that begins with the model', () => {
  const boundary = { type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null };
  const { list, mended } = healed([
    assistant('a', 'gone', 'm1', [text('x')]),
    user('u', 'a', 'y'),
    boundary,
    assistant('c', 'b', 'm2', [text('z')]),
  ]);
  expect(list.map((entry) => entry.type)).toEqual(['user', 'assistant', 'user', 'system', 'user', 'assistant']);
  expect(blocks(list[0])).toEqual([text('[no start]')]);
  expect(list.map((entry) => entry.parentUuid)).toEqual([null, list[0]?.uuid, 'a', null, 'b', list[4]?.uuid]);
  expect(mended.parents).toBe(3);
});

it('drops second copies of an entry and of a call', () => {
  const { list, mended } = healed([
    ...killed,
    killed[3] as (typeof killed)[0],
    assistant('a9', 'a4', 'msg_2', [bash('toolu_A', 'git status')]),
  ]);
  expect(list.map((entry) => entry.uuid).slice(0, 4)).toEqual(['a1', 'a2', 'a3', 'a4']);
  expect(list).toHaveLength(5);
  expect(mended.duplicates).toBe(2);
});

it.each(['subagent', 'compact'] as const)('finds nothing to mend in a recorded %s', (name) => {
  const entries = recorded(name);
  expect(heal(entries, texts).entries).toBe(entries);
  expect(validate(entries)).toEqual([]);
});

it('mends a recorded session whose last call has no result', () => {
  const entries = recorded('session');
  expect(validate(entries)).toEqual(['call toolu_10: 0 results in the next message']);
  const { list, mended } = healed(entries);
  expect(list).toHaveLength(entries.length + 1);
  expect(mended.orphans).toBe(1);
  expect(find(list, chain(list)[0] as string)).toBe(list.find((entry) => blocks(entry)[0]?.tool_use_id === 'toolu_10'));
});
