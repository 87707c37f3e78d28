import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { damagedTranscript, validTranscript } from '../../../test/support/storeArbitraries.js';
import { blocks } from '../../../test/support/storeTranscripts.js';
import { EphemeralPolicy } from '../ephemeralPolicy.js';
import { PruningSessionStore } from '../pruningSessionStore.js';
import { TrimPolicy } from '../trimPolicy.js';
import { hasCutReport } from './cutReports.js';
import { heal } from './heal.js';
import { isSound } from './isSound.js';
import { isApiError, isDenial, isInterruptResult } from './recognise.js';
import { validate } from './validate.js';

/** Ten thousand cases take about ten seconds on an idle machine. */
const runs = { numRuns: 10_000 };
const timeout = 300_000;

type Entry = SessionStoreEntry;
let stored: Entry[] = [];
const workspace = mkdtempSync(join(tmpdir(), 'flower-curation-'));
const options = {
  policy: new TrimPolicy({ minChars: 150, keepRecent: 2 }),
  ephemeral: new EphemeralPolicy({ keepRecent: 2, maxChars: 100 }),
};
const store = new PruningSessionStore({ append: async () => {}, load: async () => stored }, workspace, options);

async function curated(entries: Entry[]): Promise<Entry[]> {
  stored = entries;
  return (await store.load({ projectKey: 'p', sessionId: 's' })) ?? [];
}

it(
  'makes a valid request of any damaged transcript, and curating again changes nothing',
  async () => {
    await fc.assert(
      fc.asyncProperty(damagedTranscript, async (entries) => {
        const before = JSON.stringify(entries);
        const once = await curated(entries);
        expect(validate(once, entries)).toEqual([]);
        expect(store.lastReport.faults).toBeUndefined();
        expect(JSON.stringify(await curated(once))).toBe(JSON.stringify(once));
        expect(JSON.stringify(entries)).toBe(before);
      }),
      runs,
    );
  },
  timeout,
);

it('gives words to a beginning behind a compaction that has lost its uuid', async () => {
  const boundary = { type: 'system', subtype: 'compact_boundary', parentUuid: null };
  const prompt = { type: 'user', uuid: 'e0', parentUuid: null, message: { role: 'user', content: 'Do it.' } };
  const answer = { role: 'assistant', id: 'm', model: 'm', content: [{ type: 'text', text: 'Done.' }] };
  const entries = [prompt, boundary, { type: 'assistant', uuid: 'e1', parentUuid: 'e0', message: answer }];
  expect(isSound(entries)).toBe(false);
  expect(validate(await curated(entries), entries)).toEqual([]);
});

it('drops an old refusal although an empty copy of its message stands last', async () => {
  const said = (id: string, ...content: object[]) => ({
    type: 'assistant',
    message: { id, role: 'assistant', model: 'm', content },
  });
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'git push' } });
  const refused = (id: string) => ({
    type: 'user',
    toolDenialKind: 'permission-rule',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'no', is_error: true }] },
  });
  const lines = [
    { type: 'user', message: { role: 'user', content: 'Do it.' } },
    said('m1', { type: 'text', text: 'Pushing.' }),
    ...['a', 'b', 'c', 'd'].flatMap((id) => [said(`m-${id}`, call(id)), refused(id)]),
    said('m-a', call('a'), { type: 'text', text: '' }),
  ];
  const entries = lines.map((line, i) => ({ ...line, uuid: `e${i}`, parentUuid: i === 0 ? null : `e${i - 1}` }));
  const once = await curated(entries);
  expect(JSON.stringify(once)).not.toContain('"tool_use_id":"a"');
  expect(JSON.stringify(await curated(once))).toBe(JSON.stringify(once));
});

it(
  'finds a history sound only if a check has nothing to say about it and healing leaves it alone; a valid one always then',
  () => {
    const needsNothing = (entries: Entry[]) =>
      validate(entries).length === 0 && heal(entries, { orphan: '[again]', unknown: '[check]' }).entries === entries;
    fc.assert(
      fc.property(damagedTranscript, validTranscript, (damaged, valid) => {
        if (isSound(damaged)) expect(needsNothing(damaged)).toBe(true);
        expect(isSound(valid)).toBe(needsNothing(valid));
      }),
      runs,
    );
  },
  timeout,
);

it(
  'loses no completed result and alters no healthy entry',
  () => {
    fc.assert(
      fc.property(damagedTranscript, (entries) => {
        const pruned = store.prune(entries);
        const output = JSON.stringify(pruned);
        for (const words of completedResults(entries)) expect(output).toContain(words);
        const left = new Map(pruned.map((entry) => [entry.uuid, entry]));
        for (const entry of firstOfEach(entries)) {
          const kept = left.get(entry.uuid);
          if (entry.uuid && kept && isHealthy(entry, entries)) expect(kept.message).toBe(entry.message);
        }
      }),
      runs,
    );
  },
  timeout,
);

it(
  'leaves a valid transcript as it is, apart from what it takes out on purpose',
  () => {
    fc.assert(
      fc.property(validTranscript, (entries) => {
        expect(validate(entries).filter((fault) => !fault.includes('toolu_10'))).toEqual([]);
        const isQuiet = !entries.some(
          (entry) => isApiError(entry) || isDenial(entry) || isInterruptResult(entry) || hasCutReport(entry),
        );
        if (isQuiet) expect(store.prune(entries)).toEqual(entries);
      }),
      runs,
    );
  },
  timeout,
);

it(
  'takes all whole lines of a transcript that ends at any byte, and makes a valid request of them',
  async () => {
    const key = { projectKey: 'p', sessionId: 's' };
    await fc.assert(
      fc.asyncProperty(validTranscript, fc.nat(), async (entries, n) => {
        const bytes = Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
        const lines = bytes
          .subarray(0, n % bytes.length)
          .toString()
          .split('\n');
        const local = new PruningSessionStore(':memory:', workspace, options);
        const added = local.importTranscript?.(key, lines);
        const loaded = await local.load(key);
        await local.close();
        const whole = lines.filter((line) => line.endsWith('}') && isJson(line));
        expect(added).toBe(new Set(whole).size);
        if (loaded) expect(validate(loaded)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  },
  timeout,
);

function isJson(line: string): boolean {
  try {
    return JSON.parse(line) !== undefined;
  } catch {
    return false;
  }
}

/** What the first true result of each call said, as it stands in JSON. */
function completedResults(entries: readonly Entry[]): string[] {
  const first = new Map<unknown, string>();
  for (const entry of firstOfEach(entries)) {
    if (isDenial(entry) || isInterruptResult(entry) || hasCutReport(entry)) continue;
    for (const block of blocks(entry)) {
      if (entry.type !== 'user' || block.type !== 'tool_result' || first.has(block.tool_use_id)) continue;
      const parts = Array.isArray(block.content) ? block.content.map((part) => part.text) : [block.content];
      first.set(block.tool_use_id, JSON.stringify(parts[0]).slice(1, -1));
    }
  }
  return [...first.values()];
}

/** Without second copies of a uuid. */
function firstOfEach(entries: readonly Entry[]): readonly Entry[] {
  const uuids = new Set<unknown>();
  return entries.filter((entry) => entry.uuid === undefined || (!uuids.has(entry.uuid) && uuids.add(entry.uuid)));
}

/** True if no rule has anything to say about what is inside this entry. */
function isHealthy(entry: Entry, entries: readonly Entry[]): boolean {
  const content = blocks(entry);
  if (isInterruptResult(entry) || hasCutReport(entry) || !JSON.stringify(entry.message ?? null).isWellFormed())
    return false;
  if (/\\ud[89a-f]/.test(JSON.stringify(entry.message ?? null))) return false;
  const denied = new Set(entries.map(isDenial));
  return content.every((block) => {
    if (block.type === 'text') return String(block.text).trim() !== '';
    if (block.type === 'tool_use') return !denied.has(String(block.id)) && once(entries, 'id', block.id);
    if (block.type !== 'tool_result') return true;
    const isAlone = content.length === 1 && once(entries, 'tool_use_id', block.tool_use_id);
    return isAlone && !denied.has(String(block.tool_use_id)) && !once(entries, 'id', block.tool_use_id, 0);
  });
}

function once(entries: readonly Entry[], field: string, id: unknown, times = 1): boolean {
  return entries.flatMap(blocks).filter((block) => block[field] === id).length === times;
}
