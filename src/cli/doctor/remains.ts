import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from '../../locale/locale.js';
import { importCrashed } from '../../runtime/crashImport.js';
import { endLeftovers, isOwnerAlive } from '../../runtime/leftovers.js';
import { linesOf, localSessions, resumeFolders } from '../../runtime/localTranscripts.js';
import { processEntries } from '../../runtime/processes.js';
import { SqliteSessionStore } from '../../store/sqliteSessionStore.js';
import { storeKey } from '../../store/storeKey.js';
import { lookInto } from '../storedSessions.js';
import { type Finding, ok, warn } from './finding.js';
import type { Site } from './site.js';

/** Harness processes and shells that bear the mark of a flower that is gone. */
export async function checkProcesses({ projectKey }: Site): Promise<Finding[]> {
  const pids = projectKey === null ? [] : markedByTheDead(projectKey);
  if (projectKey === null || pids.length === 0) return [ok(text('doctor.processes'))];
  return [
    warn(text('doctor.processes.left', { n: pids.length, pids: pids.join(', ') }), {
      repair: {
        insideRunDir: false,
        make: async () => text('left.processes', { n: await endLeftovers(projectKey) }),
      },
    }),
  ];
}

/** What the harness of a dead flower wrote down and the database never got. */
export async function checkUnsaved(site: Site): Promise<Finding[]> {
  const { runDir, projectKey, holder } = site;
  const missing = holder !== null || projectKey === null ? 0 : missingEntries(runDir, projectKey);
  if (missing === 0 || projectKey === null) return [ok(text('doctor.unsaved'))];
  return [
    warn(text('doctor.unsaved.left', { n: missing }), {
      repair: {
        insideRunDir: true,
        make: async () => {
          const store = new SqliteSessionStore(join(runDir, 'sessions.db'));
          try {
            const configDir = join(runDir, 'harness');
            const { entries, failures } = await importCrashed({ store, projectKey, configDir, tmpDir: tmpdir() });
            return failures.length > 0 ? null : text('left.imported', { n: entries });
          } finally {
            store.close();
          }
        },
      },
    }),
  ];
}

/** Folders of dead processes that hold copies of credentials. */
export async function checkLeftovers(site: Site): Promise<Finding[]> {
  const { runDir, projectKey, holder } = site;
  const resumed = projectKey === null ? [] : foldersOf(runDir, projectKey);
  const own = join(runDir, 'harness');
  const holdsSecrets = holder === null && existsSync(join(own, '.credentials.json'));
  const folders = [...resumed, ...(holdsSecrets ? [own] : [])];
  if (folders.length === 0) return [ok(text('doctor.leftovers'))];
  return [
    warn(text('doctor.leftovers.left', { n: folders.length }), {
      repair: {
        insideRunDir: true,
        make: async () => {
          // What is not in the database yet must not go with them.
          if (projectKey !== null && missingEntries(runDir, projectKey) > 0) return null;
          for (const folder of folders) rmSync(folder, { recursive: true, force: true });
          return folders.join(', ');
        },
      },
    }),
  ];
}

function markedByTheDead(projectKey: string): number[] {
  return processEntries().flatMap((entry) => {
    const [, key, pid, startedAt] =
      /^(.+):([1-9]\d*):(\d+(?:\.\d+)?)$/.exec(entry.variable('FLOWER_OWNER') ?? '') ?? [];
    const isLeft = key === projectKey && !isOwnerAlive({ pid: Number(pid), startedAt: Number(startedAt) });
    return isLeft && !entry.isZombie ? [entry.pid] : [];
  });
}

/** Folders in which the SDK resumed sessions of this directory, and which no living process uses. */
function foldersOf(runDir: string, projectKey: string): string[] {
  const used = new Set(processEntries().map((entry) => entry.variable('CLAUDE_CONFIG_DIR')));
  return resumeFolders(tmpdir()).filter((folder) => {
    if (used.has(folder)) return false;
    const known = knownSessions(runDir);
    return localSessions(folder, projectKey).some(({ id }) => known.has(`${projectKey}/${id}`));
  });
}

function missingEntries(runDir: string, projectKey: string): number {
  const folders = [join(runDir, 'harness'), ...foldersOf(runDir, projectKey)];
  const transcripts = folders.flatMap((folder) =>
    localSessions(folder, projectKey).flatMap((session) => session.transcripts),
  );
  const missing = lookInto(runDir, ({ handle }) => {
    const isStored = handle.prepare('SELECT 1 FROM entries WHERE store_key = ? AND uid = ?').pluck();
    return transcripts.reduce((sum, { path, key }) => {
      const uuids = [...linesOf(path)].map(uuidIn).filter((uuid) => uuid !== null);
      return sum + uuids.filter((uuid) => isStored.get(storeKey(key), uuid) === undefined).length;
    }, 0);
  });
  return missing ?? 0;
}

function knownSessions(runDir: string): ReadonlySet<string> {
  const keys = lookInto(runDir, ({ handle }) => handle.prepare('SELECT store_key FROM meta').pluck().all());
  return new Set((keys ?? []).map(String));
}

/** Entries without a uuid are the harness's own notes. */
function uuidIn(line: string): string | null {
  try {
    const { uuid, type } = Object(JSON.parse(line)) as { uuid?: unknown; type?: unknown };
    return typeof uuid === 'string' && !String(type).startsWith('api-request') ? uuid : null;
  } catch {
    return null;
  }
}
