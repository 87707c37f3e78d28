/**
 * Takes everything out of foreign text that a terminal would act on: escape sequences whole, control characters in both their
 * one-byte and two-byte forms, and characters that turn or hide text. Line breaks stay, a tab becomes a blank. What is left is
 * text that can only be read.
 *
 * @example
 * sanitise('\u001b]0;owned\u0007a\u001b[31mb\tc'); // 'ab c'
 */
export function sanitise(text: string): string {
  return text
    .toWellFormed()
    .replace(ESCAPE_SEQUENCE, '')
    .replace(/\t/g, ' ')
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(UNSAFE_CHARACTER, '');
}

/**
 * The last guard before the screen, for text that flower has put together itself: of all control sequences only colours pass.
 *
 * @example
 * keepColours('\u001b[31mred\u001b[0m\u001b[2J'); // '\u001b[31mred\u001b[0m'
 */
export function keepColours(text: string): string {
  return text
    .split(/(\u001b\[[\d;]*m)/)
    .map((part, index) => (index % 2 === 1 ? part : sanitise(part)))
    .join('');
}

/**
 * A string sequence (OSC, DCS, SOS, PM, APC) ends at its terminator, at an escape, or with its line: one that is never ended must
 * not take the rest of the text with it.
 */
const ESCAPE_SEQUENCE = new RegExp(
  [
    '(?:\\u001b\\]|\\u009d)[^\\u0007\\u0018\\u001a\\u001b\\u009c\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '(?:\\u001b[PX^_]|[\\u0090\\u0098\\u009e\\u009f])[^\\u0018\\u001a\\u001b\\u009c\\n]*(?:\\u001b\\\\|\\u009c)?',
    '(?:\\u001b\\[|\\u009b)[\\u0030-\\u003f]*[\\u0020-\\u002f]*[\\u0040-\\u007e]?',
    '\\u001b[\\u0020-\\u002f]+[\\u0030-\\u007e]?',
    '\\u001b[\\u0030-\\u007e]?',
  ].join('|'),
  'g',
);

/**
 * C0 but the line break, DEL, C1; direction marks and overrides; invisible characters. The joiners and variation selectors stay:
 * emoji and several scripts are written with them.
 */
const UNSAFE_CHARACTER =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
