import { type Refusal, refuse } from './refusal.js';

/** One word of a command, as far as it can be known without running anything. */
export interface Word {
  /** As written. */
  readonly source: string;
  /** After quote removal; a variable stands there as it is written. */
  readonly value: string;
  /** Nothing in it is quoted, escaped or expanded, so that it means what it says. */
  readonly literal: boolean;
  readonly hasVariable: boolean;
  /** Where in `value` the first unquoted `*`, `?` or `[` stands; -1 if nowhere. */
  readonly globAt: number;
  /** Holds a brace pair that the shell expands (`{a,b}`, `{1..9}`). */
  readonly expandsBraces: boolean;
}

const VARIABLE = /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9?#@*$!-]|\{(?:[A-Za-z_][A-Za-z0-9_]*|[0-9?#@*$!-])\})/y;
/** What ends a word when it is not quoted. */
const META = /[\s;&|<>()]/;
/** In double quotes a `$` before one of these is just a dollar. */
const BARE_DOLLAR_IN_QUOTES = /[\s"'|)/\\,.:;%&\]=^+}<>~]/;

/**
 * Reads the text of one word by the quoting rules of Bash. Refuses what can run another command or can't be known: command and
 * process substitution, `${…}` other than a plain name, `$'…'`, `$"…"`, and a text that isn't exactly one word.
 */
export function readWord(source: string): Word | Refusal {
  let value = '';
  /** For each character of `value`: `u` unquoted, `q` quoted, `v` part of a variable. */
  let marks = '';
  let at = 0;
  const add = (text: string, mark: 'u' | 'q' | 'v') => {
    value += text;
    marks += mark.repeat(text.length);
  };
  /** Handles `$` and backquote at `at`, in and outside double quotes. */
  const expansion = (inQuotes: boolean): Refusal | null => {
    if (source[at] === '`' || source.startsWith('$(', at)) return refuse('substitution', source);
    VARIABLE.lastIndex = at;
    const variable = VARIABLE.exec(source)?.[0];
    if (variable === undefined) {
      const next = source[at + 1];
      if (next !== undefined && !(inQuotes && BARE_DOLLAR_IN_QUOTES.test(next))) return refuse('construct', source);
      add('$', 'q');
      at += 1;
      return null;
    }
    add(variable, 'v');
    at += variable.length;
    return null;
  };

  while (at < source.length) {
    const char = source[at] ?? '';
    if (char === "'") {
      const end = source.indexOf("'", at + 1);
      if (end === -1) return refuse('syntax', source);
      add(source.slice(at + 1, end), 'q');
      at = end + 1;
    } else if (char === '"') {
      at += 1;
      while (source[at] !== '"') {
        const inner = source[at];
        if (inner === undefined) return refuse('syntax', source);
        if (inner === '$' || inner === '`') {
          const refusal = expansion(true);
          if (refusal) return refusal;
        } else if (inner === '\\' && /[$`"\\\n]/.test(source[at + 1] ?? '')) {
          if (source[at + 1] !== '\n') add(source[at + 1] ?? '', 'q');
          at += 2;
        } else {
          add(inner, 'q');
          at += 1;
        }
      }
      at += 1;
    } else if (char === '\\') {
      const next = source[at + 1];
      if (next === undefined) return refuse('syntax', source);
      if (next !== '\n') add(next, 'q');
      at += 2;
    } else if (char === '$' || char === '`') {
      const refusal = expansion(false);
      if (refusal) return refusal;
    } else {
      if (META.test(char) || (char === '#' && at === 0)) return refuse('syntax', source);
      add(char, 'u');
      at += 1;
    }
  }
  return {
    source,
    value,
    literal: source === value && !/[*?[\]{}~]/.test(value) && !marks.includes('v'),
    hasVariable: marks.includes('v'),
    globAt: [...marks].findIndex((mark, i) => mark === 'u' && '*?['.includes(value[i] ?? ' ')),
    expandsBraces: expandsBraces(value, marks),
  };
}

/**
 * Bash takes the first `}` that has seen a comma or `..` on its own level; other shells pair strictly. Any `{` that is followed,
 * on its level, by one of these and a `}` counts, whichever way it is paired.
 */
function expandsBraces(value: string, marks: string): boolean {
  // Looking from each brace is quadratic; nobody who only looks writes that many.
  if (value.split('{').length > 50) return true;
  const unquoted = [...marks].map((mark, i) => (mark === 'u' ? (value[i] ?? '') : ' ')).join('');
  for (let start = unquoted.indexOf('{'); start !== -1; start = unquoted.indexOf('{', start + 1)) {
    let level = 0;
    let separated = false;
    for (let i = start + 1; i < unquoted.length; i++) {
      const char = unquoted[i];
      if (char === '}' && level === 0 && separated) return true;
      if (char === '{') level += 1;
      else if (char === '}' && level > 0) level -= 1;
      else if (level === 0 && (char === ',' || (char === '.' && unquoted[i + 1] === '.'))) separated = true;
    }
  }
  return false;
}
