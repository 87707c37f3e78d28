/** Words that take back a success which they stand shortly before: negations, parts, wishes. */
const before = new Set(
  (
    'not never no non un neither nor without hardly barely scarcely cannot partially partly partial half almost nearly mostly ' +
    'largely would could should will shall can may might must need needs remains if unless until once whether yet far fails failed'
  ).split(' '),
);

/** Words that take it back wherever they stand in the clause before it. */
const farBefore = new Set('cannot unable doubt doubtful whether'.split(' '));

/** Words that take it back when they follow it in the same clause. */
const behind = new Set(
  'not partially partly partial half halfway mostly almost nearly except unless if apart never'.split(' '),
);

const beforeIdeographs =
  /未|没|不|无|非|难|部分|一半|大半|过半|尚|待|几乎|接近|基本|大体|大致|勉强|差点|差一|是否|能否|可否|才能|方能|若|如果|假如|即将|快要|将要|有望|可望|可以/;
const behindIdeographs = /^\s*(?:率|度|情况|条件|与否|不了|吗|了?\s*(?:一半|大半|部分|一部分|大部分|多数))/;

/** So far round a word its clause is looked at; keeps long texts without punctuation linear. */
const REACH = 80;
const clauseEnd = /[,，.。;；:：!！?？\n()（）|/、—–]|\s-\s/;

/**
 * True if the clause round a word of success takes it back: by a negation, a part, a wish, a question, or numbers that say that
 * not all is there.
 */
export function isSpoiled(text: string, start: number, end: number): boolean {
  const ahead = text.slice(Math.max(0, start - REACH), start);
  const after = text.slice(end, end + REACH);
  const clauseBefore = ahead.split(clauseEnd).at(-1) ?? '';
  const clauseBehind = after.split(clauseEnd, 1)[0] ?? '';
  if (isFraction(ahead, after) || /^[?？]/.test(after.slice(clauseBehind.length))) return true;
  const wordsBefore = latinWords(clauseBefore);
  return (
    wordsBefore.slice(-3).some((word) => before.has(word) || word.endsWith("n't")) ||
    wordsBefore.some((word) => farBefore.has(word)) ||
    latinWords(clauseBehind).some((word) => behind.has(word)) ||
    beforeIdeographs.test(clauseBefore.slice(-6)) ||
    behindIdeographs.test(clauseBehind)
  );
}

function latinWords(clause: string): string[] {
  return (
    clause
      .toLowerCase()
      .replace(/’/g, "'")
      .match(/[a-z']+/g) ?? []
  );
}

/** "3 of 5 met", "achieved: 60 %". */
function isFraction(ahead: string, after: string): boolean {
  const share =
    /(\d+)\s*(?:\/|of|out of)\s*(\d+)(?:\s+\p{L}+){0,3}\s*$/iu.exec(ahead) ??
    /^[\s:：(（]*(\d+)\s*(?:\/|of|out of)\s*(\d+)/i.exec(after);
  if (share) return Number(share[1]) < Number(share[2]);
  const percent = /(\d+)\s*%\s*$/.exec(ahead) ?? /^[\s:：(（]*(\d+)\s*%/.exec(after);
  return percent !== null && Number(percent[1]) < 100;
}
