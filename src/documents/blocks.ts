/**
 * Text cut into lines and fenced code blocks. Every later step looks at lines only, so that nothing inside a block can be taken
 * for a heading, a bullet or a state word.
 */
export type Piece =
  | { readonly kind: 'line'; readonly text: string }
  /** A fenced block, its two fence lines included. */
  | { readonly kind: 'block'; readonly lines: readonly string[] };

/** A line with nothing on it. */
export const emptyLine: Piece = { kind: 'line', text: '' };

interface Fence {
  readonly mark: string;
  readonly length: number;
  /** What stands behind the marks: the language of an opening fence. */
  readonly info: string;
}

/**
 * The text with line ends as `\n` and without a byte-order mark; null and undefined are an empty text.
 *
 * @example
 * normalized('a\r\nb'); // 'a\nb'
 */
export function normalized(text: string | null | undefined): string {
  return (text ?? '').replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/**
 * Cuts a normalised text into lines and blocks. A fence that is opened and never closed makes no piece: its lines, to the end of
 * the text, are `unclosed`, because nobody can tell any more what of it is code.
 *
 * @example
 * toPieces('run:\n```sh\nnpm test\n```').pieces.length; // 2
 */
export function toPieces(text: string): { pieces: Piece[]; unclosed: readonly string[] | null } {
  const pieces: Piece[] = [];
  let open: Fence | null = null;
  let block: string[] = [];
  for (const line of text.split('\n')) {
    const fence = fenceOf(line);
    if (open) {
      block.push(line);
      if (fence && closes(fence, open)) {
        pieces.push({ kind: 'block', lines: block });
        open = null;
      }
    } else if (fence) {
      open = fence;
      block = [line];
    } else {
      pieces.push(line === '' ? emptyLine : { kind: 'line', text: line });
    }
  }
  return { pieces, unclosed: open ? block : null };
}

/**
 * Takes the fence off a reply that stands as a whole inside one (without a language, or `md`, `markdown`). It does so only if
 * the first line that can close that fence, blocks with a language inside aside, is the last one.
 *
 * @example
 * unwrapped('```markdown\n## Goal\nShip it\n```'); // '## Goal\nShip it'
 */
export function unwrapped(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```') && !trimmed.startsWith('~~~')) return text;
  const lines = trimmed.split('\n');
  const outer = fenceOf(lines[0] ?? '');
  if (!outer || !/^(?:md|markdown)?$/i.test(outer.info)) return text;
  let inner: Fence | null = null;
  for (let i = 1; i < lines.length; i++) {
    const fence = fenceOf(lines[i] ?? '');
    if (!fence) continue;
    if (inner) {
      if (closes(fence, inner)) inner = null;
    } else if (fence.info) {
      inner = fence;
    } else if (closes(fence, outer)) {
      return i === lines.length - 1 ? lines.slice(1, -1).join('\n') : text;
    }
  }
  return text;
}

function fenceOf(line: string): Fence | null {
  // At any indent: in a nested list a block stands far in, and what is taken for code by mistake is asked for again.
  const match = /^\s*(`{3,}|~{3,})/.exec(line);
  const marks = match?.[1];
  if (!match || !marks) return null;
  const mark = marks.charAt(0);
  const info = line.slice(match[0].length).trim();
  // Opened and closed on one line: ordinary text.
  return info.includes(mark) ? null : { mark, length: marks.length, info };
}

function closes(fence: Fence, open: Fence): boolean {
  return fence.mark === open.mark && fence.length >= open.length && fence.info === '';
}
