import { closeSync, type Dirent, lstatSync, openSync, readdirSync, readSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionKey } from '@anthropic-ai/claude-agent-sdk';

/** What the harness wrote down of one session: its own transcript and those of its workers, each with its key in a store. */
export interface LocalSession {
  readonly id: string;
  /** Of its transcript, without the ending; a folder of this name holds the rest. */
  readonly path: string;
  readonly transcripts: readonly { readonly path: string; readonly key: SessionKey }[];
  /** Removes the transcripts. Large tool outputs beside them stay: the history names their paths. */
  remove(): void;
}

/** The sessions of a project that a config folder of the harness holds. Links are not followed. */
export function localSessions(configDir: string, projectKey: string): LocalSession[] {
  if (!isFolder(join(configDir, 'projects'))) return [];
  const folder = join(configDir, 'projects', projectKey);
  const ids = new Set(list(folder).map(({ name }) => name.replace(/\.jsonl$/, '')));
  const sessions = [...ids].map((id) => {
    const path = join(folder, id);
    const key = { projectKey, sessionId: id };
    const own = isFile(`${path}.jsonl`) ? [{ path: `${path}.jsonl`, key }] : [];
    const workers = (isFolder(path) ? filesBelow(path, 'subagents') : [])
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => ({ path: join(path, name), key: { ...key, subpath: name.slice(0, -'.jsonl'.length) } }));
    return { id, path, transcripts: [...own, ...workers], remove: () => removeSession(path) };
  });
  return sessions.filter(({ transcripts }) => transcripts.length > 0);
}

/** The folders that the SDK made to resume sessions in, those of this user only, and no links. */
export function resumeFolders(tmpDir: string): string[] {
  const folders = list(tmpDir).filter((entry) => entry.name.startsWith('claude-resume-') && entry.isDirectory());
  return folders.map(({ name }) => join(tmpDir, name)).filter(isOwn);
}

/** The lines of a file, one after the other, whatever its size. */
export function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(1 << 20);
    let rest = Buffer.alloc(0);
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      rest = Buffer.concat([rest, chunk.subarray(0, size)]);
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        yield rest.toString('utf8', 0, end);
        rest = rest.subarray(end + 1);
      }
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(file);
  }
}

function removeSession(path: string): void {
  rmSync(`${path}.jsonl`, { force: true });
  if (!isFolder(path)) return;
  rmSync(join(path, 'subagents'), { recursive: true, force: true });
  if (list(path).length === 0) rmdirSync(path);
}

function filesBelow(root: string, folder: string): string[] {
  return list(join(root, folder)).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(root, name);
    return entry.isFile() ? [name] : [];
  });
}

function list(folder: string): Dirent[] {
  return isFolder(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isOwn(path: string): boolean {
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
  return owner !== undefined && (process.getuid?.() ?? owner) === owner;
}
