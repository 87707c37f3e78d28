import { existsSync } from 'node:fs';
import { acquireRunLock, type RunLock } from '../database/runLock.js';
import { FlowerError } from '../errors.js';
import { text } from '../locale/locale.js';
import { Layout } from '../terminal/layout.js';
import { bad, type Finding, type FindingState } from './doctor/finding.js';
import { checkHarness, checkNode, checkWorkspace } from './doctor/machine.js';
import { checkDatabase, checkLock, checkRuns, checkTranscripts, checkViews } from './doctor/records.js';
import { checkLeftovers, checkProcesses, checkUnsaved } from './doctor/remains.js';
import { checkGit, checkIgnore, checkWorktrees } from './doctor/repository.js';
import { checkCredentials, checkEndpoint, checkEnvFiles, checkWindow } from './doctor/settings.js';
import { openSite, type Site } from './doctor/site.js';
import { placesToSee } from './places.js';
import type { DoctorFlags } from './program.js';
import { layoutOf, withScreen } from './screen.js';
import { loadSettingsFor } from './settings.js';

/** All checks by their names, in order: processes end before what they wrote down is taken in, and that before it is removed. */
const CHECKS: readonly (readonly [id: string, look: (site: Site) => Promise<Finding[]>])[] = [
  ['node', checkNode],
  ['harness', checkHarness],
  ['credentials', checkCredentials],
  ['env_files', checkEnvFiles],
  ['endpoint', checkEndpoint],
  ['workspace', checkWorkspace],
  ['git', checkGit],
  ['ignore', checkIgnore],
  ['lock', checkLock],
  ['runs', checkRuns],
  ['database', checkDatabase],
  ['transcripts', checkTranscripts],
  ['processes', checkProcesses],
  ['unsaved', checkUnsaved],
  ['leftovers', checkLeftovers],
  ['worktrees', checkWorktrees],
  ['views', checkViews],
  ['window', checkWindow],
];

/** What one look came to, in the keys that programs read. */
interface Row {
  readonly id: string;
  readonly state: FindingState;
  readonly text: string;
  readonly advice: string | null;
  readonly fixable: boolean;
  readonly fixed: boolean;
}

/** `flower doctor`: looks at machine, settings and run directory, and puts right what can be put right safely. Gives the exit code. */
export async function doctor(flags: DoctorFlags): Promise<number> {
  const places = placesToSee(flags);
  const { fix = false, probe = false, json = false } = flags;
  const site = openSite(places, { probe });
  loadSettingsFor(places.workspace);
  const lock = fix && existsSync(places.runDir) ? lockIfFree(places.runDir) : null;
  return withScreen({ ...flags, json: false }, async (screen) => {
    const layout = new Layout(layoutOf(screen), '');
    const rows: Row[] = [];
    try {
      for (const [id, look] of CHECKS) {
        for (const finding of await lookSafely(look, site)) {
          const row = await settle(id, finding, { fix, isLocked: lock !== null });
          rows.push(row);
          if (!json) screen.ui.lines(rowLines(row, layout));
        }
      }
    } finally {
      lock?.release();
      site.close();
    }
    const count = (state: FindingState) => rows.filter((row) => row.state === state).length;
    const isWell = count('bad') === 0;
    if (json)
      process.stdout.write(`${JSON.stringify({ schema: 1, ok: isWell, checks: rows }).replace(/[‹›]/gu, '')}\n`);
    else {
      if (fix && lock === null && site.holder !== null) {
        screen.ui.notice(text('doctor.in_use', { dir: places.runDir }), 'yellow', '! ');
      }
      const sum = { ok: count('ok'), warn: count('warn'), bad: count('bad') };
      screen.ui.lines(['', ...layout.hang('', text('doctor.sum', sum))]);
    }
    return isWell ? 0 : 1;
  });
}

/** Looks, and mends what was found if that is wanted and safe. What was mended counts as fine. */
async function settle(
  id: string,
  finding: Finding,
  options: { readonly fix: boolean; readonly isLocked: boolean },
): Promise<Row> {
  const { state, text: words, advice = null, repair } = finding;
  const row: Row = { id, state, text: words, advice, fixable: repair !== undefined, fixed: false };
  if (!options.fix || !repair || (repair.insideRunDir && !options.isLocked)) return row;
  const done = await repair.make().catch(() => null);
  if (done === null) return { ...row, advice: text('doctor.unsafe', { what: words }) };
  return { ...row, state: 'ok', text: text('doctor.fixed', { what: done }), advice: null, fixed: true };
}

/** A check that fails is a finding too: the others still have something to say. */
async function lookSafely(look: (site: Site) => Promise<Finding[]>, site: Site): Promise<Finding[]> {
  try {
    return await look(site);
  } catch (error) {
    return [bad(error instanceof Error ? error.message : String(error))];
  }
}

function lockIfFree(runDir: string): RunLock | null {
  try {
    return acquireRunLock(runDir);
  } catch (error) {
    // Why it cannot be had is among what is found.
    if (FlowerError.isInstance(error)) return null;
    throw error;
  }
}

function rowLines({ state, text: words, advice }: Row, layout: Layout): string[] {
  const { paint } = layout;
  const [mark, style] = { ok: ['+ ', paint.green], warn: ['! ', paint.yellow], bad: ['x ', paint.red] }[state] as [
    string,
    (line: string) => string,
  ];
  return [...layout.own(mark, words, style), ...(advice ? layout.hang('  ', advice) : [])];
}
