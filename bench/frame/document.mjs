import { writeFileSync } from 'node:fs';
import { isMet, metInWords, savedResult, targetOf } from './results.mjs';

const file = new URL('../../docs/benchmarks.md', import.meta.url);

/** Writes docs/benchmarks.md anew from the committed figures. */
export function writeDocument(benches) {
  const results = benches.flatMap(({ name }) => savedResult(name) ?? []);
  const targets = results.flatMap(({ bench, ratios }) =>
    ratios
      .filter((ratio) => targetOf(ratio) !== '')
      .map((ratio) => ({
        bench: `[${bench}](#${bench})`,
        figure: ratio.name,
        measured: ratio.value,
        target: targetOf(ratio),
        met: metInWords(ratio),
      })),
  );
  const parts = [
    '# Benchmarks',
    'Made by `npm run bench` from `bench/results/*.json`; change nothing here by hand. `npm run bench -- NAME` makes one anew, `npm run bench:check` compares the ratios with those of the last release. Everything runs on one machine against a scripted service, so no figure holds the time that a model thinks. A figure like `12 (11 to 14)` is a median with the smallest and the largest.',
    '## Targets',
    table(targets),
    ...results.map(section),
  ];
  writeFileSync(file, `${parts.join('\n\n')}\n`);
}

function section({ bench, title, question, date, versions, seconds, tables, ratios }) {
  const { flower, sdk, program, node, machine, load } = versions;
  const reasons = ratios.filter((ratio) => ratio.why && !isMet(ratio)).map(({ name, why }) => `- **${name}**: ${why}`);
  return [
    `## ${bench}`,
    `**${title}.** ${question}`,
    ...tables.flatMap(({ title: caption, rows, notes = [] }) => [
      ...(caption ? [`### ${caption}`] : []),
      table(rows),
      ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
    ]),
    ...(reasons.length > 0 ? [`### Why a target is missed`, reasons.join('\n')] : []),
    `*${date}, flower ${flower}, SDK ${sdk}, Claude Code ${program}, Node ${node}, ${machine}${load === undefined ? '' : `, load ${load}`}; took ${seconds} s.*`,
  ].join('\n\n');
}

function table(rows) {
  if (rows.length === 0) return '';
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(columns),
    line(columns.map((column) => (rows.every((row) => typeof (row[column] ?? 0) === 'number') ? '--:' : '---'))),
    ...rows.map((row) => line(columns.map((column) => String(row[column] ?? '').replaceAll('|', '\\|')))),
  ].join('\n');
}
