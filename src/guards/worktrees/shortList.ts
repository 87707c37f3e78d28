/** The first few of many names, for one line of text. */
export function shortList(names: readonly string[], atMost = 6): string {
  return names.length > atMost ? `${names.slice(0, atMost).join(', ')}, …` : names.join(', ');
}
