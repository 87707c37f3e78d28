import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from '../locale/locale.js';
import { startSim } from '../sim/index.js';
import { starterFlow } from '../workflow/starterFlow.js';
import { demoScript } from './demo/script.js';
import { drive } from './drive.js';
import { Exit } from './exit.js';
import type { DemoFlags } from './program.js';
import { withScreen } from './screen.js';

/** Milliseconds before each scripted answer, so that a person can follow; the whole takes about half a minute. */
const PACE_MS = 700;
/** Seconds that the demo's one question waits for a person. */
const QUESTION_S = 20;

/** `flower demo`: the same chain as `go`, on a scripted model inside this process. Needs no credentials and costs nothing. */
export async function demo(flags: DemoFlags): Promise<number> {
  const workspace = folderOf(flags.dir ?? null);
  const runDir = join(workspace, 'runs');
  return withScreen(flags, async (screen) => {
    const { ui, locale } = screen;
    const sim = await startSim({ script: demoScript({ workspace, locale, paceMs: screen.json ? 0 : PACE_MS }) });
    try {
      ui.notice(text('demo.intro', { dir: workspace }));
      for (const line of flags.pointless) ui.notice(line, 'dim', '- ');
      const flow = starterFlow(text('demo.request'), {
        workspace,
        runDir,
        judgeCanRun: true,
        timeoutS: process.stdin.isTTY ? QUESTION_S : 0,
        locale,
      });
      const settings = { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'sk-scripted-model' };
      const code = await drive({ flow, screen, runtime: { workspace, runDir, settings } });
      const fault = sim.faults[0];
      if (fault) throw new Error(fault.message);
      // Not broken: a command must be copyable.
      if (code === 0) ui.lines(whatIsThere(workspace, runDir));
      return code;
    } finally {
      await sim.close();
    }
  });
}

function folderOf(dir: string | null): string {
  if (dir === null) return realpathSync(mkdtempSync(join(tmpdir(), 'flower-demo-')));
  const path = resolve(dir);
  try {
    if (existsSync(path) && readdirSync(path).length > 0) throw new Exit(1, text('demo.dir', { path }));
    mkdirSync(path, { recursive: true });
    return realpathSync(path);
  } catch (error) {
    if (error instanceof Exit) throw error;
    throw new Exit(1, text('err.workspace', { path, why: (error as NodeJS.ErrnoException).code ?? String(error) }));
  }
}

function whatIsThere(workspace: string, runDir: string): string[] {
  const tool = readdirSync(workspace).find((name) => name.endsWith('.mjs') && !name.endsWith('.test.mjs')) ?? '';
  const command = `cd ${workspace} && node ${tool} sample.txt --top 3`;
  return [
    text('demo.cost'),
    text('demo.made', { what: `${tool}, ${tool.replace('.mjs', '.test.mjs')}`, command }),
    text('demo.records', { runs: runDir, bench: join(workspace, '.flower') }),
    text('demo.real'),
  ];
}
