import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionKey, SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { realPath } from '../database/runDir.js';
import { isDerived } from '../store/curate/madeUp.js';
import { parsePayloads } from '../store/parsePayloads.js';
import type { StoreExtras, StoreQueries } from '../store/storeQueries.js';
import { type LocalSession, linesOf, localSessions, resumeFolders } from './localTranscripts.js';
import { isRunning, processEntries } from './processes.js';

export interface CrashSite {
  /** Where the entries belong. */
  readonly store: CrashStore;
  readonly projectKey: string;
  /** The harness's own folder, where it writes down fresh sessions. */
  readonly configDir: string;
  /** Where the SDK makes the folders of resumed sessions. */
  readonly tmpDir: string;
}

/** A store that curates names the one behind it, which holds the record. */
type CrashStore = SessionStore & Partial<StoreQueries> & StoreExtras & { readonly inner?: SessionStore };

export interface CrashImport {
  /** How many had not reached the store. */
  readonly entries: number;
  /** What could not be taken in or removed: a path and the reason each. A session that was not taken in stays where it is. */
  readonly failures: string[];
}

/**
 * Takes into the store what the harness of a dead flower had written down and the store never got, and removes it: an old copy
 * could be resumed in the store's place, and the folders of resumed sessions hold copies of credentials. To be called before
 * anything is resumed.
 *
 * Left alone is what a living process uses, and every temporary folder that belongs to another user, is a link, or holds no
 * session that the store knows. A second call adds nothing. Never throws.
 *
 * @example
 * const { entries, failures } = await importCrashed({ store, projectKey, configDir: join(runDir, 'harness'), tmpDir: tmpdir() });
 */
export async function importCrashed(site: CrashSite): Promise<CrashImport> {
  const report: Report = { entries: 0, failures: [] };
  const { configDir, tmpDir, projectKey } = site;
  const isUsed = usedFolders();
  await guarded(report, configDir, async () => {
    if (!isUsed(configDir)) await takeIn(site.store, localSessions(configDir, projectKey), report);
  });
  await guarded(report, tmpDir, async () => {
    for (const folder of resumeFolders(tmpDir)) {
      if (!isUsed(folder)) await guarded(report, folder, () => takeInResumed(site, folder, report));
    }
  });
  return report;
}

/**
 * Takes in what the store lacks of one session that the harness still works with, from the harness's own copy, which stays.
 *
 * @throws the error of the store or the file system
 */
export async function importLiving(store: CrashStore, key: SessionKey, configDir: string): Promise<number> {
  const session = localSessions(configDir, key.projectKey).find(({ id }) => id === key.sessionId);
  let entries = 0;
  for (const { path, key: of } of session?.transcripts ?? []) entries += await takeLines(store, of, linesOf(path));
  return entries;
}

interface Report {
  entries: number;
  readonly failures: string[];
}

/** Does the work; if it throws, the report names the path and says why. */
async function guarded(report: Report, path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    report.failures.push(`${path}: ${error instanceof Error ? error.message : error}`);
  }
}

async function takeIn(store: CrashStore, sessions: readonly LocalSession[], report: Report): Promise<void> {
  for (const session of sessions) {
    const failed = report.failures.length;
    for (const { path, key } of session.transcripts) {
      await guarded(report, path, async () => {
        report.entries += await takeLines(store, key, linesOf(path));
      });
    }
    if (report.failures.length === failed) await guarded(report, session.path, async () => session.remove());
  }
}

async function takeInResumed({ store, projectKey }: CrashSite, folder: string, report: Report): Promise<void> {
  const sessions = localSessions(folder, projectKey);
  const known = await Promise.all(sessions.map(({ id }) => store.hasSession?.(projectKey, id)));
  if (!known.includes(true)) return;
  const failed = report.failures.length;
  await takeIn(store, sessions, report);
  // A transcript that could not be taken in is needed again; the credentials beside it are not.
  const isWhole = report.failures.length === failed;
  const others = () => readdirSync(folder).filter((name) => name !== 'projects');
  for (const name of isWhole ? ['.'] : others()) rmSync(join(folder, name), { recursive: true, force: true });
}

async function takeLines(store: CrashStore, key: SessionKey, lines: Iterable<string>): Promise<number> {
  if (store.importTranscript) return store.importTranscript(key, lines);
  const record = store.inner ?? store;
  const missing = missingIn((await record.load(key)) ?? [], lines);
  if (missing.length > 0) await record.append(key, missing);
  return missing.length;
}

/** For a store that cannot put entries at their place: those that it lacks, in the order of the file. */
function missingIn(stored: readonly SessionStoreEntry[], lines: Iterable<string>): SessionStoreEntry[] {
  const known = new Set(stored.map(identityOf));
  return parsePayloads(lines).filter((entry) => {
    // The harness keeps these for itself, and curation makes those anew at each load.
    if (String(entry.type).startsWith('api-request') || isDerived(entry)) return false;
    const isMissing = !known.has(identityOf(entry));
    known.add(identityOf(entry));
    return isMissing;
  });
}

/** The uuid, else the content: a store may give fields back in another order. */
function identityOf(entry: SessionStoreEntry): string {
  return typeof entry.uuid === 'string' ? entry.uuid : JSON.stringify(sorted(entry));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}

/** Tells whether a living process has a folder as its config folder. */
function usedFolders(): (folder: string) => boolean {
  const alive = processEntries().filter((entry) => !entry.isZombie);
  const used = new Set(alive.flatMap((entry) => entry.variable('CLAUDE_CONFIG_DIR') ?? []).map(realPath));
  return (folder) => used.has(realPath(folder)) || (process.platform !== 'linux' && namesLiving(folder));
}

/** Where no process can be looked at: a running harness keeps a file with its number in its folder. */
function namesLiving(folder: string): boolean {
  const sessions = join(folder, 'sessions');
  const names = existsSync(sessions) ? readdirSync(sessions) : [];
  return names.some((name) => /^\d+\.json$/.test(name) && isRunning(Number.parseInt(name, 10)));
}
