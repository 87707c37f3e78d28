import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from './readCommandLine.js';
import { readWord, type Word } from './readWord.js';
import { isRefusal } from './refusal.js';

const piece = fc.constantFrom(
  ...[
    'a',
    'B',
    '-',
    '=',
    '.',
    '/',
    ' ',
    "'",
    '"',
    '\\',
    '\\\n',
    '$',
    '#',
    '{',
    '}',
    ',',
    '..',
    '!',
    ';',
    '|',
    '&',
    '>',
    '\n',
    '\t',
    '🌼',
    '现',
    'é',
    '%',
    '@',
    ':',
    '^',
    '~',
  ],
);
const word = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));

/** What Bash makes of each word: its arguments; null where it finds no valid command. */
function readByBash(words: readonly string[]): (string[] | null)[] {
  const script =
    'while IFS= read -r -d "" line; do out=$(bash -c "printf \'%s\\1\' $line" 2>/dev/null | base64 -w0); echo "$out"; done';
  const { stdout } = spawnSync('bash', ['-c', script], {
    input: words.map((line) => `${line}\0`).join(''),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
  });
  return stdout
    .split('\n')
    .slice(0, words.length)
    .map((line) => (line === '' ? null : Buffer.from(line, 'base64').toString('utf8').split('\u0001').slice(0, -1)));
}

describe('readWord', () => {
  it('reads words as Bash does, or refuses them', () => {
    const words = fc.sample(word, { numRuns: 600, seed: 20260101 });
    const read = words.map(readWord);
    const isPlain = (result: ReturnType<typeof readWord>): result is Word =>
      !isRefusal(result) &&
      !result.hasVariable &&
      !result.expandsBraces &&
      result.globAt === -1 &&
      !/^~|=~|:~/.test(result.source);
    const known = words.flatMap((source, i) => {
      const result = read[i];
      return result && isPlain(result) ? [[source, result.value] as const] : [];
    });
    expect(known.length).toBeGreaterThan(100);
    const byBash = readByBash(known.map(([source]) => source));
    known.forEach(([source, value], i) => {
      expect(byBash[i], JSON.stringify(source)).toEqual([value]);
    });
  });

  it.each<[string, Partial<Word>]>([
    ['abc', { value: 'abc', literal: true }],
    ["a'b'c", { value: 'abc', literal: false }],
    ['"a$x"', { value: 'a$x', hasVariable: true }],
    ["'$x'", { value: '$x', hasVariable: false }],
    ['\\$x', { value: '$x', hasVariable: false }],
    ['a*b', { globAt: 1 }],
    ["'*'b?", { globAt: 2 }],
    ["'*'", { globAt: -1 }],
    ['a{b,c}', { expandsBraces: true }],
    ["a{b','c}", { expandsBraces: false }],
    ['{1..3}', { expandsBraces: true }],
    ['@{1}..@{2}', { expandsBraces: false }],
    ['{a}b,c}', { expandsBraces: true }],
    ['x{{a,b}', { expandsBraces: true }],
    ['{a\\,b}', { expandsBraces: false }],
  ])('%s', (source, expected) => {
    expect(readWord(source)).toMatchObject(expected);
  });
});

describe('readCommandLine', () => {
  const split = (line: string) => {
    const commands = readCommandLine(line);
    return isRefusal(commands)
      ? commands.why
      : commands.map(({ words, followedBy }) => [...words.map((it) => it.value), followedBy]);
  };

  it('gives the words of each command and what follows it', () => {
    expect(split('git status -s && echo "a  b" | head -5;ls')).toEqual([
      ['git', 'status', '-s', '&&'],
      ['echo', 'a  b', '|'],
      ['head', '-5', ';'],
      ['ls', ''],
    ]);
    expect(split("ls # it's\npwd\n\n")).toEqual([
      ['ls', '\n'],
      ['pwd', '\n'],
    ]);
    expect(split('[ -f a ] ||\n\n echo no')).toEqual([
      ['[', '-f', 'a', ']', '||'],
      ['echo', 'no', ''],
    ]);
  });

  it('counts words behind a redirection to the command, wherever the tree puts them', () => {
    expect(split('sort f >/dev/null -o leak')).toEqual([['sort', 'f', '-o', 'leak', '']]);
    expect(split('ls && sort 2>/dev/null f </dev/null -o leak')).toEqual([
      ['ls', '&&'],
      ['sort', 'f', '-o', 'leak', ''],
    ]);
    expect(split('<f >/dev/null rm x')).toEqual([['rm', 'x', '']]);
  });

  it.each([
    'a "b',
    'ls |',
    '&& ls',
    'ls >/dev/null;>/dev/null',
    'ls a\\ b \\ c',
    'echo a\\\n#b',
    'ls 1>&-x',
    'ls {a}>/dev/null',
  ])('cannot read %j to its end', (line) => {
    expect(split(line)).toBe('syntax');
  });
});
