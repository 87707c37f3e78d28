const BEGIN = '<!-- flower:begin';
const END = '<!-- flower:end -->';

/**
 * Puts a block into the text of a file that belongs to somebody else. Where exactly one block stands it is replaced; else the new one
 * is added at the end, and nothing is removed. All other bytes stay, and so do the line ends.
 *
 * @param old bytes of the file; null if there is none
 * @param begin the opening comment, beginning with `<!-- flower:begin`
 */
export function withBlock(old: Buffer | null, block: { readonly begin: string; readonly body: string }): Buffer {
  const text = `${block.begin}\n${harmless(block.body).trim()}\n${END}`;
  if (old === null) return Buffer.from(`${text}\n`);
  // As single bytes, so that a file in any encoding comes out as it went in.
  const source = old.toString('latin1');
  const lineEnd = source.includes('\r\n') ? '\r\n' : '\n';
  const added = Buffer.from(text.replaceAll('\n', lineEnd)).toString('latin1');
  const place = placeOf(source);
  if (place) return Buffer.from(source.slice(0, place.start) + added + source.slice(place.end), 'latin1');
  const gap = source === '' ? '' : source.endsWith(lineEnd) ? lineEnd : lineEnd + lineEnd;
  return Buffer.from(source + gap + added + lineEnd, 'latin1');
}

/** What stands between the marks of the one block of a file; null if there is not exactly one. */
export function blockIn(file: Buffer | null): string | null {
  const source = file?.toString('latin1') ?? '';
  const place = placeOf(source);
  if (!place) return null;
  const block = Buffer.from(source.slice(place.start, place.end), 'latin1').toString().replaceAll('\r\n', '\n');
  return block.slice(block.indexOf('-->') + 3, -END.length).trim();
}

function placeOf(source: string): { start: number; end: number } | null {
  const start = source.indexOf(BEGIN);
  const end = source.indexOf(END);
  const isOne = start === source.lastIndexOf(BEGIN) && end === source.lastIndexOf(END);
  return start !== -1 && end > start && isOne ? { start, end: end + END.length } : null;
}

/** A mark inside the block would make two of it. */
function harmless(body: string): string {
  return body.replaceAll('<!-- flower:', '<!-- flower ');
}
