import { text } from '../locale/locale.js';
import { dollars } from './figures.js';
import { Layout, type LayoutOptions } from './layout.js';

/** What became of a side question. */
export type AsideAnswer =
  | { readonly text: string; readonly costUsd: number }
  | { readonly failed: { readonly kind: string; readonly message: string } };

/**
 * The lines that show the answer to a side question.
 *
 * @example
 * ui.lines(asideLines({ text: 'Half of the tests pass.', costUsd: 0.02 }, { columns: 80, color: true, locale: 'en' }));
 */
export function asideLines(answer: AsideAnswer, options: LayoutOptions): string[] {
  const layout = new Layout(options);
  const edge = layout.behind('');
  const { paint, locale } = layout;
  if ('failed' in answer) return edge.hang('# ', text('aside.failed', answer.failed, locale), paint.red);
  const words = layout.hang('', answer.text);
  return [
    '',
    ...edge.hang('# ', text('aside.head', {}, locale), paint.magenta),
    ...(words.length > 0 ? words : layout.hang('', text('aside.none', {}, locale))),
    ...layout.hang('', text('aside.cost', { cost: dollars(answer.costUsd, 4) }, locale), paint.dim),
  ];
}
