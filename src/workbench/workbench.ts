import { type Dirent, mkdirSync, readdirSync, readFileSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { activeLocale, type Locale, text } from '../locale/locale.js';
import { describeFile } from './describeFile.js';
import { isInside, realPath } from './paths.js';

export interface WorkbenchOptions {
  /** Name of the folder inside the workspace. @default '.flower' */
  readonly dirname?: string;
  /** Lines of one compartment in `promptBlock()`; `INDEX.md` always lists everything. @default 40 */
  readonly maxIndexEntries?: number;
  /** Folder of the workbench itself, instead of `dirname`; outside the workspace for isolated workers. @default null */
  readonly home?: string | null;
  /** Language of the index and of the texts for the model. @default the active locale */
  readonly locale?: Locale;
}

/** A file of the workbench: path as shown, what it is for (may be `''`), size in bytes. */
export type WorkbenchEntry = [shown: string, description: string, bytes: number];

interface BenchFile {
  readonly path: string;
  readonly shown: string;
  readonly stats: Stats;
}

/** Lines of `newSince()`: it is a reminder before a prompt, not a listing. */
const NEW_LINES = 10;

/**
 * The folder where scripts, long outputs and decisions settle, so that they outlive every context. `INDEX.md` lists what is
 * there. All methods are synchronous; those that touch the disk throw its errors.
 *
 * @example
 * const bench = new Workbench('/home/me/project').ensure();
 * bench.refresh();                    // writes .flower/INDEX.md
 * const head = bench.promptBlock();   // goes before the first prompt of a session
 */
export class Workbench {
  readonly workspace: string;
  readonly dirname: string;
  readonly maxIndexEntries: number;
  readonly home: string | null;
  readonly locale: Locale;
  /** Descriptions by path; `stamp` says for which state of the file. Reading 10 000 heads on every refresh takes most of a second. */
  readonly #descriptions = new Map<string, { readonly stamp: string; readonly description: string }>();

  /** Creates nothing on disk. */
  constructor(workspace: string, options: WorkbenchOptions = {}) {
    const { dirname = '.flower', maxIndexEntries = 40, home = null } = options;
    if (!Number.isInteger(maxIndexEntries) || maxIndexEntries < 0) {
      throw new TypeError(`maxIndexEntries: expected an integer of at least 0, got ${maxIndexEntries}`);
    }
    this.workspace = realPath(workspace);
    this.dirname = dirname;
    this.maxIndexEntries = maxIndexEntries;
    this.home = home === null ? null : realPath(home);
    this.locale = options.locale ?? activeLocale();
  }

  get root(): string {
    return this.home ?? join(this.workspace, this.dirname);
  }

  /** True if the workbench lies outside the workspace: the only kind that isolated workers can write to. */
  get external(): boolean {
    return !isInside(this.workspace, this.root);
  }

  get scripts(): string {
    return join(this.root, 'scripts');
  }

  get artifacts(): string {
    return join(this.root, 'artifacts');
  }

  get notes(): string {
    return join(this.root, 'notes');
  }

  /** Tool outputs that were too long for the context. Not a compartment: never indexed, never committed. */
  get spill(): string {
    return join(this.root, 'spill');
  }

  get indexPath(): string {
    return join(this.root, 'INDEX.md');
  }

  /** A path as the model is told it: relative to the workspace with `/`, absolute where that is not possible. */
  show(path: string): string {
    const absolute = resolve(this.workspace, path);
    if (this.external || !isInside(this.workspace, absolute)) return absolute;
    return relative(this.workspace, absolute).split(sep).join('/') || '.';
  }

  /** Creates the three compartments and a `.gitignore` for the spilled outputs; leaves alone what exists. */
  ensure(): this {
    for (const folder of [this.scripts, this.artifacts, this.notes]) mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(join(this.root, '.gitignore'), 'spill/\n', { flag: 'wx' });
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
    return this;
  }

  /** All files below a compartment, sorted by path, without hidden ones and without archived notes. */
  scan(folder: string): WorkbenchEntry[] {
    return this.#files(folder).map((file) => this.#entry(file));
  }

  /** Brings `INDEX.md` up to date and returns its text. The file is touched only when the text changed. */
  refresh(): string {
    this.ensure();
    const lines = [`# ${text('index.title', {}, this.locale)}`, '', `> ${text('index.note', {}, this.locale)}`, ''];
    for (const [title, folder] of [
      ['index.scripts', this.scripts],
      ['index.artifacts', this.artifacts],
      ['index.notes', this.notes],
    ] as const) {
      const entries = this.scan(folder);
      lines.push(
        `## ${text('index.heading', { title: text(title, {}, this.locale), n: entries.length }, this.locale)}`,
      );
      for (const [shown, description, bytes] of entries) {
        lines.push(`- \`${shown}\` — ${description || text('index.noDesc', {}, this.locale)} (${formatBytes(bytes)})`);
      }
      if (entries.length === 0) lines.push(`- ${text('placeholder.empty', {}, this.locale)}`);
      lines.push('');
    }
    const index = lines.join('\n');
    if (readIfThere(this.indexPath) !== index) writeFileAtomic.sync(this.indexPath, index);
    return index;
  }

  /** What a new session is told: what exists already, and the three rules. Short, because every session pays for it. */
  promptBlock(): string {
    const lines = [`# ${text('bench.title', {}, this.locale)} ${this.show(this.root)}/`, ''];
    if (this.external) lines.push(text('bench.external', { root: this.root }, this.locale), '');
    lines.push(text('bench.useFirst', {}, this.locale), '');
    let empty = true;
    for (const [title, folder] of [
      ['bench.scripts', this.scripts],
      ['bench.artifacts', this.artifacts],
      ['bench.notes', this.notes],
    ] as const) {
      const files = this.#files(folder);
      if (files.length === 0) continue;
      empty = false;
      lines.push(text(title, {}, this.locale), ...files.slice(0, this.maxIndexEntries).map((file) => this.#line(file)));
      const rest = files.length - this.maxIndexEntries;
      if (rest > 0) lines.push(text('bench.more', { n: rest, dir: this.show(folder) }, this.locale));
      lines.push('');
    }
    if (empty) lines.push(text('bench.emptyAll', {}, this.locale), '');
    const [scripts, artifacts, notes] = [this.scripts, this.artifacts, this.notes].map((folder) => this.show(folder));
    lines.push(
      text('bench.rules', { scripts: scripts ?? '', artifacts: artifacts ?? '', notes: notes ?? '' }, this.locale),
    );
    return lines.join('\n');
  }

  /** What changed in the compartments after a moment (seconds since 1970), newest first, at most 10 lines; `''` if nothing did. */
  newSince(unixS: number): string {
    const changed = [this.scripts, this.artifacts, this.notes]
      .flatMap((folder) => this.#files(folder))
      .filter((file) => file.stats.mtimeMs > unixS * 1000)
      .sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs);
    if (changed.length === 0) return '';
    const lines = changed
      .slice(0, changed.length > NEW_LINES ? NEW_LINES - 1 : NEW_LINES)
      .map((file) => this.#line(file));
    const rest = changed.length - lines.length;
    if (rest > 0) lines.push(text('bench.more', { n: rest, dir: this.show(this.root) }, this.locale));
    return [text('bench.new', {}, this.locale), ...lines].join('\n');
  }

  /** What every worker is told at its start. Absolute paths, so that it holds in a worktree as well. */
  workerBlock(): string {
    const place = text(this.external ? 'bench.outside' : 'bench.inside', {}, this.locale);
    const { root, scripts, artifacts } = this;
    return text('bench.worker', { root, scripts, artifacts, place }, this.locale);
  }

  #line(file: BenchFile): string {
    const [shown, description, bytes] = this.#entry(file);
    return `- \`${shown}\`${description && ` — ${description}`} (${formatBytes(bytes)})`;
  }

  #entry({ path, shown, stats }: BenchFile): WorkbenchEntry {
    return [shown, this.#describe(path, stats), stats.size];
  }

  #describe(path: string, stats: Stats): string {
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
    const known = this.#descriptions.get(path);
    if (known?.stamp === stamp) return known.description;
    const description = orElse('', () => describeFile(path));
    this.#descriptions.set(path, { stamp, description });
    return description;
  }

  #files(folder: string): BenchFile[] {
    const archive = join(this.notes, 'archive');
    const found: BenchFile[] = [];
    const walk = (directory: string) => {
      // An outer workbench on Windows is shown with its own separator, an inner one always with `/`.
      const shownFolder = this.show(join(directory, 'x')).slice(0, -1);
      for (const entry of orElse<Dirent[]>([], () => readdirSync(directory, { withFileTypes: true }))) {
        const path = join(directory, entry.name);
        if (entry.name.startsWith('.') || path === archive) continue;
        if (entry.isDirectory()) walk(path);
        // A link to a file counts as one; a link to a folder is not followed, it could lead in a circle.
        const stats = entry.isFile() || entry.isSymbolicLink() ? orElse(null, () => statSync(path)) : null;
        if (stats?.isFile()) found.push({ path, shown: oneLine(shownFolder + entry.name), stats });
      }
    };
    walk(folder);
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** `1023B`, `1.0K`, `1.0M`. */
function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)}K` : `${(bytes / 1024 ** 2).toFixed(1)}M`;
}

/** A file name may hold line breaks; in an index it must not start a line of its own. */
function oneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, '?');
}

/** For entries that vanish or cannot be read while the folder is walked: one of them must not hide the others. */
function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

function readIfThere(path: string): string | null {
  return orElse(null, () => readFileSync(path, 'utf8'));
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
