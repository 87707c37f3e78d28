import { each, type Inspect, noGlobOperand, noWord, operandsOf, subcommands, verbIn } from './inspect.js';
import type { ArgumentRules } from './judgeArguments.js';
import type { Word } from './readWord.js';
import { type Refusal, refuse, type Why } from './refusal.js';

/**
 * Options that write or start a program in whatever takes options of `git diff` or `git log`, and more takes them than says so:
 * `git shortlog`, `git reflog` and `git rev-list` write with `--output` as well.
 */
const REFUSED: Readonly<Record<string, Why>> = { output: 'writes', 'ext-diff': 'starts', 'show-signature': 'starts' };

const looks: ArgumentRules = { refused: REFUSED };

/** Filters that make `git branch` and `git tag` list even when names are given. */
const FILTERS = ['contains', 'no-contains', 'merged', 'no-merged'];
/** Options of a listing that say nothing about what is done with a name: `git tag --sort=refname v1` creates v1. */
const LISTING = [
  ...list('list ignore-case points-at sort no-sort format color no-color column no-column omit-empty'),
  ...FILTERS,
];
const READING_CONFIG = list('get get-all get-regexp get-urlmatch list');

/** With a name and nothing that makes it a listing, `git branch` and `git tag` create one. */
const listsOnly =
  (...listing: readonly string[]): Inspect =>
  (found) => {
    const name = operandsOf(found)[0];
    const lists = found.some((it) => it.kind !== 'operand' && listing.includes(it.name));
    return name && !lists ? refuse('changes', name.source) : null;
  };

/** The sub-commands of git that look, with what their arguments may be. */
const SUBCOMMANDS: Readonly<Record<string, ArgumentRules>> = {
  ...Object.fromEntries(
    list(
      `status rev-parse describe ls-files blame shortlog cherry for-each-ref check-ignore count-objects var ls-tree rev-list
      merge-base name-rev show-ref version diff log show whatchanged diff-tree diff-index diff-files`,
    ).map((name) => [name, looks] as const),
  ),
  'hash-object': { values: 't', refused: { w: 'writes' } },
  'cat-file': { refused: { textconv: 'starts', filters: 'starts' } },
  'symbolic-ref': {
    only: { short: 'q', long: ['quiet', 'short', 'recurse', 'no-recurse'] },
    operands: { atMost: 1, elseIt: 'changes' },
    inspect: noGlobOperand('changes'),
  },
  reflog: { refused: REFUSED, inspect: noWord(/^(?:expire|delete|drop|write)$/, 'changes') },
  remote: {
    only: { short: 'vn', long: ['verbose', 'all', 'push'] },
    inspect: (found, words) => (operandsOf(found).length > 0 ? asksNoRemote(found, words) : null),
  },
  // The verb must come first: `git stash -- list` stashes a file named list.
  stash: { inspect: subcommands({ list: looks, show: looks }) },
  worktree: { inspect: subcommands({ list: { only: { short: 'vz', long: ['verbose', 'porcelain', 'expire'] } } }) },
  config: {
    only: {
      short: 'lfz',
      long: [
        ...READING_CONFIG,
        ...list(
          'global system local worktree file blob includes no-includes type bool int bool-or-int path expiry-date',
        ),
        ...list('null name-only show-origin show-scope show-names all regexp value fixed-value url default'),
      ],
    },
    inspect: readsConfig,
  },
  grep: {
    values: 'efABCm',
    refused: { O: 'starts', 'open-files-in-pager': 'starts', textconv: 'starts', 'ext-grep': 'starts' },
  },
  branch: {
    longValues: ['sort', 'format', 'points-at', ...FILTERS],
    only: {
      short: 'arvliq',
      long: ['all', 'remotes', 'verbose', 'show-current', 'abbrev', 'no-abbrev', 'quiet', ...LISTING],
    },
    refused: Object.fromEntries(
      list('d D m M c C f u delete move copy force').map((option) => [option, 'changes'] as const),
    ),
    inspect: listsOnly('l', 'list', ...FILTERS),
  },
  tag: {
    attached: 'n',
    longValues: ['sort', 'format', 'points-at', ...FILTERS],
    only: { short: 'lni', long: LISTING },
    refused: { d: 'changes', delete: 'changes' },
    inspect: listsOnly('l', 'n', 'list', 'points-at', ...FILTERS),
  },
};

/** `git remote show origin` asks the remote, by ssh or by a program that the address names; with `-n` it reads what is known. */
function asksNoRemote(...[found, words]: Parameters<Inspect>): Refusal | null {
  const [verb, name] = operandsOf(found);
  const isOffline = found.some((it) => it.kind === 'short' && it.name === 'n');
  if (verb?.value === 'show' && name && !isOffline) return refuse('starts', `git remote show ${name.source}`);
  return verbIn('show', 'get-url')(found, words);
}

/** Placeholders of a format that make git start gpg. */
const SIGNATURES = noWord(/%G|%\((?:\*?signature)/, 'starts');

/** Options before the sub-command; `-c`, `--exec-path` and `--git-dir` can name programs and are not among them. */
const GLOBAL_OPTIONS = ['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs'];

const judgeSubcommand = each(SIGNATURES, subcommands(SUBCOMMANDS));

/** Judges the words after `git`. */
export function judgeGit(words: readonly Word[]): Refusal | null {
  const [first, second, ...rest] = words;
  if (!first) return refuse('unknown', 'git');
  if (GLOBAL_OPTIONS.includes(first.value)) return judgeGit(words.slice(1));
  if (first.value === '-C')
    return second && isPlainPath(second) ? judgeGit(rest) : refuse('variable', second?.source ?? '-C');
  return judgeSubcommand([], words);
}

function isPlainPath(word: Word): boolean {
  return !word.hasVariable && !word.expandsBraces && word.globAt === -1;
}

/** An action that reads, or a single name, which is read; a second operand without an action is a value to set. */
function readsConfig(...[found]: Parameters<Inspect>): Refusal | null {
  const reads = found.some((it) => it.kind !== 'operand' && (it.name === 'l' || READING_CONFIG.includes(it.name)));
  const [verb, ...others] = operandsOf(found);
  if (reads || verb?.value === 'get' || verb?.value === 'list') return null;
  return verb && others.length === 0 && verb.value.includes('.')
    ? null
    : refuse('changes', verb?.source ?? 'git config');
}

function list(names: string): string[] {
  return names.split(/\s+/);
}
