// How long replies of 1 to 5 MB take to be read, in the shapes that a careless reader is slow on. Growth is the time of 4 MB over
// that of 2 MB: 2 is linear.
import { fileURLToPath } from 'node:url';

const MB = 1024 * 1024;
const SIZES = [1, 2, 4, 5];
const RUNS = 3;

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

export async function benchDocuments(base = new URL('../dist/documents/', import.meta.url)) {
  const from = (file) => import(new URL(file, base).href);
  const { Brief } = await from('brief.js');
  const { Goal } = await from('goal.js');
  const { Handoff } = await from('handoff.js');
  const { Verdict } = await from('verdict.js');
  const rows = [];
  for (const [shape, make] of Object.entries(shapes)) {
    const types = shape === 'prose' ? { Brief, Goal, Handoff, Verdict } : { Brief, Verdict };
    const texts = SIZES.map(make);
    for (const [type, { parse }] of Object.entries(types)) {
      const times = texts.map((text) => fastest(() => parse(text)));
      const row = { shape, type };
      for (const [i, size] of SIZES.entries()) row[`${size} MB, ms`] = Math.round(times[i]);
      row.growth = Number((times[2] / times[1]).toFixed(1));
      rows.push(row);
    }
  }
  return rows;
}

/** Processor time: what else the machine does meanwhile does not count. */
function fastest(run) {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base = process.argv[2] && new URL(process.argv[2], `file://${process.cwd()}/`);
  console.table(await benchDocuments(base || undefined));
}
