import type { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import { tokens } from './figures.js';
import type { Layout } from './layout.js';
import { columnsOf } from './width.js';

/** A session hands over to the next one: what was passed on, and where all of it can be read. */
export function drawHandoff(event: Event, screen: Layout): string[] {
  const { paint, locale } = screen;
  const { phase, context, window, degraded, path, sections } = event.payload;
  const edge = screen.behind('');
  if (phase !== 'done') return edge.hang('# ', event.text, paint.yellow);

  const size = tokens(Number(context) || 0);
  const head = text('ho.head', { ctx: size, window: `${Math.round((Number(window) || 0) / 1000)}K` }, locale);
  return [
    '',
    ...edge.hang('# ', head, (words) => paint.bold(paint.yellow(words))),
    ...(degraded ? screen.hang('! ', text('ho.degraded', {}, locale), paint.red) : []),
    ...sectionLines((sections ?? {}) as Record<string, unknown>, screen),
    ...(path ? edge.hang('<- ', text('ho.path', { path: String(path) }, locale), paint.dim) : []),
    ...edge.hang('<- ', text('ho.fresh', { ctx: size }, locale), paint.dim),
    '',
  ];
}

function sectionLines(sections: Record<string, unknown>, screen: Layout): string[] {
  const labels = (['doing', 'decided', 'deadends', 'next'] as const).map(
    (name) => [name, text(`ho.${name}`, {}, screen.locale)] as const,
  );
  const widest = Math.max(...labels.map(([, label]) => columnsOf(label)));
  return labels.flatMap(([name, label]) => {
    const body = String(sections[name] ?? '').replace(/\s+/g, ' ');
    return screen.hang(`- ${label}${' '.repeat(widest - columnsOf(label))}  `, body);
  });
}
