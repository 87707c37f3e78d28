import { execFile } from 'node:child_process';

/** What git answered. `code` is null if it could not be started or did not end in time. */
export interface GitAnswer {
  readonly ok: boolean;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Git = (args: readonly string[]) => Promise<GitAnswer>;

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Settings by which the configuration of a repository could name a program that git starts, each set to something that starts none. */
const HARMLESS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', ':'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['gpg.program', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // A bare repository that lies in the working tree is not taken for the one to ask.
  ['safe.bareRepository', 'explicit'],
];

/**
 * Git for flower's own purposes in one folder: without the caller's `GIT_*` variables, without a question, a pager, a hook or the
 * network, and without the programs that the repository's configuration names. A call never throws; what went wrong is in its answer.
 *
 * A submodule has a configuration of its own, and git starts itself there without these settings: ask with
 * `--ignore-submodules=all`, and about each submodule by a git of its own.
 *
 * @example
 * const git = await hardenedGit('/home/me/project');
 * const { stdout } = await git(['rev-parse', '--verify', '-q', 'HEAD']);
 */
export async function hardenedGit(folder: string): Promise<Git> {
  // Filters run on a mere `git status`, and their names are free; so they are read first, which starts nothing.
  const { stdout } = await run(folder, ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'], HARMLESS);
  const filters = stdout
    .split('\0')
    .filter(Boolean)
    .map((key) => key.slice(0, key.lastIndexOf('.')));
  const settings = [...HARMLESS, ...[...new Set(filters)].flatMap(withoutFilter)];
  return (args) => run(folder, args, settings);
}

function withoutFilter(filter: string): [string, string][] {
  return [
    ...['clean', 'smudge', 'process'].map((what): [string, string] => [`${filter}.${what}`, '']),
    [`${filter}.required`, 'false'],
  ];
}

function run(
  folder: string,
  args: readonly string[],
  settings: readonly (readonly [string, string])[],
): Promise<GitAnswer> {
  // `-c` is understood by every git; the variables, which 2.31 and later know, also take names with a `=`.
  const named = settings.filter(([name]) => !name.includes('='));
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', folder, ...named.flatMap(([name, value]) => ['-c', `${name}=${value}`]), ...args],
      {
        env: { ...environment(), ...asVariables(settings) },
        timeout: TIMEOUT_MS,
        maxBuffer: MAX_OUTPUT,
        encoding: 'utf8',
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ ok: code === 0, code, stdout, stderr });
      },
    ).stdin?.end();
  });
}

const KEPT = ['PATH', 'HOME', 'USERPROFILE', 'SYSTEMROOT', 'TMPDIR', 'TEMP'];

function environment(): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.includes(name.toUpperCase()))),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_NO_LAZY_FETCH: '1',
  };
}

function asVariables(settings: readonly (readonly [string, string])[]): NodeJS.ProcessEnv {
  const variables = settings.flatMap(([name, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, name],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(variables) };
}
