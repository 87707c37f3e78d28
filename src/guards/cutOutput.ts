import { cutText } from '../workbench/cutText.js';

/** An escape sequence of a terminal whose end is missing: colours and cursor (`ESC [ …`), titles and links (`ESC ] …`), the rest. */
const OPEN_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)$/;

/**
 * The first characters of a tool's output, never ending inside a character or inside an escape sequence, which would swallow what
 * stands after it. Half characters that were there before become U+FFFD.
 */
export function cutOutput(output: string, length: number): string {
  const cut = cutText(output, length);
  return (cut.length < output.length ? cut.replace(OPEN_SEQUENCE, '') : cut).toWellFormed();
}
