const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** What a person sees as one character is rarely longer; beyond that only surrogate pairs are kept whole. */
const LONGEST = 64;

/**
 * The first `length` UTF-16 units of a text, or a few less where the cut would go through a character: half a surrogate pair
 * makes a request that the service refuses, and an accent or a family emoji should not lose a part.
 *
 * @example
 * cutText('🌼🌼', 3);   // '🌼'
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const from = Math.max(0, length - LONGEST);
  const at = graphemes.segment(text.slice(from, length + LONGEST)).containing(length - from)?.index ?? 0;
  if (at > 0) return text.slice(0, from + at);
  const last = text.charCodeAt(length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? length - 1 : length);
}
