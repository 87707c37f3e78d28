import { describe, expect, it } from 'vitest';
import { insertDefault } from './insertDefault.js';
import { buildProgram } from './program.js';

const program = buildProgram();
const parsed = (line: string) => insertDefault(program, wordsOf(line)).join(' ');

/** Words of a shell line, quotes grouping. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
}

describe('the default command (C2.3, C2.5, D1.1, D1.12)', () => {
  it.each([
    ['', 'go'],
    ['-v', '-v go'],
    ['"build X"', 'go build X'],
    ['-w /tmp "build X"', '-w /tmp go build X'],
    ['--workspace=/tmp "build X"', '--workspace=/tmp go build X'],
    ['"build X" --timeout 0', 'go build X --timeout 0'],
    ['--timeout 0 "build X"', 'go --timeout 0 build X'],
    ['--new', 'go --new'],
    ['-vw /tmp "build X"', '-vw /tmp go build X'],
    ['-vw/tmp "build X"', '-vw/tmp go build X'],
    ['build X', 'go build X'],
    ['once "hi"', 'once hi'],
    ['run flows:main', 'run flows:main'],
    ['-v run flows.ts:main', '-v run flows.ts:main'],
    ['run', 'run'],
    ['go run', 'go run'],
    ['setup', 'setup'],
    ['-v setup', '-v setup'],
    ['go setup', 'go setup'],
    ['--help', '--help'],
    ['-v --help', '-v --help'],
    ['-V', '-V'],
    ['--json "build X"', 'go --json build X'],
    ['status', 'status'],
    ['update', 'go update'],
    ['/new build Y', 'go /new build Y'],
    ['-- --help', 'go -- --help'],
    ['-w /tmp -- -v', '-w /tmp go -- -v'],
    ['-r', '-r go'],
  ])('flower %s', (typed, expected) => {
    expect(parsed(typed)).toBe(expected);
  });

  it('C2.4: knows every command and every global flag of the parser', () => {
    for (const command of program.commands) expect(parsed(command.name())).toBe(command.name());
    for (const { short, long, required } of program.options.filter(({ long }) => long !== '--version')) {
      for (const flag of [short, long]) {
        const value = required ? ' value' : '';
        expect(parsed(`${flag}${value} words`)).toBe(`${flag}${value} go words`);
      }
    }
  });
});
