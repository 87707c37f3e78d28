const phrases = [
  /prompt is too long/i,
  /context[ _-]?length[ _-]?exceeded/i,
  /maximum context length/i,
  /exceeds? (?:the )?context (?:window|limit)/i,
  /too many total text bytes/i,
  /`?input length`? and `?max_tokens`? exceed/i,
];

/**
 * True if one of the texts says that the model's context is full. For failures that carry no structure; null is skipped.
 *
 * @example
 * isOverflow(result.error, 'Prompt is too long'); // true
 */
export function isOverflow(...texts: readonly (string | null | undefined)[]): boolean {
  return texts.some((text) => text && phrases.some((phrase) => phrase.test(text)));
}
