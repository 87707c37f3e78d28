/** Tokens as people read them: thousands, with so many decimals. */
export function kilo(tokens: number, decimals = 0): string {
  return `${(tokens / 1000).toFixed(decimals)}K`;
}
