// What the command check costs, in milliseconds of processor time and as a multiple of the parse alone. Promised: under 1 ms for a
// typical line, under 20 ms for 8 KiB.
import { fileURLToPath } from 'node:url';

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

export async function benchShell(base = new URL('../dist/shell/', import.meta.url)) {
  const loaded = await costOf(() => import(new URL('grammar.js', base).href));
  const { bash } = await import(new URL('grammar.js', base).href);
  const { isEphemeral } = await import(new URL('isEphemeral.js', base).href);
  const rows = [{ line: 'loading the grammar', 'check, ms': Number(loaded.toFixed(1)) }];
  for (const [line, text] of Object.entries(lines)) {
    const runs = text.length > 1000 ? 20 : 500;
    const check = await costOf(() => isEphemeral(text), runs);
    const row = { line, 'check, ms': Number(check.toFixed(3)) };
    // The last one is refused before it is parsed, which would take seconds.
    if (line !== '8 KiB of operators') {
      const parse = await costOf(() => bash.parse(text)?.delete(), runs);
      row['times the parse'] = Number((check / parse).toFixed(1));
    }
    rows.push(row);
  }
  return rows;
}

/** Processor time of one run: what else the machine does meanwhile does not count. */
async function costOf(run, runs = 1) {
  if (runs > 1) for (let i = 0; i < 5; i += 1) run();
  const before = process.cpuUsage();
  for (let i = 0; i < runs; i += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / runs;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base = process.argv[2] && new URL(process.argv[2], `file://${process.cwd()}/`);
  console.table(await benchShell(base || undefined));
}
