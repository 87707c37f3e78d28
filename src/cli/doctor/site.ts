import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Books } from '../../books/books.js';
import type { BooksView } from '../../books/booksView.js';
import { loadSettings, type Settings } from '../../credentials/loadSettings.js';
import { type LockHolder, lockHolder } from '../../database/runLock.js';
import type { CliPlaces } from '../places.js';

/** What all checks look at. */
export interface Site extends CliPlaces {
  readonly settings: Settings;
  /** Why the file that `FLOWER_ENV` names could not be read; null if it could, or none is named. */
  readonly settingsFault: string | null;
  /** Who works in the run directory now. */
  readonly holder: LockHolder | null;
  /** The process that a note in the run directory names although nobody works there; null if there is no such note. */
  readonly staleHolder: string | null;
  /** Of the run directory's sessions; null if none was ever written down. */
  readonly projectKey: string | null;
  /** Whether one real request may be sent. */
  readonly probe: boolean;
  /** The books, opened to read; null if there are none. What is wrong with them is thrown. */
  readonly books: () => BooksView | null;
  close(): void;
}

export function openSite(places: CliPlaces, options: { readonly probe: boolean }): Site {
  const { runDir, workspace } = places;
  let books: BooksView | null | undefined;
  return {
    ...places,
    ...settingsFor(workspace),
    ...holdersOf(runDir),
    projectKey: projectKeyIn(runDir),
    probe: options.probe,
    books: () => {
      if (books === undefined) books = existsSync(runDir) ? Books.peek(runDir) : null;
      return books;
    },
    close: () => books?.close(),
  };
}

function holdersOf(runDir: string): Pick<Site, 'holder' | 'staleHolder'> {
  const holder = lockHolder(runDir);
  const note = join(runDir, 'run.pid');
  if (holder !== null || !existsSync(note)) return { holder, staleHolder: null };
  return { holder, staleHolder: String(Object(jsonAt(note)).pid ?? '?') };
}

/** Without the file that `FLOWER_ENV` names if that cannot be read: everything else can still be looked at. */
function settingsFor(workspace: string): Pick<Site, 'settings' | 'settingsFault'> {
  try {
    return { settings: loadSettings({ workspace }), settingsFault: null };
  } catch (error) {
    delete process.env.FLOWER_ENV;
    return {
      settings: loadSettings({ workspace }),
      settingsFault: error instanceof Error ? error.message : String(error),
    };
  }
}

/** What is in effect, by key: the process's environment with what the files add. */
export function effective({ settings }: Site): Record<string, string | undefined> {
  return { ...process.env, ...Object.fromEntries([...settings.values].map(([key, { value }]) => [key, value])) };
}

function projectKeyIn(runDir: string): string | null {
  const { key } = Object(jsonAt(join(runDir, 'project.json'))) as { key?: unknown };
  return typeof key === 'string' ? key : null;
}

function jsonAt(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
