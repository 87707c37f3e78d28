import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Books } from '../../books/books.js';
import { Lineage } from '../../books/lineage.js';
import { lockDamage } from '../../database/runLock.js';
import { FlowerError } from '../../errors.js';
import { text } from '../../locale/locale.js';
import { validate } from '../../store/curate/validate.js';
import { parsePayloads } from '../../store/parsePayloads.js';
import { PruningSessionStore } from '../../store/pruningSessionStore.js';
import { storeKey } from '../../store/storeKey.js';
import { TrimPolicy } from '../../store/trimPolicy.js';
import { heldText } from '../lockGate.js';
import { lookInto } from '../storedSessions.js';
import { bad, type Finding, ok, warn } from './finding.js';
import type { Site } from './site.js';

export async function checkLock({ runDir, holder, staleHolder }: Site): Promise<Finding[]> {
  const damaged = lockDamage(runDir);
  if (damaged !== null) return [bad(damaged.message)];
  if (holder !== null) return [ok(heldText(runDir, holder).split('\n')[0] ?? '')];
  if (staleHolder === null) return [ok(text('doctor.lock', { dir: runDir }))];
  // Whoever repairs holds the lock, and takes the note away with it.
  const repair = { insideRunDir: true, make: async () => join(runDir, 'run.pid') };
  return [warn(text('doctor.lock.stale', { pid: staleHolder }), { repair })];
}

/** Runs that were killed. */
export async function checkRuns({ books, holder }: Site): Promise<Finding[]> {
  const runs = readable(books)?.runs() ?? [];
  const past = holder === null ? runs : runs.slice(0, -1);
  // Of an older flower no run has an outcome, and none has been entered by itself.
  const left = past.filter(({ outcome, endedAt }) => outcome === null && endedAt === null).length;
  return [left === 0 ? ok(text('doctor.runs')) : warn(text('doctor.runs.left', { n: left }))];
}

export async function checkDatabase({ runDir, books }: Site): Promise<Finding[]> {
  const path = join(runDir, 'sessions.db');
  if (!existsSync(path)) return [ok(text('state.none', { dir: runDir }))];
  try {
    const faults = books()?.integrityCheck() ?? [];
    if (faults.length > 0) return [bad(text('doctor.database.bad', { why: faults[0] ?? '', path }))];
    const view = join(runDir, 'manifest.json');
    const schema = lookInto(runDir, ({ handle }) => handle.pragma('user_version', { simple: true }));
    if (schema === null && existsSync(view)) return [warn(text('books.emptied', { path, view }))];
    return [ok(text('doctor.database', { n: Number(schema ?? 0) }))];
  } catch (error) {
    if (FlowerError.isInstance(error) && error.code === 'database_newer') return [bad(error.message)];
    const why = error instanceof Error ? error.message : String(error);
    return [bad(text('doctor.database.bad', { why, path }))];
  }
}

/** Whether the service would take each session that the next run goes on with, as it would be read back. */
export async function checkTranscripts({ runDir, workspace, projectKey, books }: Site): Promise<Finding[]> {
  if (readable(books) === null || projectKey === null) return [ok(text('doctor.transcripts', { n: 0 }))];
  const sessions = Object.values(Lineage.open(runDir, workspace).steps);
  const store = new PruningSessionStore(readOnlyStore(runDir), workspace, {
    policy: new TrimPolicy({ enabled: false }),
  });
  const findings: Finding[] = [];
  for (const sessionId of sessions) {
    const entries = await store.load({ projectKey, sessionId });
    const [why] = entries === null ? [text('banner.lost.session')] : validate(entries);
    if (why !== undefined) findings.push(bad(text('doctor.transcripts.bad', { id: sessionId, why })));
  }
  return findings.length > 0 ? findings : [ok(text('doctor.transcripts', { n: sessions.length }))];
}

export async function checkViews({ runDir, books }: Site): Promise<Finding[]> {
  const stale = readable(books)?.staleViews() ?? [];
  if (stale.length === 0) return [ok(text('doctor.views'))];
  return stale.map((file) =>
    warn(text('doctor.views.bad', { file }), {
      repair: {
        insideRunDir: true,
        make: async () => {
          // Opening the books writes the views.
          Books.open(runDir).close();
          return file;
        },
      },
    }),
  );
}

/** The books, if nothing is wrong with them: what is wrong stands with the database. */
function readable(books: Site['books']): ReturnType<Site['books']> {
  try {
    return books();
  } catch {
    return null;
  }
}

function readOnlyStore(runDir: string): ConstructorParameters<typeof PruningSessionStore>[0] {
  return {
    append: async () => {},
    load: async (key) =>
      lookInto(runDir, ({ handle }) => {
        const rows = handle.prepare('SELECT payload FROM entries WHERE store_key = ? ORDER BY seq').pluck();
        const entries = parsePayloads(rows.iterate(storeKey(key)));
        return entries.length > 0 ? entries : null;
      }),
  };
}
