import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { RunDatabase } from '../database/database.js';
import { beforeDurableWrite } from '../database/durableWrites.js';
import { lineageRecordAt, lineageRecords, resolveLineage } from './lineageRecords.js';

/**
 * Writes `manifest.json` anew if it does not show what the database holds. It is written inside a write transaction: two
 * processes that booked at the same time then cannot leave the older state in the file.
 */
export function writeManifestView(database: RunDatabase, runDir: string): void {
  database.transaction(() => {
    const rows = database.handle
      .prepare('SELECT row FROM steps JOIN runs USING (run) ORDER BY runs.rowid, position')
      .pluck();
    const content = rows.all().map((row) => JSON.parse(String(row)) as unknown);
    if (content.length > 0 || readIfThere(manifestPath(runDir)) !== null) replace(manifestPath(runDir), content);
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
    const shown = lineageRecordAt(path);
    const subject =
      workspace ?? records.find((record) => record.workspace === shown?.workspace)?.workspace ?? latest(records);
    if (subject === undefined) return;
    const inside = liesInside(runDir, subject);
    const { woke, steps } = resolveLineage(records, subject, inside);
    if (shown && shown.workspace !== subject && !inside) renameSync(path, hashedPath(runDir, shown.workspace));
    replace(path, { workspace: subject, woke, steps });
    rmSync(hashedPath(runDir, subject), { force: true });
  });
}

/** Removes what a process left behind that died while it replaced a view. Under the write lock nobody is replacing one. */
export function removeLeftovers(database: RunDatabase, runDir: string): void {
  database.transaction(() => {
    const leftovers = readdirSync(runDir).filter((name) => /^(manifest|lineage)\.json\.\d+$/.test(name));
    for (const name of leftovers) rmSync(join(runDir, name), { force: true });
  });
}

/** Where the lineage of a workspace is shown now: `lineage.json`, or the hashed name if that shows another one's. */
export function lineageViewPath(runDir: string, workspace: string, inside: boolean): string {
  const shown = lineageRecordAt(lineagePath(runDir));
  return shown && shown.workspace !== workspace && !inside ? hashedPath(runDir, workspace) : lineagePath(runDir);
}

export const manifestPath = (runDir: string) => join(runDir, 'manifest.json');
export const lineagePath = (runDir: string) => join(runDir, 'lineage.json');

/** True if a run directory lies inside a workspace: the two then move and are copied together. Real paths. */
export function liesInside(runDir: string, workspace: string): boolean {
  return runDir === workspace || runDir.startsWith(workspace.endsWith(sep) ? workspace : workspace + sep);
}

function latest(records: ReturnType<typeof lineageRecords>): string | undefined {
  const lastSet = (record: (typeof records)[number]) => Math.max(0, ...record.steps.map(({ setAt }) => setAt));
  return [...records].sort((a, b) => lastSet(b) - lastSet(a))[0]?.workspace;
}

function hashedPath(runDir: string, workspace: string): string {
  return join(runDir, `lineage.${createHash('sha256').update(workspace).digest('hex').slice(0, 8)}.json`);
}

function replace(path: string, value: unknown): void {
  const content = `${JSON.stringify(value, null, 2)}\n`;
  if (readIfThere(path) === content) return;
  beforeDurableWrite(`view ${basename(path)}`);
  writeFileAtomic.sync(path, content);
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
