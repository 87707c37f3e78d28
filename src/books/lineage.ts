import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openDatabase, type RunDatabase } from '../database/database.js';
import { realPath } from '../database/runDir.js';
import type { DurableWrite } from '../durableWrites.js';
import { openBooksDatabase } from './books.js';
import { beginEpoch } from './epochs.js';
import { type LineageRecord, lineageRecords, olderLineageRecords, resolveLineage } from './lineageRecords.js';
import { freePath, timeStamp } from './timeStamp.js';
import { liesInside, lineagePath, lineageViewPath, writeLineageView } from './views.js';

export interface ArchiveOptions {
  /**
   * Further files that move to the same folder.
   * @default []
   */
  readonly extra?: readonly string[];
}

/**
 * Which session each step of a workspace continues, so that a run in the same directory goes on with the same conversation, also
 * after a kill. It lies in the run directory's database; `lineage.json` shows it. No failure of it ever stops a run.
 *
 * @example
 * const lineage = Lineage.open('/home/ann/app/runs', '/home/ann/app');
 * lineage.bump();
 * lineage.remember('work', sessionId);
 */
export class Lineage {
  /** Path of the view. */
  readonly path: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Step name to session id. */
  steps: Record<string, string>;
  /** How often this workspace was worked in, this time included once `bump` was called. */
  woke: number;
  /** Step name to the workspace path under which its id was recorded, where that is another one: the directory was moved. */
  readonly movedFrom: Record<string, string>;
  readonly #runDir: string;
  readonly #inside: boolean;
  /** Writes that did not succeed yet, because the database was locked for instance; the next one takes them along, in order. */
  readonly #pending: ((database: RunDatabase) => void)[] = [];

  private constructor(runDir: string, workspace: string) {
    this.#runDir = realPath(runDir);
    this.workspace = realPath(workspace);
    this.#inside = liesInside(this.#runDir, this.workspace);
    this.path = lineagePath(this.#runDir);
    const { steps, woke, movedFrom } = resolveLineage(readRecords(this.#runDir), this.workspace, this.#inside);
    this.steps = steps;
    this.woke = woke;
    this.movedFrom = movedFrom;
  }

  /** Reads what is there and writes nothing. Nothing there, or nothing that can be read, is an empty lineage. */
  static open(runDir: string, workspace: string): Lineage {
    return new Lineage(runDir, workspace);
  }

  /** Records the session of a step at once. An empty step or id is ignored. */
  remember(step: string, sessionId: string): void {
    if (!step || !sessionId) return;
    this.steps[step] = sessionId;
    delete this.movedFrom[step];
    this.#write('lineage.step', (database) => {
      database.handle
        .prepare(
          `INSERT INTO lineage (workspace, step, session_id, set_at) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET session_id = excluded.session_id, set_at = excluded.set_at`,
        )
        .run(this.workspace, step, sessionId, Date.now() / 1000);
      this.#showIn(database);
    });
  }

  /** Counts one more wake and gives the new count, 1 on the first run. */
  bump(): number {
    this.woke += 1;
    this.#write('lineage.wake', (database) => {
      this.woke = resolveLineage(lineageRecords(database.handle), this.workspace, this.#inside).woke + 1;
      database.handle
        .prepare('INSERT INTO wakes (workspace, woke) VALUES (?, ?) ON CONFLICT DO UPDATE SET woke = excluded.woke')
        .run(this.workspace, this.woke);
      this.#showIn(database);
    });
    return this.woke;
  }

  /**
   * Ends this lineage: moves its view and the extra files to `<into>/<YYYYMMDD-HHMMSS>/`, forgets sessions and wake count, and
   * begins a new account for the budget. Transcripts, manifest and event log stay. Gives that folder, which exists only if
   * there was something to move.
   */
  archive(into: string, options: ArchiveOptions = {}): string {
    this.steps = {};
    this.woke = 0;
    for (const step of Object.keys(this.movedFrom)) delete this.movedFrom[step];
    // The database first: a kill in between must not leave new work with the old sessions.
    this.#write('lineage.archive', ({ handle }) => {
      for (const table of ['lineage', 'wakes']) {
        if (this.#inside) handle.prepare(`DELETE FROM ${table}`).run();
        else handle.prepare(`DELETE FROM ${table} WHERE workspace = ?`).run(this.workspace);
      }
      beginEpoch(handle);
    });
    const view = lineageViewPath(this.#runDir, this.workspace);
    const sources = [view, ...(options.extra ?? [])].filter((path) => existsSync(path));
    const destination = freePath(join(into, timeStamp()));
    if (sources.length > 0) moveInto(destination, sources);
    return destination;
  }

  #write(write: DurableWrite, work: (database: RunDatabase) => void): void {
    this.#pending.push(work);
    try {
      const database = openBooksDatabase(this.#runDir);
      try {
        database.transaction(() => {
          for (const pending of this.#pending) pending(database);
        }, write);
        this.#pending.length = 0;
      } finally {
        database.close();
      }
    } catch {
      // Continuity may be lost, work is not.
    }
  }

  #showIn(database: RunDatabase): void {
    database.afterCommit('lineage.json', () => {
      try {
        writeLineageView(database, this.#runDir, this.workspace);
      } catch {
        // Only a view; the next write or opening tries again.
      }
    });
  }
}

function readRecords(runDir: string): LineageRecord[] {
  const path = join(runDir, 'sessions.db');
  if (!existsSync(path)) return olderLineageRecords(runDir);
  try {
    const database = openDatabase(path, { readonly: true });
    try {
      const imported = database.handle.pragma('user_version', { simple: true }) !== 0;
      return imported ? lineageRecords(database.handle) : olderLineageRecords(runDir);
    } finally {
      database.close();
    }
  } catch {
    return [];
  }
}

function moveInto(folder: string, sources: readonly string[]): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    return;
  }
  for (const source of sources) {
    try {
      move(source, freePath(join(folder, basename(source))));
    } catch {
      // The others still move.
    }
  }
}

function move(source: string, target: string): void {
  try {
    renameSync(source, target);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    copyFileSync(source, target);
    rmSync(source);
  }
}
