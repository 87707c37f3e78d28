// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of Bash, not of a template.
import { readLookAround, readRows } from './guardsCommands.js';

/** Pieces that carry a second command, write a file or confuse a reader. What they would do is harmless: `leak.txt` appears. */
const PIECES = [
  ...[
    'touch leak.txt',
    '$(touch leak.txt)',
    '`touch leak.txt`',
    '<(touch leak.txt)',
    '>(touch leak.txt)',
    '> leak.txt',
    '>>leak.txt',
    '>&leak.txt',
  ],
  ...[
    '>&-leak.txt',
    '&>leak.txt',
    '>|leak.txt',
    '<>leak.txt',
    '2>leak.txt',
    '>/dev/null',
    '2>&1',
    '</dev/null',
    '<<<x',
    '<<E\n',
    '>&2',
    '2>&-',
  ],
  ...[
    '-o leak.txt',
    '-oleak.txt',
    '--output=leak.txt',
    '--outp leak.txt',
    '--ext-diff',
    '-delete',
    '-fprint leak.txt',
    '-exec touch leak.txt ;',
    '-i',
    '-w',
  ],
  ...[
    'w leak.txt',
    's/a/b/w leak.txt',
    's/.*/touch leak.txt/e',
    '1e touch leak.txt',
    'BEGIN{system("touch leak.txt")}',
    '{print > "leak.txt"}',
  ],
  ...[
    ';',
    '&&',
    '||',
    '|',
    '|&',
    '&',
    ';;',
    '\n',
    '\\\n',
    '\\',
    '#',
    ' # ',
    '"',
    "'",
    "''",
    '""',
    '$',
    '$"',
    "$'",
    '${',
    '}',
    '{',
    '{a,b}',
    '{1..2}',
    '(',
    ')',
  ],
  ...[
    '*',
    '-*',
    '?',
    '[',
    ']',
    '[a]',
    '~',
    '=',
    '!',
    '^',
    '@',
    '$x',
    '$HOME',
    '${x}',
    '${x:=y}',
    '$?',
    '$((1))',
    '\\ ',
    '\\;',
    '\t',
    ' ',
    '  ',
    '\u00a0',
    '\u3000',
  ],
  ...[
    '--',
    '-',
    '-n',
    '-e',
    'x=1 ',
    'x=$(touch leak.txt) ',
    'time ',
    'cd src && ',
    'ls',
    'git ',
    'if ',
    'then ',
    'do ',
    '🌼',
    '现',
    '-oleak.txt',
    'leak.txt',
  ],
];

const VERBS: Record<string, readonly string[]> = {
  ls: ['-la', 'src', '*', "'my dir'", '-- -i'],
  cat: ['notes.txt', 'a.txt b.txt', '-n', 'src/*'],
  echo: ['a', '"b c"', "'$x'", '$x', '\\$(touch leak.txt)', '"\\`"', '{a,b}', '#', 'a#b', '-e "x\\n"'],
  grep: ['-rn foo src', "-E 'a|b' notes.txt", '"a\\|b" notes.txt', '-f patterns.txt a.txt', '-c "^x$" *'],
  sort: [
    'notes.txt',
    '-o leak.txt',
    '-uo leak.txt',
    '-k2 -t:',
    '-to',
    '--output leak.txt',
    '--out=leak.txt',
    '-T o',
    '-- *',
    '*',
    '-S1o',
    '--compress-program=touch',
  ],
  uniq: ['notes.txt', 'notes.txt leak.txt', '-c', '-f 1', '-f1', '--', '-', '*'],
  find: [
    '.',
    'src',
    "-name '*.ts'",
    '-name *',
    '-delete',
    '-name -delete',
    '-newer a.txt',
    '-fprint leak.txt',
    '-exec touch leak.txt \\;',
    '\\( -type f -o -type d \\)',
    '-mtime -1',
    '-ok touch {} +',
    '-print0',
    '-fls leak.txt',
    '-O1',
  ],
  sed: [
    '-n',
    '-e',
    'p',
    "'1,2p'",
    "'w leak.txt'",
    "'s/a/b/w leak.txt'",
    "'s/[/]/x/'",
    "-n '/a/,/b/{p;=}'",
    "'1e touch leak.txt'",
    "'s,a,touch leak.txt,e'",
    '-i',
    '-s',
    '--expression=p',
    "'$!{h;w leak.txt'$'\\n''}'",
    "'y/a/b/'",
    "'/[/w leak.txt]/p'",
    'notes.txt',
    '-E',
    '--in-place',
    '-f mg',
  ],
  awk: [
    "'{print $1}'",
    "'/a/'",
    '\'{print > "leak.txt"}\'',
    '\'BEGIN{system("touch leak.txt")}\'',
    '-F:',
    '-v x=1',
    '\'{print | "touch leak.txt"}\'',
    '-f mg',
    'notes.txt',
    "'$1 > 2'",
    '\'{printf "x" >> "leak.txt"}\'',
  ],
  tail: ['-n 2', '-2', '+2', '-c5', 'notes.txt', '--', '-q'],
  head: ['-n 2', '-c 5', 'notes.txt', '-1'],
  test: ['-f a.txt', 'a = b', '-n x -a -d src', '! -e y'],
  '[': ['-f a.txt ]', 'a = b ]', '-d src ] && echo y', 'a > leak.txt ]', '! -e y ]', 'a \\> leak.txt ]'],
  printf: ["'%s\\n' a", '-v x', '"%d" 1', '-- a'],
  command: ['-v git', '-V ls', '-p touch leak.txt', 'touch leak.txt'],
  type: ['ls', '-a git'],
  env: ['', '-0', 'touch leak.txt', 'A=1 touch leak.txt', '-i', '-S touch'],
  date: ['', '+%F', '-u', "-d '1 day ago'", '-Iseconds'],
  file: ['notes.txt', '-b *', '-C -m mg', '-bC -m mg', '-m mg a.txt'],
  jq: ['. data.json', "'.a[]|.b' data.json", '-n 1'],
  wc: ['-l notes.txt', '-c < a.txt', '*'],
  diff: ['a.txt b.txt', '-u a.txt b.txt', '-r src a'],
  git: [
    ...[
      'status',
      'status -s',
      'log --oneline',
      'diff',
      'show',
      'branch',
      'tag',
      'reflog',
      'stash list',
      'stash',
      'remote -v',
      'config',
      'rev-list HEAD',
      'shortlog HEAD',
    ],
    ...[
      '--output=leak.txt',
      '--outp leak.txt',
      '-O',
      '-Otouch',
      '-D old-work',
      'fresh',
      '-l',
      '--list',
      '--sort=refname',
      '--format=x',
      '-v',
      '-a',
      '--',
      'HEAD',
      'HEAD~1',
    ],
    ...[
      '-C src',
      '--no-pager',
      '-c core.pager=touch',
      'grep -n foo',
      'ls-files',
      'hash-object a.txt',
      '-w',
      'cat-file -p HEAD',
      '--textconv',
      '--filters',
      'symbolic-ref HEAD',
    ],
    ...[
      'worktree list',
      'worktree prune',
      'user.name',
      'x.y z',
      '--get',
      '-d',
      '--contains HEAD',
      '-n',
      'expire',
      '--ext-diff',
      'blame notes.txt',
      '*',
      'v9',
      '-m x',
      'show origin',
    ],
  ],
};
const REDIRECTS = [
  '>/dev/null',
  '2>/dev/null',
  '2>&1',
  '&>/dev/null',
  '>leak.txt',
  '2>>leak.txt',
  '</dev/null',
  '< a.txt',
  '<<< x',
  '>&2',
  '>& leak.txt',
  '> /dev/null -o leak.txt',
];
const JOINS = [' && ', ' || ', '; ', ' | ', '\n', ' |& ', ' & ', ';', '&&', ' \\\n', ' # x\n', '\n\n', ' |\n'];

/**
 * Makes command lines that are close to the border between what only looks and what doesn't: built from a small grammar of
 * commands with harmless and harmful arguments, or by changing known lines. The same seed gives the same lines.
 */
export class CommandFuzzer {
  #state: number;
  readonly #known: readonly string[];

  constructor(seed: number) {
    this.#state = seed >>> 0;
    const all = [
      ...readRows('ephemeralCases.tsv').map((row) => row.command),
      ...readRows('ownCases.tsv').map((row) => row.command),
      ...readLookAround(),
    ];
    // Lines whose change could do harm outside the scratch folder, or that take long, are left out.
    this.#known = all.filter(
      (line) =>
        !/\brm\b|kill|sudo|ssh|curl|reboot|system|docker|kubectl|lsof|netstat|\btop\b|\bps\b|pgrep|\bdd\b|\/tmp|\/srv|npm|node|python|pip|yes|inf|\bdu\b|go |\bdf\b|\/(?:etc|dev\/(?!null))/.test(
          line,
        ),
    );
  }

  next(): string {
    const line = this.#chance(0.5) ? this.#build() : this.#pick(this.#known);
    const changes = this.#chance(0.3) ? 0 : 1 + this.#below(3);
    let changed = line;
    for (let i = 0; i < changes; i++) changed = this.#change(changed);
    return changed.slice(0, 2000);
  }

  #build(): string {
    const parts: string[] = [];
    for (let i = 1 + this.#below(3); i > 0; i--) parts.push(this.#command());
    return parts.reduce((line, command) => `${line}${this.#pick(JOINS)}${command}`);
  }

  /** Quoted text with something in it that some quotes keep and others don't. */
  #quoted(): string {
    const quote = this.#pick(['"', "'", '']);
    return `${quote}${this.#pick(['', 'a', 'a b', '\\'])}${this.#pick(PIECES)}${this.#pick(['', 'b'])}${quote}`;
  }

  #command(): string {
    const verb = this.#pick(Object.keys(VERBS));
    const words = [verb];
    for (let i = this.#below(4); i > 0; i--) {
      words.push(this.#chance(0.85) ? this.#pick(VERBS[verb] ?? []) : this.#quoted());
    }
    if (this.#chance(0.3)) words.splice(this.#below(words.length + 1), 0, this.#pick(REDIRECTS));
    return words.join(this.#chance(0.9) ? ' ' : this.#pick(['  ', '\t', ' \\\n']));
  }

  #change(line: string): string {
    const at = this.#below(line.length + 1);
    const length = 1 + this.#below(4);
    switch (this.#below(6)) {
      case 0:
        return line.slice(0, at) + line.slice(at + length);
      case 1: {
        const other = this.#pick(this.#known);
        return line.slice(0, at) + other.slice(this.#below(other.length));
      }
      case 2: {
        // Quotes a stretch, or escapes what begins it.
        const stretch = line.slice(at, at + length);
        const quoted = this.#pick([
          `'${stretch}'`,
          `"${stretch}"`,
          `\\${stretch}`,
          `${stretch.slice(0, 1)}\\\n${stretch.slice(1)}`,
        ]);
        return line.slice(0, at) + quoted + line.slice(at + length);
      }
      default:
        return line.slice(0, at) + this.#pick(PIECES) + line.slice(at);
    }
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  /** mulberry32 */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
}
