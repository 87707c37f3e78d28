import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/**
 * Where sentences may stand outside the packs, and why. A new entry needs a reason of the same kind: only programmers or other
 * programs read it.
 */
const allowed: readonly { readonly file: RegExp; readonly text?: RegExp; readonly why: string }[] = [
  { file: /^sim\//, text: /^\P{Script=Han}*$/u, why: 'the scripted service words its faults as the real one does' },
  { file: /^cli\/demo\/job\.ts$/, text: /^\P{Script=Han}*$/u, why: 'program code that the demo writes to disk' },
  {
    file: /^documents\//,
    text: /^(?!.*\p{Script=Han}{11})/su,
    why: 'words that the parsers recognise in either language',
  },
  { file: /^runtime\/harnessEnvironment\.ts$/, why: 'the reason of each switch, for whoever reads that table' },
  { file: /^guards\/preToolGuard\.ts$/, text: /^the guard did not decide/, why: 'caught in the same file' },
  { file: /^store\/curate\/validate\.ts$/, why: 'faults of a history, counted by the store and read by tests' },
  {
    file: /^cli\/completion\//,
    text: /^\P{Script=Han}*$/u,
    why: 'shell source: its comments are read with the script',
  },
  { file: /./, text: /^null or a /, why: 'what a TypeError says that it expected' },
];

const source = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('locale/'))
  .sort();

describe('texts outside src/locale', () => {
  it('has files to look at', () => {
    expect(files).toContain('errors.ts');
  });

  it.each(files)('%s has none', (file) => {
    const found = literalsOf(join(source, file)).filter(
      ({ text }) => isText(text) && !allowed.some((entry) => entry.file.test(file) && (entry.text?.test(text) ?? true)),
    );
    expect(found.map(({ line, text }) => `${file}:${line} ${text}`)).toEqual([]);
  });
});

describe('the search itself', () => {
  it.each(['The run stops here and everything is saved.', 'nothing was written, so look at {}', '停下'])(
    'takes %j for a text',
    (literal) => {
      expect(isText(literal)).toBe(true);
    },
  );

  it.each([
    'ls cat head git status log diff',
    'mcp__human__ask',
    'SELECT id FROM runs WHERE step = ? ORDER BY id',
    'a-b/c.ts',
    'not a sentence',
    'Read|Grep|Glob',
  ])('takes %j for none', (literal) => {
    expect(isText(literal)).toBe(false);
  });
});

interface Literal {
  readonly line: number;
  readonly text: string;
}

/** The string and template literals of a file, but for import paths and what a TypeError says: that is for programmers. */
function literalsOf(path: string): Literal[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    if (ts.isNewExpression(node) && node.expression.getText(file) === 'TypeError') return;
    const text = literalText(node);
    if (text !== null) found.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, text });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function literalText(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map((span) => `{}${span.literal.text}`).join('');
}

/** Chinese characters; or five English words in a row, one of them of the kind that only sentences have, and no SQL. */
function isText(literal: string): boolean {
  if (/\p{Script=Han}/u.test(literal)) return true;
  if (/\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|PRAGMA|BEGIN|WITH)\b/.test(literal)) return false;
  const inSentence =
    /(?<=^|\s)(a|an|and|are|be|can|cannot|for|has|in|is|it|no|not|of|on|or|so|that|the|this|to|was|with)(?=[\s,.:;]|$)/i;
  return /(^|\s)([A-Za-z'’]+[,.:;]?\s+){4}[A-Za-z'’{]+/.test(literal) && inSentence.test(literal);
}
