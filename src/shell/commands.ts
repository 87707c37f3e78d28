import { each, hasOption, noGlobOperand, noWord, operandsLike, subcommands, verbIn } from './inspect.js';
import { inspectAwk } from './inspectAwk.js';
import { inspectFind } from './inspectFind.js';
import { inspectSed } from './inspectSed.js';
import type { ArgumentRules } from './judgeArguments.js';
import type { Argument } from './parseArguments.js';
import { type Refusal, refuse } from './refusal.js';

/** Programs whose every argument only looks. Variables and globs may stand for any of them. */
const PLAIN = `
  ls ll dir pwd df du uptime whoami id printenv ps pgrep cat head wc stat echo grep egrep fgrep cut tr nl rev comm diff cmp jq
  column which whereis uname locale nproc getconf sw_vers basename dirname realpath readlink md5sum sha1sum sha256sum cksum
  tac fold paste od hexdump strings true false
`;

/** Text that some shells run when they take an operand for arithmetic or for a name with a subscript. */
const SUBSTITUTION_IN_TEXT = /`|\$\(/;

const test: ArgumentRules = {
  noDashDash: true,
  // `-v` and `-R` evaluate the subscript of the name they are given.
  inspect: each(noWord(/^-[vR]$/, 'starts'), noWord(SUBSTITUTION_IN_TEXT, 'starts')),
};

/**
 * The programs that a command line may use to look, and what their arguments may be; `git` has a table of its own. Options are
 * those of GNU and procps. Where BSD or macOS mean something else by the same letter, the stricter reading holds.
 *
 * Not listed although they look: what waits for a person (less, man, htop, watch), what runs its operands (xargs, time, nice),
 * what reaches the network (curl, ping), and Windows' own `find.exe` and `sort.exe`, which a Bash on Windows doesn't prefer.
 */
export const COMMANDS: Readonly<Record<string, ArgumentRules>> = {
  ...Object.fromEntries(
    PLAIN.trim()
      .split(/\s+/)
      .map((name) => [name, { any: true }] as const),
  ),
  seq: { any: true, inspect: noWord(/^[+-]?(?:inf|nan)/i, 'endless') },
  test,
  '[': test,
  // `-s` repeats, and only `-c` gives it an end.
  free: {
    values: 'sc',
    inspect: (found) =>
      hasOption(found, 's', 'seconds') && !hasOption(found, 'c', 'count') ? refuse('endless', 'free -s') : null,
  },
  // BSD repeats with `-w <seconds>`, both repeat with a bare number.
  netstat: { refused: { c: 'endless', continuous: 'endless' }, inspect: noWord(/^(?:-\w*w)?\d+$/, 'endless') },
  // `-D` steers a cache file that some builds write; of the options with `+`, `+r` repeats.
  lsof: {
    attached: 'cdFgipsTu',
    refused: { r: 'endless', D: 'writes' },
    inspect: noWord(/^\+(?!c\d*$|[dD]|L\d*$|[fw]\w*$|E$)/, 'endless'),
  },
  // `-5f` and `+5f` are old spellings of `-f`.
  tail: {
    values: 'ncs',
    refused: { f: 'endless', F: 'endless', follow: 'endless', retry: 'endless', pid: 'endless' },
    inspect: noWord(/^\+\d*[bcl]?f/, 'endless'),
  },
  top: { values: 'dnpuUols', attached: 'w', inspect: inspectTop },
  ss: {
    values: 'fFAN',
    refused: { K: 'changes', kill: 'changes', E: 'endless', events: 'endless', D: 'writes', diag: 'writes' },
  },
  // A bare operand, `-s` and BSD's `-f` set the clock.
  date: {
    values: 'drv',
    attached: 'I',
    longValues: ['date', 'reference', 'rfc-3339'],
    only: { short: 'uRIdrv', long: ['date', 'reference', 'iso-8601', 'rfc-3339', 'rfc-email', 'utc', 'universal'] },
    inspect: operandsLike(/^\+/, 'changes'),
  },
  hostname: {
    refused: { F: 'changes', b: 'changes' },
    only: {
      short: 'fsdiIAy',
      long: ['fqdn', 'long', 'short', 'domain', 'ip-address', 'all-ip-addresses', 'all-fqdns', 'yp', 'nis'],
    },
    operands: { atMost: 0, elseIt: 'changes' },
  },
  env: { only: { short: '0', long: ['null'] }, operands: { atMost: 0, elseIt: 'starts' } },
  arch: { only: {}, operands: { atMost: 0, elseIt: 'starts' } },
  command: {
    inspect: (_, [query, ...names]) =>
      /^-[vV]$/.test(query?.value ?? '') ? noWord(/^-/, 'unknown')([], names) : refuse('starts', 'command'),
  },
  type: { only: { short: 'atpP' } },
  jobs: { refused: { x: 'starts' } },
  printf: {
    inspect: (_, words) =>
      noWord(/^-v/, 'changes')([], words.slice(0, 1)) ?? noWord(SUBSTITUTION_IN_TEXT, 'starts')([], words),
  },
  file: { values: 'efFmP', refused: { C: 'writes', compile: 'writes' } },
  find: { noDashDash: true, inspect: inspectFind },
  tree: { refused: { o: 'writes', output: 'writes', R: 'writes' } },
  // A second file is the output, and a glob can stand for two.
  uniq: {
    optionsFirst: true,
    values: 'fsw',
    operands: { atMost: 1, elseIt: 'writes' },
    inspect: noGlobOperand('writes'),
  },
  sort: { values: 'kStT', refused: { o: 'writes', output: 'writes', 'compress-program': 'starts' } },
  sed: {
    optionsFirst: true,
    values: 'e',
    longValues: ['expression'],
    refused: { i: 'writes', I: 'writes', 'in-place': 'writes' },
    only: {
      short: 'nErsuze',
      long: [
        'quiet',
        'silent',
        'regexp-extended',
        'separate',
        'unbuffered',
        'null-data',
        'posix',
        'expression',
        'sandbox',
      ],
    },
    inspect: inspectSed,
  },
  awk: { values: 'Fv', only: { short: 'Fv' }, inspect: inspectAwk },
  // `--pre` and its relatives; `--pretty` is lost with them.
  rg: { inspect: noWord(/^--(?:p|pr|pre.*|h|ho\w*|hostname-b.*)$/, 'starts') },
  systemctl: {
    only: { short: 'lq', long: ['no-pager', 'user', 'system', 'full', 'quiet'] },
    inspect: verbIn('status', 'is-active', 'is-enabled', 'is-failed'),
  },
  docker: {
    inspect: subcommands({
      ps: {
        values: 'nf',
        only: { short: 'aqslnf', long: ['all', 'quiet', 'size', 'latest', 'last', 'filter', 'format', 'no-trunc'] },
      },
      images: {
        values: 'f',
        only: { short: 'aqf', long: ['all', 'quiet', 'filter', 'format', 'no-trunc', 'digests', 'tree'] },
      },
      stats: {
        only: { short: 'a', long: ['all', 'format', 'no-trunc', 'no-stream'] },
        inspect: (found) =>
          found.some((it) => it.word.value === '--no-stream') ? null : refuse('endless', 'docker stats'),
      },
    }),
  },
  kubectl: {
    inspect: subcommands({
      get: {
        values: 'nolL',
        refused: { w: 'endless', watch: 'endless', 'watch-only': 'endless' },
        // A `--kubeconfig` can name programs, `--profile-output` and `--cache-dir` write.
        only: {
          short: 'AnolL',
          long: [
            'all-namespaces',
            'namespace',
            'output',
            'selector',
            'label-columns',
            'show-labels',
            'show-kind',
            'sort-by',
            'no-headers',
            'field-selector',
            'context',
            'ignore-not-found',
            'chunk-size',
            'template',
          ],
        },
      },
    }),
  },
};

/** Programs that take their arguments for names or text and don't open them. */
export const NAMES_ONLY: ReadonlySet<string> = new Set(
  'ls ll dir df du stat echo printf test [ which whereis basename dirname realpath readlink file find lsof tree command type'.split(
    ' ',
  ),
);

/** What a tool may be asked besides, as its only argument. */
export const VERSION_PROBES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'bun deno pip pip3 uv gcc g++ clang clang++ make cmake ninja cargo rustc java ruby php docker kubectl git rg jq'
      .split(' ')
      .map((tool) => [tool, ['--version']] as const),
  ),
  // The short forms that print the version and do nothing else.
  ...Object.fromEntries('node npm pnpm yarn tsc'.split(' ').map((tool) => [tool, ['--version', '-v']] as const)),
  python: ['--version', '-V'],
  python3: ['--version', '-V'],
  go: ['version', '--version'],
};

/** Only with a number of samples. macOS counts with `-l`, where 0 stands for endless. */
function inspectTop(found: readonly Argument[]): Refusal | null {
  const counts = found.filter((it) => it.kind === 'short' && (it.name === 'n' || it.name === 'l'));
  const isBatch = found.some((it) => it.kind === 'short' && (it.name === 'b' || it.name === 'l'));
  const isCounted = counts.length > 0 && counts.every((it) => it.kind === 'short' && /^[1-9]\d?$/.test(it.value ?? ''));
  return isBatch && isCounted ? null : refuse('endless', 'top');
}
