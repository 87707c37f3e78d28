import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEnvFile } from './parseEnvFile.js';

const valueIn = (line: string) => parseEnvFile(line).values.get('KEY');
const problemsOf = (source: string) => parseEnvFile(source).problems;

describe('parseEnvFile (K3, D7.9, D7.10)', () => {
  it.each([
    ['KEY=VALUE', 'VALUE'],
    ['KEY = VALUE', 'VALUE'],
    ['KEY: VALUE', 'VALUE'],
    ['KEY="VALUE"', 'VALUE'],
    ["KEY='VALUE'", 'VALUE'],
    ['KEY=`VALUE`', 'VALUE'],
    ['KEY=a=b', 'a=b'],
    ['export KEY=VALUE', 'VALUE'],
    ['\uFEFFKEY=VALUE', 'VALUE'],
    ['  KEY=  spaced out  ', 'spaced out'],
    ['KEY=value # note', 'value'],
    ['KEY=value#note', 'value'],
    ['KEY="value # note"', 'value # note'],
    ['KEY="value # note" # and a note', 'value # note'],
    ['KEY="value', '"value'],
    ['KEY="a\\nb"', 'a\nb'],
    ["KEY='a\\nb'", 'a\\nb'],
    ['KEY=a\\nb', 'a\\nb'],
    ['KEY="a\nb"', 'a\nb'],
    ['KEY="a\r\nb"\r\nOTHER=1', 'a\nb'],
    ['KEY=$OTHER', '$OTHER'],
    ['KEY=pa$$w0rd$HOME', 'pa$$w0rd$HOME'],
    ['KEY=', ''],
    ['KEY=one\nKEY=two', 'two'],
    ['#KEY=off', undefined],
    ['no assignment at all\nKEY=1', '1'],
  ])('reads %j as %j', (source, value) => {
    expect(valueIn(source)).toBe(value);
  });

  it('keeps an open quote from swallowing the assignments below it, and names its line', () => {
    const { values, problems } = parseEnvFile('# head\nE="unfinished # value\nF=next\nK="later"\n');
    expect(Object.fromEntries(values)).toEqual({ E: '"unfinished', F: 'next', K: 'later' });
    expect(problems).toEqual([{ kind: 'open_quote', line: 2, key: 'E' }]);
  });

  it('reads a quoted value over several lines whole, base64 padding included', () => {
    const pem = '-----BEGIN KEY-----\nMIIEpAIBAAKCAQEA\nQUJDRA==\n-----END KEY-----';
    const { values, problems } = parseEnvFile(`KEY="${pem}"\nNEXT=1`);
    expect(values.get('KEY')).toBe(pem);
    expect(values.get('NEXT')).toBe('1');
    expect(problems).toEqual([]);
  });

  it.each([
    ['KEY=value#note', ['cut_at_hash']],
    ['KEY=#secret', ['cut_at_hash']],
    ['KEY=value # note', []],
    ['KEY= # note', []],
    ['KEY="a#b"', []],
    ["KEY='a#b' # note#2", []],
  ])('of %j reports %j', (source, kinds) => {
    expect(problemsOf(source).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('leaves out a key that no shell could set, and says so', () => {
    const { values, problems } = parseEnvFile('A-B=1\nC.D=2\nE=3');
    expect([...values.keys()]).toEqual(['E']);
    expect(problems.map(({ key }) => key)).toEqual(['A-B', 'C.D']);
  });

  it('names no value in a problem', () => {
    expect(JSON.stringify(problemsOf('A=s3cret#tail\nB="s3cret\nC=s3cret'))).not.toContain('s3cret');
  });

  it('gives back every value that is written in single quotes, whatever stands around it', () => {
    const value = fc.string({ unit: 'binary' }).filter((it) => !/['\r\n\u2028\u2029\\]/.test(it));
    fc.assert(
      fc.property(value, fc.constantFrom('', 'A="open\n', 'B=1#2\n', 'words\n'), (it, before) => {
        expect(valueIn(`${before}KEY='${it}'\nZ=1`)).toBe(it);
      }),
    );
  });
});
