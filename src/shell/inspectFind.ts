import type { Inspect } from './inspect.js';
import type { Word } from './readWord.js';
import { type Refusal, refuse, type Why } from './refusal.js';

/** What find does with a file besides naming it. */
const ACTIONS: readonly (readonly [RegExp, Why])[] = [
  [/^-delete$/, 'writes'],
  [/^-(?:exec|ok)/, 'starts'],
  [/^-(?:fprint|fls)/, 'writes'],
];

/** Tests and options of GNU and BSD find that take no argument. */
const ALONE = new Set(
  `-H -L -P -E -X -d -s -x -O1 -O2 -O3 -print -print0 -ls -prune -quit -true -false -not -a -and -o -or -empty -daystart -depth
  -follow -mount -xdev -noleaf -nouser -nogroup -readable -writable -executable -warn -nowarn -ignore_readdir_race
  -noignore_readdir_race`.split(/\s+/),
);
/** Those that take one, which may itself begin with a minus: `-mtime -1`. */
const WITH_VALUE = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -atime -amin -ctime -cmin
  -mtime -mmin -Btime -Bmin -newer -anewer -cnewer -mnewer -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -samefile
  -fstype -used -context -printf -regextype -files0-from -flags -D -f`.split(/\s+/),
);

/** Judges a find expression: only tests, and actions that print. */
export const inspectFind: Inspect = (_, words) => {
  let previous: Word | undefined;
  for (const word of words) {
    const refusal = judgePrimary(word, previous);
    if (refusal) return refusal;
    previous = word;
  }
  return null;
};

function judgePrimary(word: Word, previous: Word | undefined): Refusal | null {
  const { value } = word;
  // Also where it looks like the value of a test: find and this list may disagree on who takes one.
  const action = ACTIONS.find(([name]) => name.test(value));
  if (action) return refuse(action[1], word.source);
  const isValue = previous !== undefined && takesValue(previous.value);
  return !value.startsWith('-') || ALONE.has(value) || takesValue(value) || isValue
    ? null
    : refuse('unknown', word.source);
}

function takesValue(primary: string): boolean {
  return WITH_VALUE.has(primary) || /^-newer[aBcm][aBcmt]$/.test(primary);
}
