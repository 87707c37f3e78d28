import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ephemeralVerdict, isEphemeral } from './isEphemeral.js';

/** Reads a table `command, verdict, reason`; `\n`, `\r`, `\t`, `\\` in a command stand for the characters. */
function rows(name: string): [command: string, verdict: string, reason: string][] {
  const [, ...lines] = readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [command = '', verdict = '', reason = ''] = line.split('\t');
    return [
      command.replace(/\\([nrt\\])/g, (_, char: string) => ({ n: '\n', r: '\r', t: '\t' })[char] ?? '\\'),
      verdict,
      reason,
    ];
  });
}

const verdict = (command: string) => (isEphemeral(command) ? 'allow' : 'deny');

describe('isEphemeral', () => {
  it.each(rows('ephemeralCases.tsv'))('R6.72 %j → %s: %s', (command, expected) => {
    expect(verdict(command)).toBe(expected);
  });

  it.each(rows('ownCases.tsv'))('own row %j → %s: %s', (command, expected) => {
    expect(verdict(command)).toBe(expected);
  });

  it('lets a coordinator look around: at least 97 of 100 commands that were fixed before the rules', () => {
    const commands = readFileSync(new URL('fixtures/lookAround.txt', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    expect(commands.length).toBeGreaterThanOrEqual(150);
    const refused = commands.filter((command) => !isEphemeral(command));
    expect(refused.length / commands.length, refused.join('\n')).toBeLessThanOrEqual(0.03);
  });

  it('judges the arguments, not the place of the operators: the same line with and without blanks', () => {
    expect(verdict('ls -la|head -3&&git status;pwd')).toBe('allow');
    expect(verdict('ls -la|head -3&&git status;pwd;rm x')).toBe('deny');
  });

  it('refuses what is longer than 8192 characters and no less', () => {
    expect(verdict(`ls ${'a'.repeat(8189)}`)).toBe('allow');
    expect(verdict(`ls ${'a'.repeat(8190)}`)).toBe('deny');
  });

  it('refuses every control character but newline and tab', () => {
    for (let code = 0; code < 0xa0; code++) {
      const isControl = (code < 0x20 && code !== 9 && code !== 10) || (code >= 0x7f && code < 0xa0);
      if (isControl) expect(verdict(`ls a${String.fromCharCode(code)}b`), `U+${code.toString(16)}`).toBe('deny');
    }
  });

  it('refuses wide blanks outside quotes: shells disagree on what they are', () => {
    expect(verdict('ls\u00a0-la')).toBe('deny');
    expect(verdict('ls a\u00a0b')).toBe('deny');
    expect(verdict('ls "a\u00a0b"')).toBe('allow');
    expect(verdict('ls\u3000; touch x')).toBe('deny');
  });

  it('is the same on every call, whatever was judged before', () => {
    expect(verdict('cat <<E\nx')).toBe('deny');
    expect(verdict('ls "open')).toBe('deny');
    expect(verdict('ls -la')).toBe('allow');
  });

  it('does not take long for a line that is hard to read', () => {
    for (const piece of [
      '{',
      '${',
      '$(',
      '"',
      "'",
      '((',
      '[',
      '[ ',
      'a{',
      '<<E\n',
      'case x in ',
      'if ',
      '{a,',
      '`',
      '\\\n',
      '||',
      '!',
      '$((',
      '\\ ',
    ]) {
      expect(verdict(piece.repeat(Math.floor(8000 / piece.length))), piece).toBe('deny');
    }
  });
});

describe('C01 flags that write or start programs', () => {
  const lines = [
    'git diff --output=leak.txt',
    'git log -1 --output leak.txt',
    'git branch -D old-work',
    'git branch -vD old-work',
    'git branch --delet old-work',
    'git branch fresh',
    'git remote set-url origin https://mirror.example.test/y.git',
    'git symbolic-ref HEAD refs/heads/old-work',
    'git reflog expire --expire=now --all',
    "git grep -O'touch leak.txt;:' b",
    "git ls-remote --upload-pack='touch leak.txt;git-upload-pack' .",
    'git archive --output=leak.tar HEAD',
    'git format-patch -1 -o out',
    'sort -o notes.txt notes.txt',
    'sort --outp=leak.txt notes.txt',
    'shuf -o leak.txt notes.txt',
    'iconv -o leak.txt notes.txt',
    'uniq notes.txt leak.txt',
    'xxd notes.txt leak.txt',
    'find . -maxdepth 1 -fprint leak.txt',
    'find . -name other.txt -delete',
    'file -C -m mg',
    "sed -n 'w leak.txt' notes.txt",
    "sed '1e touch leak.txt' notes.txt",
    "sed 's/b/c/w leak.txt' notes.txt",
    `awk 'BEGIN{system("touch leak.txt")}'`,
    `awk '{print > "leak.txt"}' notes.txt`,
    'rg --pre ./helper.sh b',
    'tree -o leak.txt',
  ];
  it.each(lines)('refuses %s', (line) => expect(verdict(line)).toBe('deny'));

  const controls = [
    'git branch',
    'git branch -vv',
    "git branch --list 'old*'",
    'git branch --show-current',
    'git diff --stat',
    'git log -p -1',
    'git remote -v',
    'sort notes.txt',
    'uniq -c notes.txt',
    "find . -name '*.txt' -type f",
    "sed -n '1,2p' notes.txt",
  ];
  it.each(controls)('allows %s', (line) => expect(verdict(line)).toBe('allow'));
});

describe('C03 a second command or a file behind a harmless first one', () => {
  const lines = [
    'ls\ntouch leak.txt',
    'ls & touch leak.txt',
    'ls |& tee leak.txt',
    'cat notes.txt | tee leak.txt',
    'cat <(touch leak.txt)',
    'echo hi > >(tee leak.txt)',
    'ls &> leak.txt',
    'ls >& leak.txt',
    'ls 2> leak.txt',
    'echo hi >| leak.txt',
    'cat <> leak.txt',
    "ls # it's fine\ntouch leak.txt",
    'cat <<E\n$(touch leak.txt)\nE',
    'ls(){ touch leak.txt; }; ls',
    '{touch,leak.txt}',
    "$'touch' leak.txt",
    "to'u'ch leak.txt",
    'hash -p /usr/bin/touch ls; ls leak.txt',
    "trap 'touch leak.txt' EXIT; ls",
    "mapfile -C 'touch leak.txt;:' -c 1 < notes.txt",
    'for f in *; do touch leak.txt; done',
    'sort *',
  ];
  it.each(lines)('refuses %j', (line) => expect(verdict(line)).toBe('deny'));

  const controls = [
    'ls && git status',
    'cat notes.txt | wc -l',
    'ls nowhere 2>/dev/null',
    'ls 2>&1 | head -3',
    'echo hi >/dev/null',
  ];
  it.each(controls)('allows %s', (line) => expect(verdict(line)).toBe('allow'));
});

describe('C05 operators inside quotes', () => {
  const lines = [
    'grep -nE "red|green;blue" notes.txt',
    'grep -rn "=>" src',
    `grep -c 'rm -rf "$tmp"' build.sh`,
    'grep -n "todo\\|fixme" notes.txt',
    "git log -S 'x=>y' --oneline",
    "jq '.scripts | keys' package.json",
    "sed -n '/a;b/p' notes.txt",
    'ls nowhere 2>/dev/null',
    "cat notes.txt | grep -v '^#' | sort | uniq -c",
    'rg -n "memory|skills/|SKILL.md" docs',
  ];
  it.each(lines)('allows %s', (line) => expect(verdict(line)).toBe('allow'));

  it('names the true reason for a refusal', () => {
    const line = `find src -name '*.ts' -exec grep -l "todo\\|fixme" {} \\; 2>/dev/null | head -5`;
    expect(ephemeralVerdict(line, { locale: 'en' })).toEqual({
      allow: false,
      reason: '`-exec` starts another program',
    });
  });
});

describe('ephemeralVerdict', () => {
  it.each([
    ['', 'there is no command'],
    ['git diff --outp=x', '--outp=x'],
    ['sort -no f g', '-no'],
    ['ls && npm test', '`npm`'],
    ['ls > out.txt', '>out.txt'],
    ['echo "$(whoami)"', '$(whoami)'],
    ['tail -f log', 'end by itself'],
    ['for f in *; do ls; done', 'for f in'],
    ["ls 'open", "'open"],
    ['cd src', 'cd src'],
    ['sort *', '`*`'],
    ['A=1 ls', 'A=1'],
  ])('says why %j is refused', (command, part) => {
    const { allow, reason } = ephemeralVerdict(command, { locale: 'en' });
    expect(allow).toBe(false);
    expect(reason).toContain(part);
    expect(reason).not.toContain('\n');
  });

  it('quotes a long piece on one line, cut on whole characters', () => {
    const { reason } = ephemeralVerdict(`for f in a\nb; do ${'🌼'.repeat(200)}; done`, { locale: 'en' });
    expect(reason.isWellFormed()).toBe(true);
    expect(reason).not.toContain('\n');
    expect(reason.length).toBeLessThan(250);
  });

  it('gives no reason for what it allows', () => {
    expect(ephemeralVerdict('git status')).toEqual({ allow: true, reason: '' });
  });

  it('speaks both languages', () => {
    expect(ephemeralVerdict('npm test', { locale: 'zh' }).reason).not.toBe(
      ephemeralVerdict('npm test', { locale: 'en' }).reason,
    );
  });
});
