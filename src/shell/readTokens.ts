import type { TreeCursor } from 'web-tree-sitter';
import { bash } from './grammar.js';
import { type Refusal, refuse } from './refusal.js';

/** A leaf of the parse tree; a word is one token with all its quotes and pieces. */
export interface Token {
  readonly kind: 'word' | 'separator' | 'redirect' | 'descriptor' | 'comment';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Nodes that only group. What they group is judged in the order in which it is written. */
const GROUPS = new Set([
  'program',
  'list',
  'pipeline',
  'redirected_statement',
  'command',
  'command_name',
  'file_redirect',
  'herestring_redirect',
]);
const GROUPS_IN_TEST = new Set(['unary_expression', 'binary_expression']);
const WORDS = new Set([
  'word',
  'number',
  'string',
  'raw_string',
  'concatenation',
  'simple_expansion',
  'expansion',
  'brace_expression',
]);
const WORD_PIECES = new Set([...WORDS, 'string_content', 'variable_name', 'special_variable_name']);
const WORD_TOKENS = new Set(['"', '$', '${', '}', '{', '..']);
const SEPARATORS = new Set(['&&', '||', ';', '|', '|&']);
/** What is a plain word although the grammar has a name for it. */
const WORDLIKE = new Set(['$', '==', '=~']);
/** Inside `[ … ]` a `<`, `&&` or `(` is what it is outside, though the grammar takes it for a comparison. */
const WORDLIKE_IN_TEST = new Set(['[', ']', '=', '==', '!=', '!']);

/**
 * The tokens of a command line in the order in which they are written, from the parse tree of the Bash grammar. Every node of
 * the tree must be of a kind that is listed here; anything else, an ERROR or a MISSING node included, refuses the line.
 */
export function readTokens(source: string): Token[] | Refusal {
  const tree = bash.parse(source);
  if (!tree) return refuse('syntax', source);
  const cursor = tree.walk();
  try {
    const tokens: Token[] = [];
    const refusal = visit(cursor, source, tokens, false);
    // Errors are asked for last: where the tree shows a construct that isn't judged, that is the better reason.
    return refusal ?? (tree.rootNode.hasError ? refuse('syntax', source) : tokens);
  } finally {
    cursor.delete();
    tree.delete();
  }
}

function visit(cursor: TreeCursor, source: string, tokens: Token[], inTest: boolean): Refusal | null {
  const type = cursor.nodeType;
  const end = cursor.endIndex;
  // Some tokens of the grammar begin with the blanks in front of them.
  const text = source.slice(cursor.startIndex, end).trimStart();
  const push = (kind: Token['kind']): null => {
    tokens.push({ kind, text, start: end - text.length, end });
    return null;
  };
  if (!cursor.nodeIsNamed) {
    if (inTest ? WORDLIKE_IN_TEST.has(type) : WORDLIKE.has(type)) return push('word');
    if (!inTest && SEPARATORS.has(type)) return push('separator');
    if (!inTest && /^&?[<>]/.test(type)) return push('redirect');
    if (type === '\n') return null;
    return refuse(type === '&' ? 'background' : 'construct', text);
  }
  if (type === 'comment') return push('comment');
  if (type === 'file_descriptor') return push('descriptor');
  if (type === 'test_operator') return push('word');
  if (WORDS.has(type)) return visitPieces(cursor, source) ?? push('word');
  const isTest = type === 'test_command' && !text.startsWith('[[');
  if (!(isTest || GROUPS.has(type) || (inTest && GROUPS_IN_TEST.has(type)))) return refuse(whyNot(type), text);
  return visitChildren(cursor, () => visit(cursor, source, tokens, inTest || isTest));
}

/** Checks the kinds of the pieces of a word: a substitution can hide in quotes. */
function visitPieces(cursor: TreeCursor, source: string): Refusal | null {
  return visitChildren(cursor, () => {
    const type = cursor.nodeType;
    const known = cursor.nodeIsNamed ? WORD_PIECES : WORD_TOKENS;
    if (!known.has(type)) return refuse(whyNot(type), source.slice(cursor.startIndex, cursor.endIndex));
    return visitPieces(cursor, source);
  });
}

function visitChildren(cursor: TreeCursor, visitChild: () => Refusal | null): Refusal | null {
  if (!cursor.gotoFirstChild()) return null;
  do {
    const refusal = visitChild();
    if (refusal) return refusal;
  } while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return null;
}

function whyNot(type: string): Refusal['why'] {
  if (type === 'command_substitution' || type === 'process_substitution') return 'substitution';
  if (type === 'variable_assignment' || type === 'variable_assignments') return 'assignment';
  return type === 'ERROR' ? 'syntax' : 'construct';
}
