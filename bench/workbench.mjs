/**
 * What a workbench with 10 000 files costs a step: the first refresh, the next one with nothing new, the block for a prompt, and
 * a write into it. The baseline is a bare listing of the same folder with the state of each file.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Workbench } from '../dist/workbench/workbench.js';

const FILES = 10_000;
const workspace = mkdtempSync(join(tmpdir(), 'flower-bench-'));
try {
  const workbench = new Workbench(workspace).ensure();
  for (let i = 0; i < FILES; i++) {
    const folder = join(i % 10 === 0 ? workbench.scripts : workbench.artifacts, `part${i % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${i}.txt`), `# desc: output number ${i}\n${'x'.repeat(2000)}`);
  }
  const list = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) list(join(folder, entry.name));
      else statSync(join(folder, entry.name));
    }
  };
  const baseline = time(() => list(workbench.root));
  const rows = {
    'first refresh': () => workbench.refresh(),
    'refresh, nothing new': () => workbench.refresh(),
    'refresh after one write': () => {
      writeFileSync(join(workbench.notes, 'decision.md'), '# desc: why\n');
      workbench.refresh();
    },
    'block for a prompt': () => workbench.promptBlock(),
    'what is new': () => workbench.newSince(Date.now() / 1000 - 1),
  };
  console.log(`list ${FILES} files: ${baseline.toFixed(0)} ms`);
  for (const [name, run] of Object.entries(rows)) {
    const took = time(run);
    console.log(`${name}: ${took.toFixed(0)} ms, ${(took / baseline).toFixed(1)} × the listing`);
  }
  console.log(`length of the prompt block: ${workbench.promptBlock().length} characters`);
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

function time(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}
