import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CrashImport, importCrashed } from '../../src/runtime/crashImport.js';
import { endLeftovers } from '../../src/runtime/leftovers.js';
import { processEntries } from '../../src/runtime/processes.js';
import { byRole, call, type Sim, say, stall, startSim, turns } from '../../src/sim/index.js';
import { PruningSessionStore } from '../../src/store/pruningSessionStore.js';
import { impossibleHome, tempFolder } from '../support/flowerProgram.js';

const LIBRARY = new URL('../../dist/index.js', import.meta.url).href;

/** A program of a user: a coordinator with one worker, in a session that it begins or goes on with. */
const PROGRAM = `
  import { coordinator, Runtime, worker } from '${LIBRARY}';
  const { workspace, runDir, resume } = JSON.parse(process.argv[1]);
  const runtime = new Runtime({ workspace, runDir });
  runtime.onSession = (id) => console.log('session ' + id);
  const spec = coordinator('work', '', { coder: worker('Writes files.', 'You write files.') });
  const result = await runtime.run(spec, 'Get it done.', { resume });
  await runtime.close();
  console.log(result.ok ? 'done' : 'failed: ' + result.error);`;

const dispatch = call('Agent', {
  subagent_type: 'coder',
  description: 'wait',
  prompt: 'Wait until the file go is there.',
});
const waiting = call('Bash', { command: 'touch begun; until test -s go; do sleep 0.1; done; cat go' });

let folder: ReturnType<typeof tempFolder>;
let sim: Sim;
let projectKey = '';
const at = (...path: string[]) => join(folder.path, ...path);
beforeEach(async () => {
  folder = tempFolder('leftovers');
  for (const name of ['work', 'tmp', 'bin']) mkdirSync(at(name));
  sim = await startSim({
    script: byRole({ coordinator: turns([dispatch]), worker: turns([waiting, stall()]) }),
  });
});
afterEach(async () => {
  if (projectKey) await endLeftovers(projectKey, { graceS: 0 });
  await sim.close();
  folder.remove();
});

/** A kill -9 of flower in the middle of a worker's command (R1.91). */
describe.runIf(process.platform === 'linux')('a killed flower leaves nothing behind', () => {
  it('where the harness dies with it', async () => {
    let session: string | null = null;
    for (const [kind, files] of [
      ['fresh', 2],
      ['resumed', 3],
    ] as const) {
      session = await killInMidCommand(session, { isReady: () => localTranscripts().length === files });
      const requests = sim.requests.length;
      expect(localTranscripts(), kind).toHaveLength(files);

      await endLeftovers(projectKey);
      expect(marked(), kind).toEqual([]);
      expect((await takeIn()).failures).toEqual([]);
      expect(leftOnDisk(), kind).toEqual([]);
      expect(sim.requests, kind).toHaveLength(requests);
      expect((await storedText(session)).includes('until test -s go'), kind).toBe(true);
    }
    await goesOn(session);
  });

  it('where it would work on alone, and what it did then reaches the store', async () => {
    const PATH = pathWithout('setpriv');
    let session: string | null = null;
    for (const kind of ['fresh', 'resumed']) {
      session = await killInMidCommand(session, { env: { PATH } });
      const requests = sim.requests.length;
      expect(marked().length, kind).toBeGreaterThan(1);
      const output = `What the ${kind} session waited for.`;
      writeFileSync(at('work', 'go'), output);
      await until(() => sim.requests.length > requests && localText().includes(output));
      const isStored = async () => (await storedText(session)).includes(output);
      expect(await isStored(), kind).toBe(false);

      expect(await endLeftovers(projectKey), kind).toBeGreaterThan(0);
      expect(marked(), kind).toEqual([]);
      const { entries, failures } = await takeIn();
      expect(failures).toEqual([]);
      expect(entries, kind).toBeGreaterThan(0);
      expect(leftOnDisk(), kind).toEqual([]);
      expect(await isStored(), kind).toBe(true);
      expect(await takeIn()).toEqual({ entries: 0, failures: [] });
    }
    await goesOn(session);
  });
});

it.runIf(process.platform === 'linux')('a setpriv that cannot tie two processes together is left alone', async () => {
  const other = '#!/bin/sh\necho "setpriv: unrecognized option: pdeathsig" >&2\nexit 1\n';
  writeFileSync(at('bin', 'setpriv'), other, { mode: 0o755 });
  sim.setScript(byRole({ coordinator: turns([say('All is done.')]) }));
  const PATH = [at('bin'), process.env.PATH].join(delimiter);
  expect(await start(null, { PATH }).output).toContain('\ndone\n');
});

/** Runs the program until its worker waits, kills it, and gives the session. */
async function killInMidCommand(
  resume: string | null,
  { env = {}, isReady = () => true }: { env?: Record<string, string>; isReady?: () => boolean },
): Promise<string> {
  for (const name of ['begun', 'go']) rmSync(at('work', name), { force: true });
  const run = start(resume, env);
  await until(() => (existsSync(at('work', 'begun')) && isReady()) || run.child.exitCode !== null);
  // The command may begin before the harness has written down that it was asked for, which it does every 100 ms.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(run.child.exitCode).toBe(null);
  projectKey = JSON.parse(readFileSync(at('runs', 'project.json'), 'utf8')).key;
  run.child.kill('SIGKILL');
  const session = /session (\S+)/.exec(await run.output)?.[1] ?? '';
  expect(resume ?? session).toBe(session);
  return session;
}

/** A further run of the same session has all that was said before. */
async function goesOn(session: string | null): Promise<void> {
  sim.setScript(byRole({ coordinator: turns([say('All is done.')]) }));
  expect(await start(session).output).toContain('\ndone\n');
  const last = sim.requests.at(-1);
  expect(last?.session).toBe(session);
  expect(last?.calls.map(({ tool }) => tool)).toEqual(['Agent', 'Agent']);
  expect(sim.faults).toEqual([]);
  expect(marked()).toEqual([]);
}

function start(resume: string | null, env: Record<string, string> = {}) {
  const parameters = JSON.stringify({ workspace: at('work'), runDir: at('runs'), resume });
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, parameters], {
    env: {
      PATH: process.env.PATH,
      HOME: impossibleHome(),
      TMPDIR: at('tmp'),
      LANG: 'C.UTF-8',
      ANTHROPIC_BASE_URL: sim.url,
      ANTHROPIC_API_KEY: 'sk-fake',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  const output = new Promise<string>((resolve) => child.once('close', () => resolve(text)));
  return { child, output };
}

async function takeIn(): Promise<CrashImport> {
  return withStore((store) =>
    importCrashed({ store, projectKey, configDir: at('runs', 'harness'), tmpDir: at('tmp') }),
  );
}

/** All that the store holds of a session, its workers' transcripts too. */
async function storedText(sessionId: string | null): Promise<string> {
  return withStore(async ({ inner }) => {
    const key = { projectKey, sessionId: sessionId ?? '' };
    const subpaths = (await inner.listSubkeys?.(key)) ?? [];
    const keys = [key, ...subpaths.map((subpath) => ({ ...key, subpath }))];
    return JSON.stringify(await Promise.all(keys.map((one) => inner.load(one))));
  });
}

async function withStore<T>(work: (store: PruningSessionStore) => Promise<T>): Promise<T> {
  const store = new PruningSessionStore(at('runs', 'sessions.db'), at('work'));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The processes that carry the mark of this run directory. */
function marked(): number[] {
  const entries = processEntries().filter(({ isZombie }) => !isZombie);
  return entries.filter((entry) => entry.variable('FLOWER_OWNER')?.startsWith(`${projectKey}:`)).map(({ pid }) => pid);
}

function leftOnDisk(): string[] {
  return [...localTranscripts(), ...readdirSync(at('tmp')).filter((name) => name.startsWith('claude-resume-'))];
}

function localTranscripts(): string[] {
  return ['runs/harness', 'tmp'].flatMap((name) => {
    const files = existsSync(at(name)) ? readdirSync(at(name), { recursive: true }) : [];
    return files.filter((file) => String(file).endsWith('.jsonl')).map((file) => at(name, String(file)));
  });
}

function localText(): string {
  return localTranscripts()
    .map((path) => readFileSync(path, 'utf8'))
    .join('');
}

/** A PATH with everything that the machine's has, but one program. */
function pathWithout(program: string): string {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of existsSync(directory) ? readdirSync(directory) : []) {
      const link = at('bin', name);
      if (name !== program && !existsSync(link)) symlinkSync(join(directory, name), link);
    }
  }
  return at('bin');
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}
