import { cpuMs, exponent, growth, round } from './frame/figures.mjs';

const MB = 1024 * 1024;
const SIZES = [1, 2, 4];
const RUNS = 4;
/** Milliseconds for the largest size from which a single shape is judged: below, noise decides. */
const JUDGED_FROM = 100;

const repeated = (piece) => (size) => piece.repeat(Math.ceil((size * MB) / piece.length));
const under = (heading, body) => (size) => `${heading}\n${body(size)}`;

const shapes = {
  prose: under('## Goal', repeated('The importer reads one row after the other and says what it skips.\n')),
  'lines of one letter': under('## Goal', repeated('a\n')),
  headings: repeated('## Goal\nShip it.\n**Boundaries**: none\n'),
  'list with blocks': under('# Checklist', repeated('- [ ] prints 3:\n  ```sh\n  node a.js\n  ```\n')),
  'open block': under('## Goal\n```', repeated('# Boundaries\n')),
  'items of a verdict': under('# Item by item', repeated('1. met: ran it\n')),
  'one line of text': under('## Goal', repeated('achieved half ')),
  'one line of blanks': under('## Goal', repeated(' ')),
  'one line of hashes': under('## Goal', repeated('#')),
  'one line of backslashes': under('## Goal', repeated('\\')),
  'one line of backticks': under('## Goal', repeated('`')),
  'a heading and blanks': (size) => `## Goal${repeated(' ')(size)}x`,
  'a conclusion without end': (size) => `Conclusion: ${repeated('achieved ')(size)}`,
  'punctuation only': (size) => `Conclusion: ${repeated('. ')(size)}x`,
  'blank lines': under('## Goal', repeated('\n')),
};

export const documents = {
  name: 'documents',
  title: 'How long replies of megabytes take to be read',
  question:
    'In the shapes that a careless reader is slow on: does the time of reading a brief, goal, verdict or handoff grow with its length alone?',
  run: benchDocuments,
};

async function benchDocuments({ base }) {
  const from = (file) => import(new URL(`documents/${file}`, base));
  const { Brief } = await from('brief.js');
  const { Goal } = await from('goal.js');
  const { Handoff } = await from('handoff.js');
  const { Verdict } = await from('verdict.js');
  const rows = [];
  for (const [shape, make] of Object.entries(shapes)) {
    const types = shape === 'prose' ? { Brief, Goal, Handoff, Verdict } : { Brief, Verdict };
    const texts = SIZES.map(make);
    for (const [type, { parse }] of Object.entries(types)) {
      const times = [];
      for (const text of texts) times.push(await fastest(() => parse(text)));
      rows.push({
        shape,
        read: type,
        ...Object.fromEntries(SIZES.map((size, n) => [`${size} MB, ms`, round(times[n], 1)])),
        power: exponent(SIZES, times),
      });
    }
  }
  const judged = rows.filter((row) => row[`${SIZES.at(-1)} MB, ms`] >= JUDGED_FROM);
  const steepest = judged.reduce((worst, row) => (row.power > worst.power ? row : worst));
  // Together: of many that are quick, one that were quadratic would outweigh all others.
  const sums = SIZES.map((size) => rows.reduce((sum, row) => sum + row[`${size} MB, ms`], 0));
  const notes = [
    `Below ${JUDGED_FROM} ms noise decides. Above, ${steepest.shape} (${steepest.read}) grows most steeply, by the power of ${steepest.power}.`,
  ];
  return { tables: [{ title: '', rows, notes }], ratios: [growth('all shapes together', exponent(SIZES, sums))] };
}

async function fastest(run) {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < RUNS; n += 1) best = Math.min(best, await cpuMs(run));
  return best;
}
