import { hardenedGit } from '../guards/worktrees/hardenedGit.js';
import { type Locale, text } from '../locale/locale.js';
import type { FileChange } from './workspaceState.js';

const MAX_FILES = 60;
const MAX_BYTES = 1024 * 1024;
const MAX_TAKEN_OUT = 15;
const MAX_LINE = 160;

/**
 * The changed files as a judge is shown them: tests and what configures them first, since that is where a result can be made to look
 * better than it is, with the lines that were taken out of them; then the others. Line counts stand where the commit holds the file
 * as it was.
 *
 * @param read gives what a file holds now
 */
export async function changeList(
  changes: readonly FileChange[],
  from: {
    readonly workspace: string;
    readonly head: string | null;
    readonly locale: Locale;
    readonly read: (path: string) => string | null;
  },
): Promise<string> {
  const { locale } = from;
  if (changes.length === 0) return text('judging.noChanges', {}, locale);
  const tests = changes.filter(({ path }) => isTestFile(path));
  const others = changes.filter(({ path }) => !isTestFile(path));
  const shown = await compared([...tests, ...others].slice(0, MAX_FILES), from);
  let room = MAX_TAKEN_OUT;
  const lines = shown.flatMap((change) => {
    const takenOut = isTestFile(change.path) ? change.removed.slice(0, room) : [];
    room -= takenOut.length;
    return [describe(change, locale), ...takenOut.map((line) => `    - ${line.trim().slice(0, MAX_LINE)}`)];
  });
  const more = changes.length - shown.length;
  return [...lines, ...(more > 0 ? [text('judging.moreFiles', { n: more }, locale)] : [])].join('\n');
}

/** True for a test, its data and what says how tests are run. */
export function isTestFile(path: string): boolean {
  return (
    /(?:^|\/)(?:tests?|specs?|__tests__|__snapshots__|testdata|fixtures|e2e)\//i.test(path) ||
    /(?:^|\/)(?:test_[^/]*|conftest\.py|pytest\.ini|tox\.ini|\.mocharc[^/]*|(?:jest|vitest|playwright|karma)\.[^/]*)$/i.test(
      path,
    ) ||
    /[._-](?:test|tests|spec)\.[^/]+$/i.test(path) ||
    /Tests?\.[a-z]+$/.test(path) ||
    /(?:^|\/)\.github\/workflows\//.test(path)
  );
}

interface Compared extends FileChange {
  /** Null where the file as it was is not at hand. */
  readonly added: number | null;
  readonly removed: readonly string[];
}

function describe({ path, kind, added, removed }: Compared, locale: Locale): string {
  const lines = added === null ? '' : ` (+${added} -${removed.length})`;
  return `- ${path}: ${text(`judging.file.${kind}`, {}, locale)}${lines}`;
}

async function compared(
  changes: readonly FileChange[],
  from: { workspace: string; head: string | null; read: (path: string) => string | null },
): Promise<Compared[]> {
  const old = await committedTexts(
    changes.filter(({ kind }) => kind !== 'new'),
    from,
  );
  return changes.map((change) => {
    const before = change.kind === 'new' ? '' : old.get(change.path);
    const after = change.kind === 'gone' ? '' : from.read(change.path);
    if (before === undefined || after === null) return { ...change, added: null, removed: [] };
    return { ...change, added: without(after, before).length, removed: without(before, after) };
  });
}

/** Lines of a text that another one lacks, each counted as often as it occurs. */
function without(text: string, other: string): string[] {
  const left = new Map<string, number>();
  for (const line of linesOf(other)) left.set(line, (left.get(line) ?? 0) + 1);
  return linesOf(text).filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** The files as a commit has them. Their blobs are read as they are, past every filter. */
async function committedTexts(
  changes: readonly FileChange[],
  { workspace, head }: { workspace: string; head: string | null },
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (!head || changes.length === 0) return texts;
  const git = await hardenedGit(workspace);
  for (const { path } of changes) {
    const { ok, stdout } = await git(['cat-file', 'blob', `${head}:./${path}`]);
    if (ok && stdout.length <= MAX_BYTES && !stdout.includes('\0')) texts.set(path, stdout);
  }
  return texts;
}
