import { type Inspect, operandsOf } from './inspect.js';
import { type Refusal, refuse, type Why } from './refusal.js';

/** Judges the scripts of a sed call: those given with `-e`, else the first operand. */
export const inspectSed: Inspect = (found) => {
  // In the sandbox sed itself refuses to run, read or write anything.
  if (found.some((it) => it.kind === 'long' && it.name === 'sandbox')) return null;
  const given = found.filter(
    (it) => (it.kind === 'short' && it.name === 'e') || (it.kind === 'long' && it.name === 'expression'),
  );
  const scripts = given.map((it) => (it.kind === 'operand' ? '' : (it.value ?? '')));
  const script = given.length > 0 ? scripts.join('\n') : operandsOf(found)[0]?.value;
  return script === undefined ? refuse('unknown', 'sed') : judgeScript(script);
};

/** Commands that take nothing. */
const BARE = /[pPdD=ngGhHxN]/y;
/** `q`, `Q`, `l` and their number. */
const NUMBERED = /[qQl][ \t]*\d*/y;
const ADDRESS_NUMBER = /\d+(?:~\d+)?|\$/y;
const RANGE_END = /[+~]\d+/y;
const BLANKS = /[ \t]*/y;
const SEPARATORS = /[ \t\n;]*/y;
const END_OF_COMMAND = /[ \t]*(?:[;\n]|(?=\})|$)/y;
/** `\\]` is left out: some seds take it for an escaped bracket, some for a backslash at the end of the expression. */
const BRACKET = /\[\^?\]?(?:\[[:.=]\w+[:.=]\]|\\(?!\])|[^\]\\[\n]|\[(?![:.=]))*\]/y;
const SUBSTITUTE_FLAGS = /[gpiImM\d]*/y;
const MEANING: Readonly<Record<string, Why>> = { w: 'writes', W: 'writes', e: 'starts', r: 'unknown', R: 'unknown' };

/** Reads a script command by command; what is not a known, harmless command refuses it. */
function judgeScript(script: string): Refusal | null {
  const reader = new ScriptReader(script);
  let depth = 0;
  for (;;) {
    reader.take(SEPARATORS);
    if (reader.ended) return depth === 0 ? null : refuse('unknown', script);
    if (reader.takeChar('}')) {
      depth -= 1;
      if (depth < 0 || !reader.take(END_OF_COMMAND)) return refuse('unknown', script);
      continue;
    }
    if (!reader.takeAddresses()) return refuse('unknown', script);
    if (reader.takeChar('{')) {
      depth += 1;
      continue;
    }
    const command = reader.next;
    const known =
      reader.take(BARE) ||
      reader.take(NUMBERED) ||
      (reader.takeChar('s') && reader.takeDelimited(2, true) && reader.take(SUBSTITUTE_FLAGS)) ||
      (reader.takeChar('y') && reader.takeDelimited(2, false));
    if (!known) return refuse(MEANING[command] ?? 'unknown', script);
    if (!reader.take(END_OF_COMMAND)) return refuse(MEANING[reader.next] ?? 'unknown', script);
  }
}

class ScriptReader {
  #at = 0;

  constructor(private readonly script: string) {}

  get next(): string {
    return this.script[this.#at] ?? '';
  }

  get ended(): boolean {
    return this.#at >= this.script.length;
  }

  /** Takes what the sticky pattern matches here; true also for an empty match. */
  take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.script);
    if (match) this.#at += match[0].length;
    return match !== null;
  }

  takeChar(char: string): boolean {
    if (this.next !== char) return false;
    this.#at += 1;
    return true;
  }

  /** No, one or two addresses and any number of `!`; false if they can't be read. */
  takeAddresses(): boolean {
    const first = this.#takeAddress();
    if (first === 'unreadable') return false;
    this.take(BLANKS);
    if (first === 'taken' && this.takeChar(',')) {
      this.take(BLANKS);
      if (!this.take(RANGE_END) && this.#takeAddress() !== 'taken') return false;
    }
    do this.take(BLANKS);
    while (this.takeChar('!'));
    return true;
  }

  #takeAddress(): 'taken' | 'none' | 'unreadable' {
    if (this.take(ADDRESS_NUMBER)) return 'taken';
    if (this.next !== '/' && this.next !== '\\') return 'none';
    this.takeChar('\\');
    return this.takeDelimited(1, true) && this.take(/[IM]*/y) ? 'taken' : 'unreadable';
  }

  /** Takes a delimiter and so many parts, each ended by it; false if they can't be read. */
  takeDelimited(parts: number, firstIsRegex: boolean): boolean {
    const delimiter = this.next;
    if (/^[\\\s]?$/.test(delimiter)) return false;
    this.#at += 1;
    for (let part = 0; part < parts; part++) {
      while (this.next !== delimiter) {
        if (this.ended || this.next === '\n') return false;
        if (part === 0 && firstIsRegex && this.next === '[') {
          if (!this.#takeBracket(delimiter)) return false;
        } else this.#at += this.next === '\\' ? 2 : 1;
      }
      this.#at += 1;
    }
    return true;
  }

  /**
   * Takes a bracket expression. In it the delimiter is a character like others, but older seds end the regular expression there:
   * so what stands after it must not be a command or a flag that writes or runs something.
   */
  #takeBracket(delimiter: string): boolean {
    const start = this.#at;
    if (!this.take(BRACKET)) return false;
    const inner = this.script.indexOf(delimiter, start);
    if (inner >= this.#at || inner === -1) return true;
    const rest = this.script.slice(inner + 1);
    const afterNext = rest.slice(rest.indexOf(delimiter) + 1);
    return !/^[\s!]*[weW]/.test(rest) && !/^[gpiImM\d]*[we]/.test(afterNext);
  }
}
