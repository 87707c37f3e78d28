import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeFile } from './describeFile.js';

const folder = mkdtempSync(join(tmpdir(), 'flower-describe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function describeText(text: string | Buffer): string {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  return describeFile(path);
}

describe('describeFile', () => {
  it.each([
    ['# desc: run the checks\n', 'run the checks'],
    ['// DESC：全角冒号\n', '全角冒号'],
    ['-- desc: a query\n', 'a query'],
    ['#desc:tight', 'tight'],
    ['#!/bin/bash\nset -e\n\n# desc: below a shebang\n', 'below a shebang'],
    ['# Title of it\n# desc: the mark wins\n', 'the mark wins'],
    ['1\n2\n3\n4\n5\n6\n7\n# desc: line eight', 'line eight'],
    ['1\n2\n3\n4\n5\n6\n7\n8\n# desc: line nine', ''],
    ['# Title\ntext', 'Title'],
    ['### Deep title', 'Deep title'],
    ['// - a comment', 'a comment'],
    ['-- select all', 'select all'],
    ['#a\n# long enough', 'long enough'],
    ['#!/usr/bin/env node\nconsole.log(1)\n', ''],
    ['"""Checks the build."""\nimport os\n', 'Checks the build.'],
    ['import os\n"""\nOn its own line\n"""\n', 'On its own line'],
    ["'''single'''", 'single'],
    ['no comment here', ''],
    ['', ''],
    ['\uFEFF# desc: after a byte order mark', 'after a byte order mark'],
    ['# desc: windows\r\nx', 'windows'],
    ['# desc: \u001b[31mred\u001b[0m\u0007', '[31mred [0m'],
  ])('%j → %j', (text, expected) => {
    expect(describeText(text)).toBe(expected);
  });

  it('cuts a comment at 100 characters, not through one', () => {
    expect(describeText(`# ${'a'.repeat(200)}`)).toBe('a'.repeat(100));
    expect(describeText(`# ${'a'.repeat(99)}🌼🌼`)).toBe('a'.repeat(99));
  });

  it('survives bytes that are no text', () => {
    expect(describeText(Buffer.from([0, 255, 254, 35, 10, 200]))).toBe('');
    expect(describeText(Buffer.concat([Buffer.from('# desc: ok '), Buffer.from([255])]))).toBe('ok \uFFFD');
  });

  it('reads the first 4 KiB only', () => {
    expect(describeText(`${'x'.repeat(4096)}\n# desc: too far`)).toBe('');
  });
});
