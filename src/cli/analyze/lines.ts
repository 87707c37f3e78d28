import { activeLocale, text } from '../../locale/locale.js';
import { dollars, elapsed, tokens } from '../../terminal/figures.js';
import { Layout, type LayoutOptions } from '../../terminal/layout.js';
import { stepLabel } from '../../terminal/renderer.js';
import { columnsOf } from '../../terminal/width.js';
import type { Bill, BillRow, Curve, Economy, Figures, ToolFigures } from './figures.js';

/** Columns of the longest bar. */
const BAR = 40;

/** All figures as a person reads them, section by section. */
export function analyzeLines(figures: Figures, options: LayoutOptions): string[] {
  const layout = new Layout(options, '');
  const { paint } = layout;
  const head = (words: string) => ['', ...layout.hang('== ', words, (line) => paint.bold(paint.cyan(line)))];
  const say = (words: string) => layout.hang('  ', words);
  const { bill, economy, curve, cache, tools, workbench } = figures;
  return [
    ...head(text('analyze.bill')),
    ...billLines(bill, layout),
    ...head(text('analyze.economy')),
    ...economyLines(economy, layout),
    ...head(text('analyze.curve')),
    ...curveLines(curve, layout),
    ...head(text('analyze.cache')),
    ...say(
      text('analyze.input', {
        input: tokens(cache.input),
        hits: tokens(cache.hits),
        share: percent(cache.hit_share),
        writes: tokens(cache.writes),
        uncached: tokens(cache.uncached),
      }),
    ),
    ...say(text('analyze.outputSum', { output: tokens(cache.output), thinking: tokens(cache.thinking) })),
    ...head(text('analyze.tools')),
    ...toolLines(text('analyze.main'), tools.main, layout),
    ...toolLines(text('analyze.subs'), tools.subs, layout),
    ...head(text('analyze.bench')),
    ...say(text('analyze.benchSum', { ...workbench, size: bytes(workbench.spill_bytes) })),
    ...say(
      text('analyze.reuse', {
        writes: workbench.script_writes,
        runs: workbench.script_runs,
        often: workbench.scripts_run_more_than_once,
        never: workbench.scripts_never_run,
        perWrite: workbench.runs_per_write?.toFixed(2) ?? '-',
      }),
    ),
  ];
}

function billLines({ runs, aside, cost_usd, hours }: Bill, layout: Layout): string[] {
  const widest = Math.max(0, ...runs.flatMap(({ steps }) => steps.map(({ step }) => columnsOf(labelOf(step)))));
  const money = (name: string, cost: number, rest: string[]) =>
    layout.hang(
      '  ',
      [`${name}${' '.repeat(Math.max(0, widest - columnsOf(name)))}  $${dollars(cost, 4)}`, ...rest].join(' · '),
    );
  return [
    ...runs.flatMap((run) => [
      ...layout.hang('- ', text('analyze.run', { run: run.run })),
      ...run.steps.flatMap((row) => money(labelOf(row.step), row.cost_usd, rowParts(row))),
      ...money(text('analyze.total'), run.cost_usd, [elapsed(run.hours * 3600)]),
    ]),
    ...(aside.questions > 0
      ? layout.hang('- ', `${text('analyze.aside', { n: aside.questions })}  $${dollars(aside.cost_usd, 4)}`)
      : []),
    ...layout.hang('= ', `${text('analyze.total')}  $${dollars(cost_usd, 4)} · ${elapsed(hours * 3600)}`),
  ];
}

function rowParts(row: BillRow): string[] {
  return [
    text('analyze.turns', { n: row.num_turns }),
    ...(row.attempts > 1 ? [text('analyze.attempts', { n: row.attempts })] : []),
    ...(row.resumed ? [text('analyze.resumed')] : []),
    ...(row.handoffs > 0 ? [text('analyze.handoffs', { n: row.handoffs })] : []),
    elapsed(row.hours * 3600),
    ...(row.estimated ? [text('analyze.estimated')] : []),
    ...(row.ok ? [] : [text('analyze.failed')]),
  ];
}

function economyLines(economy: Economy, layout: Layout): string[] {
  const rows = [
    ['', text('analyze.main'), text('analyze.subs'), text('analyze.share')],
    ...(['entries', 'turns', 'characters', 'output'] as const).map((figure) => {
      const { main, subs, share } = economy[figure];
      const name = figure === 'turns' ? 'modelTurns' : figure;
      return [text(`analyze.${name}`), tokens(main), tokens(subs), percent(share)];
    }),
  ];
  const table = tableLines(rows).map((row) => `  ${row}`);
  if (!economy.sub_output) return table;
  const { largest, median, smallest } = economy.sub_output;
  const figures = { largest: tokens(largest), median: tokens(median), smallest: tokens(smallest) };
  return [...table, ...layout.hang('  ', text('analyze.subOutput', { n: economy.subs, ...figures }))];
}

function curveLines(curve: Curve, layout: Layout): string[] {
  const { points, borders, largest, drops } = curve;
  let shown = '';
  const rows = points.map(({ turn, context, step }) => {
    const border = step === shown ? '' : labelOf(step);
    shown = step;
    const bar = '#'.repeat(largest === 0 ? 0 : Math.round((context / largest) * BAR));
    return [String(turn), tokens(context), bar, border];
  });
  const { first, smallest, last, slope } = curve;
  const figures = { first: tokens(first), smallest: tokens(smallest), largest: tokens(largest), last: tokens(last) };
  const signed = `${slope < 0 ? '-' : '+'}${tokens(Math.abs(slope))}`;
  return [
    ...tableLines(rows).map((row) => `  ${row}`),
    ...layout.hang('  ', text('analyze.curveSum', { ...figures, slope: signed })),
    ...drops
      .filter(({ turn }) => !borders.some((border) => border.turn === turn))
      .flatMap(({ turn, from, to }) =>
        layout.hang('  ', text('analyze.drop', { turn, from: tokens(from), to: tokens(to) })),
      ),
  ];
}

function toolLines(who: string, figures: ToolFigures, layout: Layout): string[] {
  const { calls, denied, denial_rate, most_used, shell_words } = figures;
  const names = most_used.map(({ tool, calls: n }) => `${tool} ${n}`).join(' · ');
  const words = shell_words.map(({ word, calls: n }) => `${word} ${n}`).join(' · ');
  return [
    ...layout.hang('- ', text('analyze.calls', { n: calls, who, denied, rate: percent(denial_rate) })),
    ...layout.hang('  ', names),
    ...(words ? layout.hang('  ', text('analyze.shell', { words })) : []),
  ];
}

/** Columns one below the other, figures to the right, the last column as it is. */
function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => columnsOf(row[column] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const pad = ' '.repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(cell)));
        return column === 0 || cell.startsWith('#')
          ? cell + pad
          : column === 3 && rows[0]?.[0] !== ''
            ? cell
            : pad + cell;
      })
      .join('  ')
      .trimEnd(),
  );
}

function labelOf(step: string): string {
  return stepLabel(step, activeLocale());
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(share * 100).toFixed(1)} %`;
}

function bytes(count: number): string {
  return count < 1024
    ? `${count} B`
    : count < 1024 ** 2
      ? `${(count / 1024).toFixed(1)} KB`
      : `${(count / 1024 ** 2).toFixed(1)} MB`;
}
