import { isSpoiled } from './spoiled.js';

/** What a text says of a goal, or of one of its items. `''`: nothing that can be relied on. */
export type Ruling = '' | 'achieved' | 'not_yet' | 'unreachable';

type Kind = Exclude<Ruling, ''>;
type Words = Readonly<Record<Kind, readonly string[]>>;

const conclusionWords: Words = {
  unreachable: listed(
    '无法验证, 没法验证, 验证不了, 无法判定, 无法达成, 不可达成, 做不到, unverifiable, unreachable, impossible, cannot be verified, ' +
      "can't be verified, can not be verified, cannot verify, can't verify, can not verify",
  ),
  not_yet: listed(
    '未达成, 没达成, 没有达成, 尚未达成, 还没达成, 未能达成, 不达成, not yet, not achieved, not met, unmet, unachieved, incomplete, no',
  ),
  achieved: listed('已达成, 达成, achieved, met, done, yes'),
};

const itemWords: Words = {
  unreachable: conclusionWords.unreachable,
  not_yet: [...conclusionWords.not_yet, ...listed('未通过, 不通过, failed, fail')],
  achieved: [...conclusionWords.achieved, ...listed('通过, passed, pass')],
};

/** A longer line is no bare state word. */
const MAX_BARE = 80;

/** A state word in a text. */
export interface StateWord {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  /** A word of success that its clause takes back: "partially achieved", "没有达成". */
  readonly spoiled: boolean;
}

/** Finds the state words of one table in a text and rules by them. */
export class RulingTable {
  readonly #kinds = new Map<string, Kind>();
  readonly #pattern: RegExp;

  constructor(words: Words) {
    for (const kind of Object.keys(words) as Kind[]) for (const word of words[kind]) this.#kinds.set(word, kind);
    const longestFirst = [...this.#kinds.keys()].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.map(asPattern).join('|'), 'giu');
  }

  /** The state words in their order. */
  *words(text: string): Generator<StateWord, undefined> {
    // `matchAll` would compile the pattern anew for every line.
    for (let from = 0; ; ) {
      this.#pattern.lastIndex = from;
      const match = this.#pattern.exec(text);
      const kind = this.#kinds.get(folded(match?.[0] ?? ''));
      if (!match || !kind) return undefined;
      const { index: start } = match;
      from = this.#pattern.lastIndex;
      yield { kind, start, end: from, spoiled: kind === 'achieved' && isSpoiled(text, start, from) };
    }
  }

  /**
   * What the text says. All three kinds are an echoed template and say nothing; between "not yet" and "unreachable" the first
   * decides; success counts only if nothing speaks against it.
   */
  rule(text: string): Ruling {
    let against: Ruling = '';
    let spoiled = false;
    const kinds = new Set<Kind>();
    for (const word of this.words(text)) {
      if (word.spoiled) {
        spoiled = true;
        continue;
      }
      kinds.add(word.kind);
      if (word.kind !== 'achieved') against ||= word.kind;
      if (kinds.size === 3) return '';
    }
    if (against) return against;
    if (spoiled) return 'not_yet';
    return kinds.has('achieved') ? 'achieved' : '';
  }

  /** What the text says if it is a state word and nothing else, marks and punctuation aside. */
  bare(text: string): Ruling {
    if (text.length > MAX_BARE) return '';
    return this.#kinds.get(folded(text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))) ?? '';
  }
}

/** The words of a conclusion. */
export const conclusions = new RulingTable(conclusionWords);

/** The words of a single item: those of a conclusion, and passed and failed. */
export const itemStates = new RulingTable(itemWords);

function listed(words: string): string[] {
  return words.split(', ');
}

/** Latin words only as whole words: "no" is not in "now". */
function asPattern(word: string): string {
  if (!/^[a-z]/.test(word)) return word;
  const spaced = word.replace(/ /g, '[\\s_-]+').replace(/'/g, "['’]");
  return `(?<![\\p{L}\\p{N}_])${spaced}(?![\\p{L}\\p{N}_])`;
}

function folded(word: string): string {
  return word
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[\s_-]+/g, ' ');
}
