// What a workbench with 10 000 files costs a step, in milliseconds of processor time and as a multiple of a bare listing of the same
// folders with the state of every file.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILES = 10_000;

export async function benchWorkbench(base = new URL('../dist/workbench/', import.meta.url)) {
  const { Workbench } = await import(new URL('workbench.js', base).href);
  const workspace = mkdtempSync(join(tmpdir(), 'flower-bench-'));
  try {
    const workbench = new Workbench(workspace).ensure();
    for (let i = 0; i < FILES; i += 1) {
      const folder = join(i % 10 === 0 ? workbench.scripts : workbench.artifacts, `part${i % 100}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `file${i}.txt`), `# desc: output number ${i}\n${'x'.repeat(2000)}`);
    }
    const listing = costOf(() => list(workbench.root));
    const steps = {
      'first refresh': () => workbench.refresh(),
      'refresh, nothing new': () => workbench.refresh(),
      'refresh after one write': () => {
        writeFileSync(join(workbench.notes, 'decision.md'), '# desc: why\n');
        workbench.refresh();
      },
      'block for a prompt': () => workbench.promptBlock(),
      'what is new': () => workbench.newSince(Date.now() / 1000 - 1),
    };
    const rows = Object.entries(steps).map(([step, run]) => {
      const cost = costOf(run);
      return { step, ms: Math.round(cost), 'times the listing': Number((cost / listing).toFixed(1)) };
    });
    return [{ step: `list ${FILES} files`, ms: Math.round(listing), 'times the listing': 1 }, ...rows];
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function list(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) list(join(folder, entry.name));
    else statSync(join(folder, entry.name));
  }
}

/** Processor time: what else the machine does meanwhile does not count. */
function costOf(run) {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base = process.argv[2] && new URL(process.argv[2], `file://${process.cwd()}/`);
  console.table(await benchWorkbench(base || undefined));
}
