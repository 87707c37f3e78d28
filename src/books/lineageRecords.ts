import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { text } from '../locale/locale.js';

/** What one workspace path is known to have: its wake count (null: none recorded) and the session of each step. */
export interface LineageRecord {
  readonly workspace: string;
  readonly woke: number | null;
  readonly steps: readonly { readonly step: string; readonly sessionId: string; readonly setAt: number }[];
}

/** What counts for a workspace, and for each step taken over from another path that path. */
export interface ResolvedLineage {
  readonly woke: number;
  readonly steps: Record<string, string>;
  readonly movedFrom: Record<string, string>;
}

/**
 * What holds for one workspace. With `inherits` (the run directory lies inside the workspace, so the two moved together) a step
 * without an id of its own takes the newest one recorded under another path, and the wake count goes on from there.
 */
export function resolveLineage(
  records: readonly LineageRecord[],
  workspace: string,
  inherits: boolean,
): ResolvedLineage {
  const own = records.find((record) => record.workspace === workspace);
  const steps = new Map((own?.steps ?? []).map(({ step, sessionId }) => [step, sessionId]));
  const others = inherits ? records.filter((record) => record !== own) : [];
  const inherited = others
    .flatMap((record) => record.steps.map((entry) => ({ ...entry, from: record.workspace })))
    .sort((a, b) => b.setAt - a.setAt);
  const movedFrom = new Map<string, string>();
  for (const { step, sessionId, from } of inherited) {
    if (steps.has(step)) continue;
    steps.set(step, sessionId);
    movedFrom.set(step, from);
  }
  const woke = own?.woke ?? Math.max(0, ...others.map((record) => record.woke ?? 0));
  return { woke, steps: Object.fromEntries(steps), movedFrom: Object.fromEntries(movedFrom) };
}

/** The lineage of every workspace in the database. */
export function lineageRecords(handle: Database): LineageRecord[] {
  const wakes = handle.prepare('SELECT workspace, woke FROM wakes').all() as { workspace: string; woke: number }[];
  const rows = handle
    .prepare('SELECT workspace, step, session_id AS sessionId, set_at AS setAt FROM lineage ORDER BY rowid')
    .all() as { workspace: string; step: string; sessionId: string; setAt: number }[];
  const workspaces = new Set([...wakes, ...rows].map(({ workspace }) => workspace));
  return [...workspaces].map((workspace) => ({
    workspace,
    woke: wakes.find((wake) => wake.workspace === workspace)?.woke ?? null,
    steps: rows.filter((row) => row.workspace === workspace),
  }));
}

/** The lineage of every workspace in the JSON files of an older directory. What cannot be understood is no lineage. */
export function olderLineageRecords(runDir: string): LineageRecord[] {
  try {
    return readdirSync(runDir)
      .filter(isLineageFile)
      .flatMap((name) => lineageRecordAt(join(runDir, name)) ?? []);
  } catch {
    return [];
  }
}

/** Whether one of those files cannot be understood. */
export function hasDamagedLineage(runDir: string): boolean {
  if (!existsSync(runDir)) return false;
  return readdirSync(runDir).some((name) => isLineageFile(name) && lineageRecordAt(join(runDir, name)) === null);
}

/** `lineage.json`, or a relative that another workspace's lineage was moved to. */
export function isLineageFile(name: string): boolean {
  return /^lineage(\.[0-9a-f]{8})?\.json$/.test(name);
}

/** The lineage in one file, or null. */
export function lineageRecordAt(path: string): LineageRecord | null {
  try {
    return lineageRecordIn(JSON.parse(readFileSync(path, 'utf8')), statSync(path).mtimeMs / 1000);
  } catch {
    return null;
  }
}

/** The lineage in a parsed file, its Chinese step names of earlier flower read as the ids; null if it is none. */
export function lineageRecordIn(content: unknown, setAt: number): LineageRecord | null {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return null;
  const { workspace, woke, steps } = content as { workspace?: unknown; woke?: unknown; steps?: unknown };
  if (typeof workspace !== 'string') return null;
  const entries = new Map<string, string>();
  for (const [name, id] of Object.entries(Object(steps) as Record<string, unknown>)) {
    if (id === null || id === undefined || String(id) === '') continue;
    const step = stepId(name);
    if (step === name || !entries.has(step)) entries.set(step, String(id));
  }
  return {
    workspace,
    woke: typeof woke === 'number' && Number.isFinite(woke) ? woke : 0,
    steps: [...entries].map(([step, sessionId]) => ({ step, sessionId, setAt })),
  };
}

function stepId(name: string): string {
  if (name === text('step.clarify', {}, 'zh')) return 'clarify';
  if (name === text('step.setGoal', {}, 'zh')) return 'set-goal';
  if (name === text('step.work', {}, 'zh')) return 'work';
  return name;
}
