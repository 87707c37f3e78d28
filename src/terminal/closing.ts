import { exitCodeOf } from '../events/exitCode.js';
import { type Locale, text } from '../locale/locale.js';
import { dollars } from './figures.js';
import { Layout } from './layout.js';
import { stepLabel } from './renderer.js';

/** How a run ended, what it claims, and what was verified: three different facts. */
export interface RunOutcome {
  readonly ended: 'finished' | 'failed' | 'aborted' | 'interrupted' | 'budget_exhausted';
  readonly claimed: boolean;
  readonly verified: 'achieved' | 'not_yet' | 'unreachable' | 'accepted' | 'not_judged';
  readonly reason: string | null;
}

export { exitCodeOf };

export interface Closing {
  readonly outcome: RunOutcome;
  /** Id of the step that failed. */
  readonly step?: string | null;
  /** State of each item of the last verdict. */
  readonly items?: readonly { readonly state: string }[];
  /** Titles of the brief's sections that are still empty; they stand in place of the reason. */
  readonly briefMissing?: readonly string[];
  /** The brief, if no more than clarifying was asked for. */
  readonly clarified?: string | null;
  /** A single agent was run: nobody expects a check, so success needs no line, and a failure needs no step. */
  readonly once?: boolean;
  /** What this process spent, side questions included. US dollars, like all below. */
  readonly spentUsd: number;
  readonly asideUsd?: number;
  /** Sum of all runs in the books, if there are earlier ones. */
  readonly totalUsd?: number | null;
  readonly budgetUsd?: number | null;
  /** Everything spent against that budget. @default spentUsd */
  readonly budgetSpentUsd?: number | undefined;
  readonly estimated?: boolean;
  /** Absolute path, null if no step was run. */
  readonly manifest: string | null;
}

export interface ClosingOptions {
  readonly columns: number | undefined;
  readonly color: boolean;
  readonly locale: Locale;
}

/**
 * The last lines of a run: what came of it and why, then what it cost. Apart, as the first belong to the error output when
 * something went wrong.
 *
 * @example
 * const { outcome, money } = closingLines({ outcome: { ended: 'finished', claimed: true, verified: 'achieved', reason: null },
 *   items: [{ state: 'met' }], spentUsd: 1.5, manifest: '/home/ann/runs/manifest.json' }, { columns: 80, color: true, locale: 'en' });
 */
export function closingLines(closing: Closing, options: ClosingOptions): { outcome: string[]; money: string[] } {
  const layout = new Layout(options, '');
  return {
    outcome: [...outcomeLine(closing, layout), ...reasonLine(closing, layout)],
    money: moneyLines(closing, layout),
  };
}

function outcomeLine(closing: Closing, layout: Layout): string[] {
  const { outcome, items = [], clarified, once } = closing;
  const { paint, locale } = layout;
  const warn = (words: string) => layout.hang('! ', words, paint.yellow);
  const done = (words: string) => layout.hang('+ ', words, paint.green);
  const failed = items.filter(({ state }) => state === 'failed').length;
  const unmet = items.filter(({ state }) => state !== 'met').length;
  const code = exitCodeOf(outcome);
  const figures = {
    spent: dollars(closing.budgetSpentUsd ?? closing.spentUsd, 2),
    ceiling: dollars(closing.budgetUsd, 2),
  };
  if (once && (code === 5 || code === 6)) {
    const reason = code === 5 ? text('budget.usedUp', figures, locale) : outcome.reason || '?';
    return layout.hang('x ', text('err.once_failed', { reason }, locale), paint.red);
  }
  switch (code) {
    case 130:
      return warn(text('outcome.interrupted', {}, locale));
    case 5:
      return [...warn(text('budget.usedUp', figures, locale)), ...layout.hang('  ', text('budget.how', {}, locale))];
    case 4:
      return warn(text('outcome.needs_person', {}, locale));
    case 3:
      return warn(
        unmet === 0 ? text('outcome.unread', {}, locale) : text('outcome.not_yet', { k: failed || unmet }, locale),
      );
    case 6:
      return layout.hang(
        'x ',
        text('err.aborted', { step: stepLabel(closing.step ?? '?', locale) }, locale),
        paint.red,
      );
    case 0:
      if (outcome.verified === 'achieved') return done(text('outcome.achieved', { n: items.length }, locale));
      if (outcome.verified === 'accepted') return done(text('outcome.accepted', { k: unmet }, locale));
      if (clarified) return layout.hang('+ ', text('outcome.clarified', { path: clarified }, locale));
      return once ? [] : layout.hang('+ ', text('outcome.claimed', {}, locale));
  }
}

function reasonLine({ outcome, once, briefMissing = [] }: Closing, layout: Layout): string[] {
  const code = exitCodeOf(outcome);
  if (code === 0 || code === 130 || once) return [];
  if (briefMissing.length > 0) {
    return layout.hang('  ', text('err.brief_missing', { sections: briefMissing.join(' · ') }, layout.locale));
  }
  return outcome.reason ? layout.hang('  ', text('err.reason', { reason: outcome.reason }, layout.locale)) : [];
}

function moneyLines(closing: Closing, layout: Layout): string[] {
  const { locale, paint } = layout;
  const { manifest, spentUsd, asideUsd, totalUsd, estimated } = closing;
  if (manifest === null) return layout.hang('', text('close.nothing', {}, locale), paint.dim);
  const parts = [
    text('close.line', { cost: dollars(spentUsd, 4), path: manifest }, locale),
    asideUsd ? text('close.aside', { cost: dollars(asideUsd, 4) }, locale) : '',
    totalUsd ? text('close.total', { cost: dollars(totalUsd, 4) }, locale) : '',
    estimated ? text('close.estimated', {}, locale) : '',
  ];
  return parts.flatMap((part) => layout.hang('', part, paint.dim));
}
