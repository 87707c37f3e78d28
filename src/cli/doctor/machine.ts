import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { documentFault } from '../../documents/documentFile.js';
import { text } from '../../locale/locale.js';
import { placesOf } from '../../workflow/places.js';
import { tooOld } from '../nodeVersion.js';
import { runDirFault } from '../places.js';
import { bad, codeOf, type Finding, ok, warn } from './finding.js';
import type { Site } from './site.js';

export async function checkNode(): Promise<Finding[]> {
  const { node } = process.versions;
  const old = tooOld(node);
  return [old === null ? ok(text('doctor.node', { version: node })) : bad(old)];
}

/** The harness is a program of its own that comes with the SDK: both versions, and whether it starts. */
export async function checkHarness(): Promise<Finding[]> {
  const { resolve } = createRequire(import.meta.url);
  try {
    const sdk = dirname(resolve('@anthropic-ai/claude-agent-sdk'));
    const { version } = readJson(join(sdk, 'package.json')) as { version: string };
    const program = harnessBeside(sdk);
    if (program === null) return [bad(text('doctor.harness.bad', { why: `${process.platform}-${process.arch}` }))];
    const found = ok(text('doctor.harness', { sdk: version, harness: await versionOf(program) }));
    const range = testedRange();
    return version === range ? [found] : [found, warn(text('doctor.harness.range', { sdk: version, range }))];
  } catch (error) {
    return [bad(text('doctor.harness.bad', { why: codeOf(error) }))];
  }
}

/** Whether the workspace can be written, how much room there is, and whether files stand where a run wants to read and write. */
export async function checkWorkspace({ workspace, runDir }: Site): Promise<Finding[]> {
  const { brief, goal } = placesOf(workspace);
  const misplaced = [runDirFault(runDir), ...[brief, goal].map((path) => documentFault(path)?.message ?? null)];
  return [
    ...(await checkRoom({ workspace, runDir })),
    ...misplaced.filter((fault) => fault !== null).map((fault) => bad(fault)),
  ];
}

async function checkRoom({ workspace, runDir }: Pick<Site, 'workspace' | 'runDir'>): Promise<Finding[]> {
  const place = nearestExisting(workspace);
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    return [bad(text('doctor.workspace.bad', { path: workspace, why: codeOf(error) }))];
  }
  const disks = [...new Set([workspace, runDir].map(nearestExisting))].map((path) => ({ path, free: freeBytes(path) }));
  const short = disks.filter(({ free }) => free < WORTH_KNOWING);
  if (short.length === 0) {
    return [ok(text('doctor.workspace', { path: workspace, free: size(disks[0]?.free ?? 0) }))];
  }
  return short.map(({ path, free }) => {
    const words = text('doctor.workspace.full', { path, free: size(free) });
    return free < TOO_LITTLE ? bad(words) : warn(words);
  });
}

const TOO_LITTLE = 100 * 1024 ** 2;
const WORTH_KNOWING = 1024 ** 3;

/** The platform package lies beside the SDK's; where the C library differs there are two. */
function harnessBeside(sdk: string): string | null {
  const names = ['', '-musl'].map((suffix) => `claude-agent-sdk-${process.platform}-${process.arch}${suffix}`);
  const paths = names.map((name) => join(dirname(sdk), name, process.platform === 'win32' ? 'claude.exe' : 'claude'));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** In an environment of its own: the program must neither read nor write anything of the user's. */
async function versionOf(program: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'flower-doctor-'));
  try {
    const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: home, DISABLE_AUTOUPDATER: '1' };
    const { stdout } = await promisify(execFile)(program, ['--version'], { env, timeout: 20_000 });
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? stdout.trim();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What the package was tested with. */
function testedRange(): string {
  const manifest = readJson(new URL('../../../package.json', import.meta.url)) as {
    dependencies: Record<string, string>;
  };
  return manifest.dependencies['@anthropic-ai/claude-agent-sdk'] ?? '?';
}

function readJson(path: string | URL): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function size(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GB` : `${Math.round(bytes / 1024 ** 2)} MB`;
}
