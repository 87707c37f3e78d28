import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Books } from '../books/books.js';
import type { ManifestRow } from '../books/types.js';
import { text } from '../locale/locale.js';
import { Workbench } from '../workbench/workbench.js';
import { placesOf } from '../workflow/places.js';
import { type BenchFiles, computeFigures } from './analyze/figures.js';
import { analyzeLines } from './analyze/lines.js';
import { readThreads } from './analyze/threads.js';
import { Exit } from './exit.js';
import { mustBeFolder, placesToSee } from './places.js';
import type { AnalyzeFlags } from './program.js';
import { layoutOf, withScreen } from './screen.js';
import { existingRunDir } from './status.js';
import { lookInto } from './storedSessions.js';

/** `flower analyze`: recomputes the figures of a run directory from what it stored. Reads only. Gives the exit code. */
export async function analyze(argument: string | undefined, flags: AnalyzeFlags): Promise<number> {
  const places = placesToSee(flags);
  const runDir = argument === undefined ? places.runDir : existingRunDir(argument, 'analyze');
  mustBeFolder(runDir);
  const path = join(runDir, 'sessions.db');
  if (!existsSync(path)) throw new Exit(1, text('analyze.missing', { path }));
  const figures = lookInto(runDir, (database) =>
    computeFigures({
      runDir,
      rows: rowsOf(runDir),
      asideRows: rowsOf(join(runDir, 'aside')),
      threads: readThreads(database),
      bench: benchFiles(runDir, argument === undefined ? places.workspace : null),
    }),
  );
  return withScreen({ ...flags, json: false }, async (screen) => {
    if (flags.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
    else if (figures) screen.ui.lines(analyzeLines(figures, layoutOf(screen)));
    return 0;
  });
}

function rowsOf(runDir: string): ManifestRow[] {
  const books = existsSync(runDir) ? Books.peek(runDir) : null;
  try {
    return books?.rows() ?? [];
  } finally {
    books?.close();
  }
}

/** The workbench lies in the workspace, which the run's first event names; with `-W` in the run directory itself. */
function benchFiles(runDir: string, workspace: string | null): BenchFiles {
  const inside = join(runDir, 'workbench');
  const root = workspace ?? workspaceIn(runDir) ?? join(runDir, '..');
  const home = [placesOf(root).home, placesOf(root, { isolate: true }).home, inside].find((path) => existsSync(path));
  if (home === undefined) return { spill: 0, spillBytes: 0, scripts: [], artifacts: 0, notes: 0 };
  const bench = new Workbench(root, { home });
  const spilled = existsSync(bench.spill) ? readdirSync(bench.spill).map((name) => join(bench.spill, name)) : [];
  return {
    spill: spilled.length,
    spillBytes: spilled.reduce((sum, path) => sum + statSync(path).size, 0),
    scripts: bench.scan(bench.scripts).map(([shown]) => shown.replace(/^.*?scripts\//, '')),
    artifacts: bench.scan(bench.artifacts).length,
    notes: bench.scan(bench.notes).length,
  };
}

function workspaceIn(runDir: string): string | null {
  const books = Books.peek(runDir);
  try {
    const run = books?.lastRun()?.run;
    const [first] = books && run ? books.events(run, { limit: 1 }).events : [];
    return typeof first?.payload.workspace === 'string' ? first.payload.workspace : null;
  } finally {
    books?.close();
  }
}
