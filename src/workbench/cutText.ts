/**
 * The first `length` UTF-16 units of a text, one less where the cut would go through a surrogate pair: half a character makes
 * a request that the service refuses.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? length - 1 : length);
}
