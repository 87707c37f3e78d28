import { text } from '../locale/locale.js';
import { Layout, type LayoutOptions } from './layout.js';
import type { Style } from './paint.js';

/** What a run's report holds of what a screen shows. */
export interface ShownReport {
  readonly items: readonly { readonly number: number; readonly item: string; readonly state: ItemState }[];
  /** Items that nobody could verify. */
  readonly unverified: readonly string[];
  /** What was assumed, as a text. */
  readonly assumed: string;
  /** Worktrees that hold what is nowhere else. */
  readonly left: readonly unknown[];
}

type ItemState = 'met' | 'failed' | 'unverifiable' | 'unchecked';

/**
 * The report of a run in a few lines: each item with its state, then how much could not be verified, was assumed, or was left
 * behind, and where all of it stands.
 *
 * @param path the report on disk; null if it was not written
 * @example
 * ui.lines(reportLines(ctx._report, { path: ctx._report_path ?? null, columns: 80, color: true, locale: 'en' }));
 */
export function reportLines(report: ShownReport, options: LayoutOptions & { readonly path: string | null }): string[] {
  const layout = new Layout(options);
  const { paint, locale } = layout;
  const marks: Record<ItemState, [mark: string, style: Style]> = {
    met: ['+ ', paint.green],
    failed: ['x ', paint.red],
    unverifiable: ['! ', paint.yellow],
    unchecked: ['- ', paint.dim],
  };
  const stateOf = (state: ItemState) =>
    state === 'unchecked' ? text('page.item.open', {}, locale) : text(`verdict.item.${state}`, {}, locale);
  const counts = [
    ['report.unverified', report.unverified.length],
    ['report.assumed', report.assumed.split('\n').filter((line) => line.trim() !== '').length],
    ['report.left', report.left.length],
  ] as const;
  return [
    ...report.items.flatMap(({ number, item, state }) => {
      const [mark, style] = marks[state];
      return layout.line(mark, [[`${number}.`], [`${stateOf(state)}:`, style], [item]], style);
    }),
    ...counts.flatMap(([key, n]) => (n > 0 ? layout.hang('- ', `${text(key, {}, locale)}: ${n}`) : [])),
    ...(options.path === null ? [] : layout.hang('- ', text('report.done', { path: options.path }, locale), paint.dim)),
  ];
}
