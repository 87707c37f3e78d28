import { cpuMs, median, round } from './frame/figures.mjs';

const ROUNDS = 5;
const filled = (piece) => `ls ${piece.repeat(Math.floor(8000 / piece.length))}`;
const lines = {
  'a typical line': 'git status -s && echo "--- LOG ---" && git log --oneline -10 2>/dev/null | head -5',
  'a piped search': `grep -rnE "red|green;blue" --include='*.ts' src | awk -F: '{print $1}' | sort | uniq -c | sort -rn | head -20`,
  'a refused line': 'npm test && git commit -m x',
  '8 KiB of file names': filled('src/a.ts '),
  '8 KiB of single letters': filled('a '),
  '8 KiB of quoted words': filled("'a b' "),
  '8 KiB of small commands': 'ls src/a.ts\n'.repeat(680),
  '8 KiB of pipes': `ls ${'x'.repeat(20)}${` | cat ${'x'.repeat(20)}`.repeat(280)}`,
  '8 KiB of one long quote': `grep -n '${'(red|green) '.repeat(60)}${'x'.repeat(7300)}' notes.txt`,
  '8 KiB of operators': filled('||'),
};

export const shell = {
  name: 'shell',
  title: 'What the command check costs',
  question:
    'How much processor time does it take to say of a command line that it only looks, and how often the parse alone is that?',
  run: benchShell,
};

async function benchShell({ base }) {
  const { bash } = await import(new URL('shell/grammar.js', base));
  const { isEphemeral } = await import(new URL('shell/isEphemeral.js', base));
  const rows = [];
  for (const [line, text] of Object.entries(lines)) {
    const runs = text.length > 1000 ? 20 : 500;
    const check = await costOf(() => isEphemeral(text), runs);
    // The last one is refused before it is parsed, which would take seconds.
    const parse = line === '8 KiB of operators' ? null : await costOf(() => bash.parse(text)?.delete(), runs);
    rows.push({
      line,
      'check, ms': round(check, 3),
      'times the parse': parse === null ? '' : round(check / parse, 1),
    });
  }
  const [typical] = rows;
  const slowest = Math.max(...rows.map((row) => row['check, ms']));
  return {
    tables: [{ title: '', rows }],
    ratios: [
      { name: 'a typical line, times its parse', value: typical['times the parse'] },
      { name: 'a typical line, share of 1 ms', value: typical['check, ms'], atMost: 1, noisy: true },
      { name: 'the slowest of 8 KiB, share of 20 ms', value: round(slowest / 20), atMost: 1, noisy: true },
    ],
  };
}

async function costOf(run, runs) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(
      await cpuMs(() => {
        for (let n = 0; n < runs; n += 1) run();
      }),
    );
  }
  return median(times) / runs;
}
