import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import fc from 'fast-check';
import { assistant, bash, call, recorded, result, text, user } from './storeTranscripts.js';

type Entry = SessionStoreEntry;

/** How one call of a message ended. */
const outcome = fc.constantFrom(
  'done',
  'done',
  'done',
  'large',
  'blocks',
  'denied',
  'interrupted',
  'cut',
  'oldCut',
  'failed',
);
const tool = fc.constantFrom(
  (id: string) => bash(id, 'git status'),
  (id: string) => bash(id, 'npm test'),
  (id: string) => call(id, 'Read', { file_path: 'a.txt' }),
  (id: string) => call(id, 'Agent', { prompt: 'look' }),
);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('message' as const),
      thinks: fc.boolean(),
      says: fc.boolean(),
      calls: fc.array(fc.record({ tool, outcome, late: fc.boolean() }), { maxLength: 3 }),
    }),
  },
  fc.constantFrom(
    ...(['prompt', 'meta', 'apiError', 'noResponse', 'attachment', 'bare', 'compaction'] as const).map((kind) => ({
      kind,
    })),
  ),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A transcript as the program would have written it: whole, in order, every call answered. */
export const validTranscript: fc.Arbitrary<Entry[]> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('session' as const, 'subagent' as const, 'compact' as const).map(recorded) },
  { weight: 9, arbitrary: fc.array(step, { minLength: 1, maxLength: 14 }).map(written) },
);

function written(steps: readonly Step[]): Entry[] {
  const entries: Entry[] = [user('e0', null, 'Do it.')];
  for (const [n, one] of steps.entries()) {
    const parent = entries.findLast((entry) => 'parentUuid' in entry)?.uuid ?? null;
    entries.push(...stepEntries(one, n, entries.length, parent));
  }
  return entries;
}

function stepEntries(one: Step, n: number, at: number, parent: string | null): Entry[] {
  const uuid = `e${at}`;
  switch (one.kind) {
    case 'message':
      return message(one, n, at, parent);
    case 'prompt':
      return [user(uuid, parent, `words ${n}`)];
    case 'meta':
      return [user(uuid, parent, `note ${n}`, { isMeta: true })];
    case 'apiError':
      return [assistant(uuid, parent, `err_${n}`, [text('API Error: 529')], { isApiErrorMessage: true })];
    case 'noResponse': {
      const entry = assistant(uuid, parent, `err_${n}`, [text('No response requested.')]);
      return [{ ...entry, message: { ...(entry.message as object), model: '<synthetic>' } }];
    }
    case 'attachment':
      return [{ type: 'attachment', uuid, parentUuid: parent, rendered: [{ content: `queued ${n}` }] }];
    case 'bare':
      return [{ type: 'cost-state', totalCostUSD: n }];
    case 'compaction': {
      const boundary = { type: 'system', subtype: 'compact_boundary', uuid, parentUuid: null };
      return [boundary, user(`e${at + 1}`, uuid, 'Summary', { isCompactSummary: true })];
    }
  }
}

function message(one: Extract<Step, { kind: 'message' }>, n: number, at: number, parent: string | null): Entry[] {
  const id = `msg_${n}`;
  const blocks = [
    ...(one.thinks ? [{ type: 'thinking', thinking: `thought ${n}`, signature: `sig${n}` }] : []),
    ...(one.says || one.calls.length === 0 ? [text(`says ${n}`)] : []),
    ...one.calls.map((made, i) => made.tool(`toolu_${n}_${i}`)),
  ];
  const said = blocks.map((block, i) => assistant(`e${at + i}`, i === 0 ? parent : `e${at + i - 1}`, id, [block]));
  const first = said.length - one.calls.length;
  // Tools of one message end in any order.
  const order = one.calls
    .map((made, i) => ({ ...made, i }))
    .sort((a, b) => Number(a.late) - Number(b.late) || a.i - b.i);
  const answers = order.map(({ outcome: how, i }, k) => {
    const source = `e${at + first + i}`;
    return answer(how, `toolu_${n}_${i}`, `e${at + said.length + k}`, source);
  });
  return [...said, ...answers];
}

function answer(how: string, id: string, uuid: string, source: string): Entry {
  const entry = (content: unknown, extra = {}, block = {}) =>
    user(uuid, source, [result(id, content, block)], { sourceToolAssistantUUID: source, ...extra });
  switch (how) {
    case 'large':
      return entry(`large ${id} `.repeat(40));
    case 'blocks':
      return entry([text(`part of ${id}`), text('more')]);
    case 'denied':
      return entry('no', { toolDenialKind: 'permission-rule' }, { is_error: true });
    case 'interrupted':
      return entry('not wanted', { toolDenialKind: 'user-rejected' }, { is_error: true });
    case 'cut':
      return entry('unknown', { toolDenialKind: 'interrupted' }, { is_error: true });
    case 'oldCut':
      return entry(`${'output '.repeat(30)}[Request interrupted by user]`, {}, { is_error: true });
    case 'failed':
      return entry(`Agent terminated early due to an API error: ${'lost '.repeat(id.length)}`, {}, { is_error: true });
    default:
      return entry(`output of ${id}`);
  }
}

type Damage = (entries: Entry[]) => Entry[];
const place = fc.nat({ max: 200 });

/** What a crash, a bad disk or a bug can do to a stored list. */
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  place.map(
    (n): Damage =>
      (list) =>
        list.slice(0, 1 + (n % list.length)),
  ),
  place.map(
    (n): Damage =>
      (list) =>
        list.filter((_, i) => i !== n % list.length),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Damage =>
      (list) =>
        list.toSpliced(to % list.length, 0, at(list, from)),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Damage =>
      (list) => {
        const rest = list.toSpliced(from % list.length, 1);
        return rest.toSpliced(to % list.length, 0, at(list, from));
      },
  ),
  fc.tuple(place, place).map(
    ([from, to]): Damage =>
      (list) =>
        changed(list, from, { parentUuid: at(list, to).uuid ?? null }),
  ),
  fc.tuple(place, fc.constantFrom(null, 'nowhere', undefined)).map(
    ([n, parentUuid]): Damage =>
      (list) =>
        changed(list, n, { parentUuid }),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Damage =>
      (list) =>
        merged(list, from, to),
  ),
  fc.tuple(place, fc.constantFrom('', ' \n', 'half \ud83d', 'half \ude00 more')).map(
    ([n, words]): Damage =>
      (list) =>
        reworded(list, n, words),
  ),
  place.map(
    (n): Damage =>
      (list) =>
        changed(list, n, { uuid: undefined }),
  ),
  place.map(
    (n): Damage =>
      (list) => [...list, ...changed([at(list, n)], 0, { uuid: `copy of ${at(list, n).uuid}` })],
  ),
);

export const damagedTranscript: fc.Arbitrary<Entry[]> = fc
  .tuple(validTranscript, fc.array(damage, { maxLength: 4 }))
  .map(([entries, damages]) => damages.reduce((list, harm) => (list.length > 0 ? harm(list) : list), entries));

function at(list: readonly Entry[], n: number): Entry {
  return list[n % list.length] as Entry;
}

function changed(list: readonly Entry[], n: number, fields: Partial<Entry>): Entry[] {
  const entry = at(list, n);
  return 'parentUuid' in entry ? list.with(n % list.length, { ...entry, ...fields } as Entry) : [...list];
}

function contentOf(entry: Entry): unknown[] | null {
  const content = (entry.message as { content?: unknown } | undefined)?.content;
  return Array.isArray(content) ? content : null;
}

function withBlocks(entry: Entry, content: unknown[]): Entry {
  return { ...entry, message: { ...(entry.message as object), content } };
}

/** Two user entries in one, as earlier programs wrote parallel results. A mark of an entry would then say nothing clear. */
function merged(list: readonly Entry[], from: number, to: number): Entry[] {
  const [one, other] = [at(list, from), at(list, to)];
  const [a, b] = [contentOf(one), contentOf(other)];
  if (one === other || !a || !b || !isPlain(one) || !isPlain(other)) return [...list];
  return list
    .filter((entry) => entry !== other)
    .map((entry) => (entry === one ? withBlocks(one, [...a, ...b]) : entry));
}

function reworded(list: readonly Entry[], n: number, words: string): Entry[] {
  const entry = at(list, n);
  const content = contentOf(entry);
  if (!content) return [...list];
  return list.with(n % list.length, withBlocks(entry, [...content, text(words)]));
}

function isPlain(entry: Entry): boolean {
  return entry.type === 'user' && entry.toolDenialKind === undefined && !JSON.stringify(entry).includes('is_error');
}
