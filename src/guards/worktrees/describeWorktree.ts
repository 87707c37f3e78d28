import { type Locale, text } from '../../locale/locale.js';
import type { WorktreeReport } from './inspectWorktree.js';
import { shortList } from './shortList.js';

/**
 * Says in a few words what a worktree holds, for a report: `2 commits not merged`.
 *
 * @example
 * `${report.path} (${report.branch ?? report.head}): ${describeWorktree(report, { locale: 'en' })}`
 */
export function describeWorktree(report: WorktreeReport, options: { readonly locale?: Locale } = {}): string {
  const { state, findings, lock } = report;
  const { locale } = options;
  if (state === 'unmerged') return text('worktree.unmerged', { n: findings.commits }, locale);
  if (state === 'unsaved') {
    return text(
      'worktree.unsaved',
      { names: shortList([...findings.files, ...findings.submodules, ...findings.ignored]) },
      locale,
    );
  }
  if (state !== 'busy') return text(`worktree.${state}`, {}, locale);
  const reasons = [
    ...(lock === null ? [] : [text('worktree.locked', { reason: lock }, locale)]),
    ...findings.operations,
    ...findings.processes.map((pid) => text('worktree.process', { pid }, locale)),
  ];
  return text('worktree.busy', { names: shortList(reasons) }, locale);
}
