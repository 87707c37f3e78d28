import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { FlowerError } from '../errors.js';
import { Books } from './books.js';
import { Lineage } from './lineage.js';
import type { EventRow, ManifestRow, RunOutcome, StoredMail } from './types.js';

const newRunDir = () => join(mkdtempSync(join(tmpdir(), 'flower-books-')), 'runs');
const manifest = (runDir: string) => JSON.parse(readFileSync(join(runDir, 'manifest.json'), 'utf8'));

function row(run: string, step: string, more: Partial<ManifestRow> = {}): ManifestRow {
  return {
    step,
    session_id: `session of ${step}`,
    ok: true,
    cost_usd: 0.5,
    num_turns: 3,
    text: '做完了',
    error: null,
    started_at: 1_700_000_000.25,
    ended_at: 1_700_000_010.5,
    attempts: 1,
    errors: [],
    resumed: false,
    retired: [],
    context: 1234,
    duration_s: 10.25,
    run,
    ...more,
  };
}

const achieved: RunOutcome = { ended: 'finished', claimed: true, verified: 'achieved', reason: 'all met' };

describe('manifest', () => {
  it('R1.70: is a readable view, keys in the documented order, the optional ones behind', () => {
    const runDir = newRunDir();
    const books = Books.open(runDir);
    const { run, step, ...rest } = row('r1', 'work', { hand_in: { kind: 'verdict' }, cost_estimated: true });
    books.putSteps('r1', [{ ...rest, run, step }]);
    const text = readFileSync(join(runDir, 'manifest.json'), 'utf8');
    expect(text).toContain('\n    "text": "做完了",');
    expect(Object.keys(manifest(runDir)[0])).toEqual(
      'step session_id ok cost_usd num_turns text error started_at ended_at attempts errors resumed retired context duration_s run cost_estimated hand_in'.split(
        ' ',
      ),
    );
    books.close();
  });

  it('01.15: two writers of one directory lose nothing, in the database and in the view', () => {
    const runDir = newRunDir();
    const [first, second] = [Books.open(runDir), Books.open(runDir)];
    first.putSteps('r1', [row('r1', 'clarify')]);
    second.putSteps('r2', [row('r2', 'clarify')]);
    first.putSteps('r1', [row('r1', 'clarify'), row('r1', 'work')]);
    second.putSteps('r2', [row('r2', 'work', { ok: false })]);
    const expected = [row('r1', 'clarify'), row('r1', 'work'), row('r2', 'work', { ok: false })];
    expect(first.rows()).toEqual(expected);
    expect(manifest(runDir)).toEqual(expected);
    first.close();
    second.close();
  });

  it('commits steps, lineage, mail and outcome of one transaction together, or none of them', () => {
    const workspace = mkdtempSync(join(tmpdir(), 'flower-books-'));
    const runDir = join(workspace, 'runs');
    const books = Books.open(runDir);
    const lineage = Lineage.open(runDir, workspace);
    const book = () => {
      books.putSteps('r1', [row('r1', 'work')]);
      lineage.remember('work', 's1');
      books.mailbox('r1').save({ id: 'm1', text: 'hello', sentAt: 1, taken: false, workers: false, kept: 'appended' });
      books.endRun('r1', achieved);
    };
    expect(() =>
      books.transaction(() => {
        book();
        throw new Error('no');
      }),
    ).toThrow('no');
    expect([books.rows(), books.lastRun(), books.mailbox('r1').untaken()]).toEqual([[], null, []]);
    expect(Lineage.open(runDir, workspace).steps).toEqual({});
    expect(existsSync(join(runDir, 'manifest.json'))).toBe(false);
    books.transaction(book);
    expect(manifest(runDir)).toHaveLength(1);
    expect(Lineage.open(runDir, workspace).steps).toEqual({ work: 's1' });
    expect(JSON.parse(readFileSync(join(runDir, 'lineage.json'), 'utf8')).steps).toEqual({ work: 's1' });
    books.close();
  });
});

describe('runs', () => {
  it('Z82: keep the outcome as three facts and a reason', () => {
    const books = Books.open(newRunDir());
    expect(books.lastOutcome()).toBeNull();
    books.beginRun('r1');
    expect(books.lastRun()).toMatchObject({ run: 'r1', epoch: 0, endedAt: null, outcome: null });
    books.endRun('r1', achieved);
    expect(books.lastOutcome()).toMatchObject({ run: 'r1', ...achieved });
    books.beginRun('r2');
    expect(books.lastOutcome()).toBeNull();
    expect(books.runs().map(({ run }) => run)).toEqual(['r1', 'r2']);
    books.close();
  });

  it('keep what a person added to a brief, until the brief goes into the archive', () => {
    const books = Books.open(newRunDir());
    const mailbox = books.mailbox('r1');
    expect(mailbox.amendments('/home/ann/brief.md')).toBeNull();
    mailbox.saveAmendments('/home/ann/brief.md', ['a']);
    mailbox.saveAmendments('/home/ann/brief.md', ['a', 'b']);
    expect(books.mailbox('r2').amendments('/home/ann/brief.md')).toEqual(['a', 'b']);
    expect(mailbox.amendments('/home/ann/other.md')).toBeNull();
    books.newEpoch();
    expect(mailbox.amendments('/home/ann/brief.md')).toBeNull();
    books.close();
  });

  it('R9.17: keep the time until which a limit is waited for, until the end of the run', () => {
    const books = Books.open(newRunDir());
    books.beginRun('r1');
    books.setLimitUntil('r1', 1234.5);
    expect(books.lastRun()?.limitUntil).toBe(1234.5);
    books.endRun('r1', achieved);
    expect(books.lastRun()?.limitUntil).toBeNull();
    books.close();
  });
});

describe('money', () => {
  it('R8.72: counts all runs since the last new beginning, side questions included', () => {
    const runDir = newRunDir();
    const books = Books.open(runDir);
    books.putSteps('r1', [row('r1', 'clarify', { cost_usd: 1 }), row('r1', 'work', { cost_usd: 2 })]);
    books.putSteps('r2', [row('r2', 'work', { cost_usd: 4 })]);
    expect(books.spentUsd()).toBe(7);
    const aside = Books.open(join(runDir, 'aside'));
    aside.putSteps('a1', [row('a1', 'oracle', { cost_usd: 8 })]);
    expect(books.spentUsd()).toBe(15);
    books.newEpoch();
    expect(books.spentUsd()).toBe(0);
    aside.putSteps('a2', [row('a2', 'oracle', { cost_usd: 16 })]);
    books.putSteps('r3', [row('r3', 'work', { cost_usd: 32 })]);
    expect(books.spentUsd()).toBe(48);
    expect(books.rows()).toHaveLength(4);
    aside.close();
    books.close();
    const again = Books.open(runDir);
    expect(again.spentUsd()).toBe(48);
    again.close();
    expect(existsSync(join(runDir, 'sessions.db-wal'))).toBe(false);
  });

  it('C57: an amount that is none, or negative, never lowers the sum, and small ones add up', () => {
    const books = Books.open(newRunDir());
    const odd = [Number.NaN, -1, '0.40', null, undefined].map((cost) => row('r1', 'odd', { cost_usd: cost as number }));
    books.putSteps('r1', [row('r1', 'work', { cost_usd: 1 }), ...odd]);
    expect(books.spentUsd()).toBe(1);
    books.putSteps(
      'r2',
      Array.from({ length: 1000 }, () => row('r2', 'small', { cost_usd: 0.0000001 })),
    );
    expect(books.spentUsd()).toBeCloseTo(1.0001, 10);
    books.close();
  });

  it('keeps the ceiling given last, over a new beginning too', () => {
    const runDir = newRunDir();
    const books = Books.open(runDir);
    expect(books.budgetUsd()).toBeNull();
    books.setBudgetUsd(5);
    books.setBudgetUsd(10);
    books.newEpoch();
    books.close();
    const again = Books.open(runDir);
    expect(again.budgetUsd()).toBe(10);
    again.setBudgetUsd(null);
    expect(again.budgetUsd()).toBeNull();
    expect(() => again.setBudgetUsd(-1)).toThrow(TypeError);
    expect(() => again.setBudgetUsd(Number.NaN)).toThrow(TypeError);
    again.close();
  });
});

describe('events', () => {
  const event = (seq: number, more: Partial<EventRow> = {}): EventRow => ({
    seq,
    at: seq,
    step: '',
    kind: 'text',
    text: `event ${seq}`,
    tool: '',
    payload: { seq },
    ...more,
  });

  it('Z87: come back as they went in, in pages of at most 500', () => {
    const books = Books.open(newRunDir());
    books.beginRun('r1');
    const all = Array.from({ length: 1203 }, (_, i) => event(i + 1));
    books.appendEvents('r1', all.slice(0, 700));
    books.appendEvents('r1', all.slice(700));
    books.appendEvents('r2', [event(1)]);
    const read: EventRow[] = [];
    const sizes: number[] = [];
    for (let more = true; more; ) {
      const page = books.events('r1', { after: read.at(-1)?.seq ?? 0, limit: 10_000 });
      read.push(...page.events);
      sizes.push(page.events.length);
      more = page.more;
    }
    expect(sizes).toEqual([500, 500, 203]);
    expect(read).toEqual(all);
    expect([books.lastSeq('r1'), books.lastSeq('nobody')]).toEqual([1203, 0]);
    expect(books.events('r1', { after: 1200, limit: 2 })).toEqual({ events: [event(1201), event(1202)], more: true });
    expect(books.events('r1', { after: 1203 })).toEqual({ events: [], more: false });
    books.close();
  });

  it('are refused whole when one of them is there already', () => {
    const books = Books.open(newRunDir());
    books.appendEvents('r1', [event(1)]);
    expect(() => books.appendEvents('r1', [event(2), event(1)])).toThrow();
    expect(books.lastSeq('r1')).toBe(1);
    books.close();
  });
});

describe('R10.46 inbox', () => {
  const mail = (id: string, more: Partial<StoredMail> = {}): StoredMail => ({
    id,
    text: `words of ${id}`,
    sentAt: 10,
    taken: false,
    workers: true,
    kept: 'until_frozen',
    ...more,
  });

  it('gives untaken mail to the next process, and goes on behind the largest id', () => {
    const runDir = newRunDir();
    const books = Books.open(runDir);
    const mailbox = books.mailbox('r1');
    expect(mailbox.lastId()).toBe(0);
    for (const id of ['m2', 'm9', 'm10']) mailbox.save(mail(id));
    mailbox.save(mail('m9', { taken: true }));
    books.close();
    const again = Books.open(runDir);
    const next = again.mailbox('r2');
    expect(next.untaken()).toEqual([mail('m2'), mail('m10')]);
    expect(next.lastId()).toBe(10);
    next.save(mail('m2', { taken: true, kept: 'appended' }));
    next.save(mail('m2', { kept: 'appended' }));
    expect(next.untaken()).toEqual([mail('m10')]);
    again.close();
  });

  it('leaves the mail of an earlier undertaking where it is after a new beginning', () => {
    const books = Books.open(newRunDir());
    books.mailbox('r1').save(mail('m1'));
    books.newEpoch();
    expect(books.mailbox('r2').untaken()).toEqual([]);
    expect(books.mailbox('r2').lastId()).toBe(1);
    books.close();
  });
});

it('R8.71: marks and clears holes', () => {
  const books = Books.open(newRunDir());
  books.markRepair('p/s1', null);
  books.markRepair('p/s1', '/tmp/t.jsonl');
  books.markRepair('p/s1', null);
  books.markRepair('p/s2', null);
  expect(books.repairs()).toMatchObject([
    { storeKey: 'p/s1', transcript: '/tmp/t.jsonl' },
    { storeKey: 'p/s2', transcript: null },
  ]);
  books.clearRepair('p/s1');
  expect(books.repairs()).toHaveLength(1);
  books.close();
});

it('R2.83: keeps a value under a name over a restart, and a reader of an older file has none', () => {
  const runDir = newRunDir();
  const books = Books.open(runDir);
  expect(books.kept('state')).toBeUndefined();
  books.keep('state', { files: { a: '1' } });
  books.keep('state', { files: { a: '2' } });
  books.close();
  const later = Books.peek(runDir);
  expect(later?.kept('state')).toEqual({ files: { a: '2' } });
  later?.close();

  const older = newRunDir();
  Books.open(older).close();
  const handle = new SQLite(join(older, 'sessions.db'));
  handle.exec('DROP TABLE kept; PRAGMA user_version = 1');
  handle.close();
  const view = Books.peek(older);
  expect(view?.kept('state')).toBeUndefined();
  view?.close();
});

describe('views', () => {
  it('08.21: are written anew at opening when they are stale or gone', () => {
    const workspace = mkdtempSync(join(tmpdir(), 'flower-books-'));
    const runDir = join(workspace, 'runs');
    const books = Books.open(runDir);
    books.putSteps('r1', [row('r1', 'work')]);
    Lineage.open(runDir, workspace).remember('work', 's1');
    books.close();
    const [rows, lineage] = ['manifest.json', 'lineage.json'].map((name) => readFileSync(join(runDir, name), 'utf8'));
    writeFileSync(join(runDir, 'manifest.json'), '[]');
    rmSync(join(runDir, 'lineage.json'));
    for (const name of ['manifest.json.123456', '.gitignore.4711.new']) writeFileSync(join(runDir, name), 'half a');
    const look = () => {
      const seen = Books.peek(runDir);
      const stale = seen?.staleViews();
      seen?.close();
      return stale;
    };
    expect(look()).toEqual(['manifest.json', 'lineage.json']);
    Books.open(runDir).close();
    expect(look()).toEqual([]);
    expect(readFileSync(join(runDir, 'manifest.json'), 'utf8')).toBe(rows);
    expect(readFileSync(join(runDir, 'lineage.json'), 'utf8')).toBe(lineage);
    expect(readdirSync(runDir).sort()).toEqual(['.gitignore', 'lineage.json', 'manifest.json', 'sessions.db']);
  });

  it('08.21: that cannot be written are reported once, name the path, and the run goes on', () => {
    const runDir = newRunDir();
    mkdirSync(join(runDir, 'manifest.json', 'in the way'), { recursive: true });
    const messages: string[] = [];
    const books = Books.open(runDir, { locale: 'en', onViewFailed: (message) => messages.push(message) });
    // At opening the folder in the way is something that cannot be understood: it is set aside, and put back here.
    mkdirSync(join(runDir, 'manifest.json', 'in the way'), { recursive: true });
    books.putSteps('r1', [row('r1', 'clarify')]);
    books.putSteps('r1', [row('r1', 'clarify'), row('r1', 'work')]);
    expect(books.rows()).toHaveLength(2);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(join(runDir, 'manifest.json'));
    books.close();
  });

  it('C31.5: go through a symbolic link instead of replacing it', () => {
    const runDir = newRunDir();
    const elsewhere = join(mkdtempSync(join(tmpdir(), 'flower-books-')), 'kept.json');
    writeFileSync(elsewhere, '[]');
    mkdirSync(runDir);
    symlinkSync(elsewhere, join(runDir, 'manifest.json'));
    const books = Books.open(runDir);
    books.putSteps('r1', [row('r1', 'work')]);
    expect(JSON.parse(readFileSync(elsewhere, 'utf8'))).toHaveLength(1);
    books.close();
  });
});

describe('opening', () => {
  it('Z89: keeps transcripts out of version control and leaves an existing choice alone', () => {
    const runDir = newRunDir();
    Books.open(runDir).close();
    expect(readFileSync(join(runDir, '.gitignore'), 'utf8')).toBe('*\n');
    writeFileSync(join(runDir, '.gitignore'), 'mine\n');
    Books.open(runDir).close();
    expect(readFileSync(join(runDir, '.gitignore'), 'utf8')).toBe('mine\n');
  });

  it('of a folder that cannot be is a FlowerError before anything else happens', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'flower-books-')), 'file');
    writeFileSync(file, '');
    expect(() => Books.open(join(file, 'runs'))).toThrow(FlowerError);
  });
});
