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

const VARIABLE = /\$(?:[A-Za-z_]\w*|[0-9?#@*$!-]|\{(?:[A-Za-z_]\w*|[0-9?#@*$!-])\})/y;
const SINGLE_QUOTED = /'([^']*)'/y;
/** What has no meaning of its own: outside of quotes, and in double quotes. */
const UNQUOTED = /[^\s;&|<>()'"\\$`]+/y;
const IN_QUOTES = /[^"\\$`]+/y;
const ESCAPED = /\\([\s\S])/y;
/** In double quotes a backslash before anything else is just a backslash. */
const ESCAPED_IN_QUOTES = /\\([$`"\\\n])/y;
/** A `$` is just a dollar at the end of a word, and in double quotes before what can't begin a name or an expansion. */
const DOLLAR = /\$$/y;
const DOLLAR_IN_QUOTES = /\$(?=[\s"'|)/\\,.:;%&\]=^+}<>~])/y;

/**
 * Reads the text of one word by the quoting rules of Bash. Refuses what can run another command or can't be known: command and
 * process substitution, `${…}` other than a plain name, `$'…'`, `$"…"`, and a text that isn't exactly one word.
 */
export function readWord(source: string): Word | Refusal {
  const reader = new WordReader(source);
  return (source.startsWith('#') ? refuse('syntax', source) : reader.read()) ?? reader.word();
}

class WordReader {
  #at = 0;
  #value = '';
  /** For each character of the value: `u` unquoted, `q` quoted, `v` part of a variable. */
  #marks = '';

  constructor(private readonly source: string) {}

  word(): Word {
    const [value, marks] = [this.#value, this.#marks];
    return {
      source: this.source,
      value,
      literal: this.source === value && !/[*?[\]{}~$]/.test(value),
      hasVariable: marks.includes('v'),
      globAt: [...marks].findIndex((mark, i) => mark === 'u' && '*?['.includes(value[i] ?? ' ')),
      expandsBraces: expandsBraces(value, marks),
    };
  }

  read(): Refusal | null {
    while (this.#at < this.source.length) {
      const isRead =
        this.#take(UNQUOTED, 'u') ||
        this.#take(SINGLE_QUOTED, 'q') ||
        this.#take(ESCAPED, 'q') ||
        this.#take(VARIABLE, 'v') ||
        this.#take(DOLLAR, 'q');
      if (isRead) continue;
      if (this.source[this.#at] !== '"') return this.#whyNot();
      const refusal = this.#readQuotes();
      if (refusal) return refusal;
    }
    return null;
  }

  #readQuotes(): Refusal | null {
    this.#at += 1;
    while (this.source[this.#at] !== '"') {
      const isRead =
        this.#take(IN_QUOTES, 'q') ||
        this.#take(ESCAPED_IN_QUOTES, 'q') ||
        this.#take(/\\/y, 'q') ||
        this.#take(VARIABLE, 'v') ||
        this.#take(DOLLAR_IN_QUOTES, 'q');
      if (!isRead) return this.#whyNot();
    }
    this.#at += 1;
    return null;
  }

  /** Takes what the sticky pattern matches here. Its group, if it has one, is what stays after quote removal. */
  #take(pattern: RegExp, mark: 'u' | 'q' | 'v'): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.source);
    if (!match) return false;
    this.#at += match[0].length;
    // A backslash at the end of a line joins it to the next one.
    const text = match[0] === '\\\n' ? '' : (match[1] ?? match[0]);
    this.#value += text;
    this.#marks += mark.repeat(text.length);
    return true;
  }

  #whyNot(): Refusal {
    const rest = this.source.slice(this.#at);
    if (rest.startsWith('`') || rest.startsWith('$(')) return refuse('substitution', this.source);
    return refuse(rest.startsWith('$') ? 'construct' : 'syntax', this.source);
  }
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

/** A device: reading it may never end (`/dev/zero`), wait for a person, or do something (a tape, a watchdog). */
export function isDevice(path: string): boolean {
  return /^\/dev\/(?!null$|stdin$|fd\/\d+$|shm\/)/.test(path);
}
