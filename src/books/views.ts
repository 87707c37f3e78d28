import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import type { Database } from 'better-sqlite3';
import writeFileAtomic from 'write-file-atomic';
import type { RunDatabase } from '../database/database.js';
import { type DurableWrite, durably } from '../durableWrites.js';
import { type LineageRecord, lineageRecordAt, lineageRecords, resolveLineage } from './lineageRecords.js';

/**
 * Writes `manifest.json` anew if it does not show what the database holds. Views are written inside a write transaction: two
 * processes that booked at the same time then cannot leave the older state in the file.
 */
export function writeManifestView(database: RunDatabase, runDir: string): void {
  database.transaction(() => {
    replace(manifestPath(runDir), manifestContent(database.handle), 'view.manifest');
  });
}

/**
 * Writes `lineage.json` anew for one workspace; without one, for the workspace that it shows now, else the one that wrote last.
 * A lineage of another workspace that it shows is moved aside under its hash first, unless the two are one that moved.
 */
export function writeLineageView(database: RunDatabase, runDir: string, workspace?: string): void {
  database.transaction(() => {
    const path = lineagePath(runDir);
    const records = lineageRecords(database.handle);
    const shown = lineageRecordAt(path)?.workspace;
    const subject = workspace ?? shownSubject(records, shown);
    if (subject === undefined) return;
    if (shown !== undefined && shown !== subject && !liesInside(runDir, subject))
      renameSync(path, hashedPath(runDir, shown));
    replace(path, lineageContent(records, runDir, subject), 'view.lineage');
    rmSync(hashedPath(runDir, subject), { force: true });
  });
}

/** The names of the views that do not show what the database holds. */
export function staleViews(handle: Database, runDir: string): string[] {
  const records = lineageRecords(handle);
  const subject = shownSubject(records, lineageRecordAt(lineagePath(runDir))?.workspace);
  const views: [path: string, content: string][] = [[manifestPath(runDir), manifestContent(handle)]];
  if (subject !== undefined) views.push([lineagePath(runDir), lineageContent(records, runDir, subject)]);
  return views.filter(([path, content]) => isStale(path, content)).map(([path]) => basename(path));
}

/** Where the lineage of a workspace is shown now: `lineage.json`, or the hashed name if that shows another one's. */
export function lineageViewPath(runDir: string, workspace: string): string {
  const shown = lineageRecordAt(lineagePath(runDir))?.workspace;
  const isOther = shown !== undefined && shown !== workspace && !liesInside(runDir, workspace);
  return isOther ? hashedPath(runDir, workspace) : lineagePath(runDir);
}

export const manifestPath = (runDir: string) => join(runDir, 'manifest.json');
export const lineagePath = (runDir: string) => join(runDir, 'lineage.json');

/** True if a run directory lies inside a workspace: the two then move and are copied together. Real paths. */
export function liesInside(runDir: string, workspace: string): boolean {
  return runDir === workspace || runDir.startsWith(workspace.endsWith(sep) ? workspace : workspace + sep);
}

function manifestContent(handle: Database): string {
  const rows = handle
    .prepare('SELECT row FROM steps JOIN runs USING (run) ORDER BY runs.rowid, position')
    .pluck()
    .all();
  return shownAs(rows.map((row) => JSON.parse(String(row))));
}

function lineageContent(records: readonly LineageRecord[], runDir: string, workspace: string): string {
  const { woke, steps } = resolveLineage(records, workspace, liesInside(runDir, workspace));
  return shownAs({ workspace, woke, steps });
}

function shownSubject(records: readonly LineageRecord[], shown: string | undefined): string | undefined {
  if (records.some(({ workspace }) => workspace === shown)) return shown;
  const lastSet = ({ steps }: LineageRecord) => Math.max(0, ...steps.map(({ setAt }) => setAt));
  return [...records].sort((a, b) => lastSet(b) - lastSet(a))[0]?.workspace;
}

function hashedPath(runDir: string, workspace: string): string {
  return join(runDir, `lineage.${createHash('sha256').update(workspace).digest('hex').slice(0, 8)}.json`);
}

function shownAs(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function replace(path: string, content: string, write: DurableWrite): void {
  if (!isStale(path, content)) return;
  // Whole for every reader and after every kill; that it also outlasts a power cut is the database's part.
  durably(write, () => writeFileAtomic.sync(path, content, { fsync: false }));
}

/** A manifest without rows need not be there. */
function isStale(path: string, content: string): boolean {
  const shown = readIfThere(path);
  return shown === null ? content !== shownAs([]) : shown !== content;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
