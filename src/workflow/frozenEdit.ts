import { amendmentsOf, amendmentText, splitAmendments } from '../documents/amendments.js';
import { Brief } from '../documents/brief.js';
import type { FrozenDocument } from '../documents/frozenDocument.js';
import { Goal } from '../documents/goal.js';
import { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import type { Ctx } from './ctx.js';

/**
 * Looks whether a frozen document was changed past flower since it was frozen, and tells the person once for each change. Nothing
 * stops: a person may edit it. A file that nobody has frozen, of an older directory, is not checked.
 *
 * @param document as it was just loaded
 * @param options.frozen its text as it was frozen, as far as somebody knows it
 * @param options.amendments what the person has added to a brief, as far as somebody knows that
 * @returns what a judge has to be told, or null
 */
export function frozenEdit(
  ctx: Ctx,
  document: FrozenDocument | null,
  options: { readonly frozen: string | null; readonly amendments?: readonly string[] | null; readonly locale: Locale },
): string | null {
  const { frozen, locale, amendments = null } = options;
  const foreign = foreignAmendments(document, amendments);
  if (!document?.path || !(document.edited || foreign.length > 0 || differs(document, frozen))) return null;
  const { path } = document;
  tellOnce(ctx, { path, hash: document.hash ?? '', words: text('frozen.edited', { path }, locale) });
  const before = [frozen, ...(amendments ?? []), ...foreign].join('\n');
  const lines = frozen === null ? [] : difference(before, document.toMarkdown());
  return [
    text('goal.verifyEdited', { path }, locale),
    ...(lines.length > 0 ? [text('goal.verifyEditedLines', { lines: lines.join('\n') }, locale)] : []),
    ...(foreign.length > 0 ? [text('goal.verifyForeign', { words: foreign.join('\n\n') }, locale)] : []),
  ].join('\n\n');
}

/** As `frozenEdit`, for a document whose file is gone, or holds none any more: it counts as it was frozen. */
export function frozenGone(ctx: Ctx, document: FrozenDocument, locale: Locale): string | null {
  const { path } = document;
  if (!path) return null;
  const words = text('judging.frozenGone', { path }, locale);
  tellOnce(ctx, { path, hash: 'gone', words });
  return words;
}

function tellOnce(ctx: Ctx, edit: { readonly path: string; readonly hash: string; readonly words: string }): void {
  const { path, hash, words } = edit;
  const change = `${path} ${hash}`;
  ctx._edits_told ??= [];
  if (ctx._edits_told.includes(change)) return;
  ctx._edits_told.push(change);
  ctx._on_event?.(new Event('task', { text: words, payload: { frozen_edited: true, path } }));
}

/**
 * The text is another one than was frozen, whatever stands in the hash line: somebody may have taken it out, or given it a hash that
 * fits. Words that flower itself added to a brief are no such change.
 */
function differs(document: FrozenDocument, frozen: string | null): boolean {
  if (frozen === null) return false;
  if (document instanceof Brief) {
    return withoutAmendments(document.toMarkdown()) !== withoutAmendments(frozen);
  }
  if (!(document instanceof Goal)) return false;
  const then = Goal.parse(frozen);
  return document.statement !== then.statement || document.checks.join('\n') !== then.checks.join('\n');
}

/** What reads in a brief as if a person had added it, though no person has. */
function foreignAmendments(document: FrozenDocument | null, amendments: readonly string[] | null): string[] {
  if (!(document instanceof Brief) || amendments === null) return [];
  return amendmentsOf(document.unknowns)
    .map(amendmentText)
    .filter((amendment) => !amendments.includes(amendment));
}

function withoutAmendments(markdown: string): string {
  return splitAmendments(markdown).body.trim();
}

/** The lines that only one of two texts has: taken out, then put in. */
function difference(before: string, after: string): string[] {
  const [old, present] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => line.trim() && !present.includes(line)).map((line) => `- ${line}`),
    ...present.filter((line) => line.trim() && !old.includes(line)).map((line) => `+ ${line}`),
  ];
}
