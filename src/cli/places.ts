import { existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Lineage } from '../books/lineage.js';
import { text } from '../locale/locale.js';
import { Exit } from './exit.js';
import type { GlobalFlags } from './program.js';

/** Where a command works and where its records lie, both absolute. */
export interface CliPlaces {
  readonly workspace: string;
  readonly runDir: string;
}

/**
 * The places that the flags name, for a command that works there: the workspace is made, and seen to be writable; better now than
 * after the first paid answer.
 */
export function placesFor(flags: GlobalFlags): CliPlaces {
  const workspace = makeWorkspace(flags.workspace ?? '.');
  const places = { workspace, runDir: runDirOf(workspace, flags) };
  mustBeFolder(places.runDir);
  return places;
}

/** @throws Exit if something else stands where the records belong */
export function mustBeFolder(runDir: string): void {
  const fault = runDirFault(runDir);
  if (fault !== null) throw new Exit(1, fault);
}

/** Why a run directory can be none; null if it is one, or can become one. */
export function runDirFault(runDir: string): string | null {
  const stands = statSync(runDir, { throwIfNoEntry: false });
  return stands && !stands.isDirectory() ? text('runDir.noFolder', { path: runDir }) : null;
}

/** The same for a command that only looks: nothing is made. */
export function placesToSee(flags: GlobalFlags): CliPlaces {
  const wanted = resolve(flags.workspace ?? '.');
  const workspace = existsSync(wanted) ? realpathSync(wanted) : wanted;
  return { workspace, runDir: runDirOf(workspace, flags) };
}

/**
 * A line about records of this workspace in the current directory, where an earlier flower put them: they are not used, but should
 * not be missed either. Null if there are none.
 */
export function oldRunsNotice({ workspace, runDir }: CliPlaces, flags: GlobalFlags): string | null {
  const old = resolve('runs');
  if (flags.runDir !== undefined || old === runDir || existsSync(join(runDir, 'sessions.db'))) return null;
  const { steps, movedFrom } = Lineage.open(old, workspace);
  const own = Object.keys(steps).some((step) => !(step in movedFrom));
  return own ? text('notice.old_runs', { path: tilde(old), used: tilde(runDir) }) : null;
}

/** A path as a person writes it. */
export function tilde(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function makeWorkspace(path: string): string {
  try {
    mkdirSync(path, { recursive: true });
    const workspace = realpathSync(path);
    if (!statSync(workspace).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    const trial = join(workspace, `.flower-trial-${process.pid}`);
    writeFileSync(trial, '');
    rmSync(trial);
    return workspace;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Exit(1, text('err.workspace', { path: resolve(path), why: code ?? message }), { cause: error });
  }
}

function runDirOf(workspace: string, flags: GlobalFlags): string {
  return flags.runDir === undefined ? join(workspace, 'runs') : resolve(flags.runDir);
}
