import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { beginEpoch } from './epochs.js';
import { isLineageFile, lineageRecordIn } from './lineageRecords.js';
import { largestNumber } from './mailbox.js';
import { insertSteps } from './steps.js';
import { freePath, timeStamp } from './timeStamp.js';

export interface ImportOptions {
  /** False: only read, for somebody who looks. True: keep copies, and set aside what cannot be understood. */
  readonly touch: boolean;
  /** Told of each file that was set aside, with its new path. */
  readonly onSetAside?: (path: string, aside: string) => void;
}

/** True if the directory has books in the form of earlier flower: JSON files. */
export function hasOlderBooks(runDir: string): boolean {
  return olderFiles(runDir).length > 0;
}

/**
 * Turns the JSON files of an older directory into rows. Runs inside the migration that creates the tables. The files themselves
 * stay until a view takes their place; copies go to `before-books/`.
 */
export function importOlderBooks(handle: Database, runDir: string, options: ImportOptions): void {
  beginEpoch(handle);
  for (const name of olderFiles(runDir)) {
    const path = join(runDir, name);
    const content = parsed(path);
    const taken = content !== undefined && importFile(handle, path, name, content);
    if (!options.touch) continue;
    if (taken) keepCopy(runDir, name);
    else setAside(path, options);
  }
}

/** `lineage.json` first: what its hashed relatives say too is older. */
function olderFiles(runDir: string): string[] {
  try {
    const names = readdirSync(runDir);
    const lineages = names.filter(isLineageFile).sort((a, b) => a.length - b.length || a.localeCompare(b));
    return [...lineages, ...['manifest.json', 'inbox.json'].filter((name) => names.includes(name))];
  } catch {
    return [];
  }
}

function importFile(handle: Database, path: string, name: string, content: unknown): boolean {
  if (name === 'manifest.json') return importManifest(handle, content);
  if (name === 'inbox.json') return importInbox(handle, content);
  return importLineage(handle, content, statSync(path).mtimeMs / 1000);
}

function importManifest(handle: Database, content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  const byRun = new Map<string, Record<string, unknown>[]>();
  for (const row of content.filter(isObject)) {
    const run = typeof row.run === 'string' ? row.run : '';
    byRun.set(run, [...(byRun.get(run) ?? []), row]);
  }
  const known = handle.prepare('SELECT 1 FROM runs WHERE run = ?');
  const addRun = handle.prepare('INSERT INTO runs (run, epoch, started_at, ended_at) VALUES (?, 0, ?, ?)');
  for (const [run, rows] of byRun) {
    if (known.get(run)) continue;
    addRun.run(
      run,
      Math.min(...rows.map((row) => number(row.started_at))),
      Math.max(...rows.map((row) => number(row.ended_at))),
    );
    insertSteps(handle, run, rows);
  }
  return true;
}

function importLineage(handle: Database, content: unknown, setAt: number): boolean {
  const record = lineageRecordIn(content, setAt);
  if (!record) return false;
  const add = handle.prepare('INSERT OR IGNORE INTO lineage (workspace, step, session_id, set_at) VALUES (?, ?, ?, ?)');
  for (const { step, sessionId } of record.steps) add.run(record.workspace, step, sessionId, setAt);
  handle
    .prepare(
      'INSERT INTO wakes (workspace, woke) VALUES (?, ?) ON CONFLICT DO UPDATE SET woke = max(woke, excluded.woke)',
    )
    .run(record.workspace, record.woke ?? 0);
  return true;
}

function importInbox(handle: Database, content: unknown): boolean {
  const list = isObject(content) ? content.mail : content;
  if (!Array.isArray(list)) return false;
  handle.prepare('INSERT OR IGNORE INTO runs (run, epoch, started_at) VALUES (?, 0, 0)').run('');
  const add = handle.prepare(
    'INSERT OR IGNORE INTO inbox (id, run, text, sent_at, workers, kept, taken_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const all = list.filter(isObject);
  let used = largestNumber(all.map((mail) => String(mail.id)));
  for (const mail of all) {
    if (typeof mail.text !== 'string' || mail.text.trim() === '') continue;
    const id = typeof mail.id === 'string' && mail.id ? mail.id : `m${++used}`;
    const sentAt = number(mail.sent_at ?? mail.sentAt);
    const kept = typeof mail.kept === 'string' ? mail.kept : 'no_brief';
    add.run(id, '', mail.text, sentAt, mail.workers === true ? 1 : 0, kept, mail.taken === true ? sentAt : null);
  }
  return true;
}

/** The JSON value in a file; undefined if it holds none or cannot be read. */
function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function keepCopy(runDir: string, name: string): void {
  const folder = join(runDir, 'before-books');
  const copy = join(folder, name);
  if (existsSync(copy)) return;
  mkdirSync(folder, { recursive: true });
  const temporary = `${copy}.part`;
  rmSync(temporary, { force: true });
  copyFileSync(join(runDir, name), temporary);
  renameSync(temporary, copy);
}

function setAside(path: string, options: ImportOptions): void {
  const aside = freePath(`${path}.corrupt-${timeStamp()}`);
  renameSync(path, aside);
  options.onSetAside?.(path, aside);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
