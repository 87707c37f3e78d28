import { stripVTControlCharacters } from 'node:util';
import { describeWorktree } from '../guards/worktrees/describeWorktree.js';
import { type Locale, text } from '../locale/locale.js';
import type { RoleUsage } from '../runtime/roleUsage.js';
import type { CostRow, ReportItem, RunReport } from './report.js';

const MAX_CHANGES = 60;

/** The report as the file that a person reads. What others have written is quoted, so that no line of it becomes a heading. */
export function reportMarkdown(report: RunReport, locale: Locale): string {
  const { outcome, said, work, items, unverified, assumed, look, left } = report;
  const sections: [title: string, lines: readonly string[]][] = [
    [text('report.result', {}, locale), resultLines(report, locale)],
    [
      text('report.asked', {}, locale),
      [
        ...quoted(report.asked),
        ...(said.length > 0 ? ['', text('report.said', {}, locale), '', ...quoted(said.join('\n\n'))] : []),
      ],
    ],
    [text('report.work', {}, locale), [...quoted(work), ...changeLines(report, locale)]],
    [text('report.items', {}, locale), itemLines(items, report.itemsAreOld, locale)],
    [text('report.unverified', {}, locale), unverified.map((item) => `- ${oneLine(item)}`)],
    [text('report.assumed', {}, locale), quoted(assumed)],
    [text('report.look', {}, locale), look.map((line) => `- ${line}`)],
    [text('report.cost', {}, locale), costLines(report, locale)],
    [
      text('report.left', {}, locale),
      left.map((report) => {
        const where = { path: report.path, branch: report.branch ?? report.head.slice(0, 12) };
        return `- ${text('worktree.left', where, locale)} (${describeWorktree(report, { locale })})`;
      }),
    ],
  ];
  const nothing = text('report.nothing', {}, locale);
  const body = sections.map(([title, lines]) => `## ${title}\n\n${lines.join('\n').trim() || nothing}`);
  const state = text(`report.verified.${outcome.verified}`, {}, locale);
  return harmless(`# ${text('report.title', {}, locale)}: ${state}\n\n${body.join('\n\n')}\n`);
}

/** Without escape sequences, control characters and marks that turn the direction: a report is looked at with `cat`. */
function harmless(markdown: string): string {
  return stripVTControlCharacters(markdown).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    '',
  );
}

/** US dollars, four digits. */
export function usd(amount: number): string {
  return amount.toFixed(4);
}

function resultLines({ outcome }: RunReport, locale: Locale): string[] {
  const claimed = text(outcome.claimed ? 'report.claimed.yes' : 'report.claimed.no', {}, locale);
  return [
    text('report.ended', { ended: text(`report.ended.${outcome.ended}`, {}, locale) }, locale),
    text('report.claimed', { claimed }, locale),
    text('report.verified', { verified: text(`report.verified.${outcome.verified}`, {}, locale) }, locale),
    ...(outcome.reason ? [text('report.reason', { reason: oneLine(outcome.reason) }, locale)] : []),
  ].map((line) => `- ${line}`);
}

function changeLines({ changes }: RunReport, locale: Locale): string[] {
  if (!changes || changes.length === 0) return [];
  const lines = changes
    .slice(0, MAX_CHANGES)
    .map(({ path, kind }) => `- ${path}: ${text(`judging.file.${kind}`, {}, locale)}`);
  const more = changes.length - MAX_CHANGES;
  if (more > 0) lines.push(text('judging.moreFiles', { n: more }, locale));
  return ['', text('report.changes', {}, locale), '', ...lines];
}

function itemLines(items: readonly ReportItem[], areOld: boolean, locale: Locale): string[] {
  const note = areOld && items.length > 0 ? [text('report.earlierRound', {}, locale), ''] : [];
  return [
    ...note,
    ...items.flatMap(({ number, item, state, evidence }) => {
      const word = text(state === 'unchecked' ? 'report.state.unchecked' : `verdict.item.${state}`, {}, locale);
      const line = text('report.item', { n: number, state: word, item: oneLine(item) }, locale);
      return evidence ? [line, `   - ${text('report.evidence', { evidence: oneLine(evidence) }, locale)}`] : [line];
    }),
  ];
}

function costLines({ cost, totalUsd, estimated }: RunReport, locale: Locale): string[] {
  if (cost.length === 0) return [];
  const role = (name: string | null) => name ?? text('report.main', {}, locale);
  const rows = cost.map((row) =>
    text('report.costRow', { step: row.step, role: role(row.role), cost: usd(row.usd) }, locale),
  );
  const roles = [...byRole(cost)].map(([name, { usd: amount, usage }]) =>
    text('report.roleRow', { role: role(name), cost: usd(amount), tokens: tokens(usage, locale) }, locale),
  );
  return [
    ...rows.map((row) => `- ${row}`),
    `- ${text('report.costTotal', { cost: usd(totalUsd) }, locale)}${estimated ? ` (${text('report.costEstimated', {}, locale)})` : ''}`,
    ...(roles.length > 0 ? ['', text('report.byRole', {}, locale), '', ...roles.map((row) => `- ${row}`)] : []),
  ];
}

type Sum = Pick<RoleUsage, 'input' | 'cacheRead' | 'cacheWrite' | 'output'>;

/** What each role used over all steps, for the roles of which it is known. */
function byRole(cost: readonly CostRow[]): Map<string | null, { usd: number; usage: Sum }> {
  const sums = new Map<string | null, { usd: number; usage: Sum }>();
  for (const { role, usd: amount, usage } of cost) {
    if (!usage) continue;
    const sum = sums.get(role);
    sums.set(role, {
      usd: (sum?.usd ?? 0) + amount,
      usage: {
        input: (sum?.usage.input ?? 0) + usage.input,
        cacheRead: (sum?.usage.cacheRead ?? 0) + usage.cacheRead,
        cacheWrite: (sum?.usage.cacheWrite ?? 0) + usage.cacheWrite,
        output: (sum?.usage.output ?? 0) + usage.output,
      },
    });
  }
  return sums;
}

function tokens({ input, cacheRead, cacheWrite, output }: Sum, locale: Locale): string {
  return text('report.tokens', { input: input + cacheRead + cacheWrite, cached: cacheRead, output }, locale);
}

function quoted(words: string): string[] {
  return words.trim()
    ? words
        .trim()
        .split('\n')
        .map((line) => `> ${line}`.trimEnd())
    : [];
}

function oneLine(words: string): string {
  return words.replace(/\s+/g, ' ').trim();
}
