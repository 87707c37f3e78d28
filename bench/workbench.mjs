import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuMs, exponent, growth, median, round } from './frame/figures.mjs';
import { inFolder } from './frame/place.mjs';

const SIZES = [10, 100, 1000, 10_000];
const ROUNDS = 9;
const TIMES = [
  'first refresh, ms',
  'refresh with nothing new, ms',
  'refresh after a write, ms',
  'block for a prompt, ms',
  'what is new, ms',
];

export const workbench = {
  name: 'workbench',
  title: 'What the index of the workbench costs',
  question:
    'How much processor time do the steps around the index take, against a bare listing of the same folders with the state of every file?',
  run: benchWorkbench,
};

async function benchWorkbench({ base }) {
  const { Workbench } = await import(new URL('workbench/workbench.js', base));
  const rows = [];
  for (const files of SIZES) rows.push(await inFolder((folder) => measure(new Workbench(folder).ensure(), files)));
  const power = (column) =>
    exponent(
      SIZES.slice(1),
      rows.slice(1).map((row) => row[column]),
    );
  const powers = Object.fromEntries(TIMES.map((column) => [column, power(column)]));
  const largest = rows.at(-1);
  return {
    tables: [
      {
        title: 'By number of files',
        rows,
        notes: [
          `Powers of growth from 100 files on: ${TIMES.map((column) => `${column.replace(', ms', '')} ${powers[column]}`).join(', ')}.`,
        ],
      },
    ],
    ratios: [
      {
        name: 'refresh of 10,000 files with nothing new, against a listing',
        value: largest['of it, times the listing'],
      },
      ...TIMES.map((column) => growth(column.replace(', ms', ''), powers[column])),
    ],
  };
}

async function measure(workbench, files) {
  for (let n = 0; n < files; n += 1) {
    const folder = join(n % 10 === 0 ? workbench.scripts : workbench.artifacts, `part${n % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${n}.txt`), `# desc: output number ${n}\n${'x'.repeat(2000)}`);
  }
  const often = async (run) => {
    const times = [];
    for (let n = 0; n < ROUNDS; n += 1) times.push(await cpuMs(run));
    return median(times);
  };
  const listing = await often(() => list(workbench.root));
  // As at the start of a process: nothing is known of any file.
  const first = await often(() => {
    rmSync(workbench.indexPath, { force: true });
    new workbench.constructor(workbench.workspace).refresh();
  });
  workbench.refresh();
  const later = await often(() => workbench.refresh());
  const afterWrite = await often(() => {
    writeFileSync(join(workbench.notes, 'decision.md'), '# desc: why\n');
    workbench.refresh();
  });
  return {
    files,
    'listing, ms': round(listing, 1),
    'first refresh, ms': round(first, 1),
    'refresh with nothing new, ms': round(later, 1),
    'of it, times the listing': round(later / listing),
    'refresh after a write, ms': round(afterWrite, 1),
    'block for a prompt, ms': round(await often(() => workbench.promptBlock()), 1),
    'what is new, ms': round(await often(() => workbench.newSince(Date.now() / 1000 - 1)), 1),
  };
}

function list(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) list(join(folder, entry.name));
    else statSync(join(folder, entry.name));
  }
}
