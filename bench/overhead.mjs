/**
 * What flower adds to a session: 200 tool calls through `Runtime` with all guards, the workbench and the store, beside the same
 * session through the bare `query()` of the SDK, in pairs, in one run. Prints medians and the ratio of the pairs, by the clock and in
 * processor time; the target is 1.10. The model answers at once, so everything that is not the model weighs as much as it can.
 *
 * node bench/overhead.mjs [folder of the build]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { query } from '@anthropic-ai/claude-agent-sdk';

const CALLS = 200;
const PAIRS = Number(process.env.PAIRS ?? 5);
const self = fileURLToPath(import.meta.url);

/** The calls of a worker in the proportions that a long run was measured in: commands, readings, edits. */
function toolCall(n, folder) {
  const file = join(folder, `file-${n % 7}.txt`);
  if (n % 4 === 1) return ['Read', { file_path: file }];
  if (n % 4 === 3) return ['Write', { file_path: join(folder, `new-${n}.txt`), content: `line ${n}\n`.repeat(20) }];
  return ['Bash', { command: `echo ${n}; head -c 600 ${file}`, description: 'Look' }];
}

/** The service runs in a process of its own, as a real one does. */
async function serve(base) {
  const { startSim, call, say } = await import(new URL('sim/index.js', base));
  const work = (request) => {
    const [folder = ''] = /\/\S+/.exec(request.prompt) ?? [];
    const n = request.turn;
    return n < CALLS ? call(...toolCall(n, folder)) : say('Conclusion: done.');
  };
  const script = (request) => {
    if (request.thread === 'worker' || !request.tools.includes('Agent')) return work(request);
    const prompt = request.prompt;
    return request.turn === 0 ? call('Agent', { subagent_type: 'coder', description: 'work', prompt }) : say('Done.');
  };
  const sim = await startSim({ script });
  process.send(sim.url);
}

export async function benchOverhead(base) {
  const from = (file) => import(new URL(file, base));
  const { Runtime } = await from('runtime/runtime.js');
  const { AgentSpec } = await from('agent/agentSpec.js');
  const { buildOptions } = await from('agent/buildOptions.js');
  const { coordinator } = await from('agent/roles/coordinator.js');
  const { worker } = await from('agent/roles/worker.js');
  const { harnessEnvironment } = await from('runtime/harnessEnvironment.js');

  const service = fork(self, ['serve', base.href]);
  const [url] = await once(service, 'message');
  const settings = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-fake' };
  const roles = {
    'one agent': new AgentSpec({ name: 'coder', instructions: 'Work.', allowedTools: ['Bash', 'Read', 'Write'] }),
    'coordinator and worker': coordinator('work', '', { coder: worker('Writes code.', 'You write.') }),
  };

  const rows = [];
  for (const [name, spec] of Object.entries(roles)) {
    const bare = async (place) => {
      const env = harnessEnvironment({
        configDir: join(place, 'harness'),
        projectKey: 'bench',
        startedAt: 1,
        settings,
      });
      const options = { ...buildOptions(spec, { cwd: join(place, 'work'), env }), hooks: {} };
      let calls = 0;
      let cpuS = 0;
      for await (const message of query({ prompt: `Work in ${join(place, 'work')} now.`, options })) {
        if (message.type === 'user') calls += 1;
        if (message.type === 'result') cpuS = harnessCpuS(service.pid);
        if (message.type === 'result' && message.is_error) throw new Error(message.result);
      }
      return { calls, cpuS };
    };
    const flower = async (place) => {
      const workspace = join(place, 'work');
      const runtime = new Runtime({ workspace, runDir: join(place, 'runs'), settings, workbench: true });
      let calls = 0;
      let cpuS = 0;
      const result = await runtime.run(spec, `Work in ${workspace} now.`, {
        onEvent: (event) => {
          if (event.kind === 'tool_result') calls += 1;
          if (event.kind === 'result') cpuS = harnessCpuS(service.pid);
        },
      });
      await runtime.close();
      if (!result.ok) throw new Error(result.error);
      return { calls, cpuS };
    };
    await timed(bare);
    await timed(flower);
    const pairs = [];
    for (let i = 0; i < PAIRS; i += 1) {
      // Which of the two is first changes with every pair.
      const first = i % 2 === 0 ? bare : flower;
      const a = await timed(first);
      const b = await timed(first === bare ? flower : bare);
      pairs.push(first === bare ? { bare: a, flower: b } : { bare: b, flower: a });
    }
    const ratio = (of) => Number(median(pairs.map(({ bare, flower }) => flower[of] / bare[of])).toFixed(3));
    const all = (which, of) => pairs.map((pair) => pair[which][of]);
    rows.push({
      session: name,
      'bare query(), s': median(all('bare', 'wallS')).toFixed(2),
      'through Runtime, s': median(all('flower', 'wallS')).toFixed(2),
      ratio: ratio('wallS'),
      'of the fastest': Number((Math.min(...all('flower', 'wallS')) / Math.min(...all('bare', 'wallS'))).toFixed(3)),
      'of processor time': ratio('cpuS'),
    });
  }
  service.kill();
  return rows;
}

/** Seconds of one session in a folder of its own: by the clock, and of the processor, the harness's and its commands' included. */
async function timed(session) {
  const place = mkdtempSync(join(tmpdir(), 'flower-bench-'));
  mkdirSync(join(place, 'work'));
  for (let n = 0; n < 7; n += 1) writeFileSync(join(place, 'work', `file-${n}.txt`), 'some words\n'.repeat(100));
  const begun = performance.now();
  const before = process.cpuUsage();
  const { calls, cpuS } = await session(place);
  const { user, system } = process.cpuUsage(before);
  const wallS = (performance.now() - begun) / 1000;
  if (calls < CALLS) throw new Error(`only ${calls} of ${CALLS} tool calls`);
  rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return { wallS, cpuS: (user + system) / 1e6 + cpuS };
}

/** Processor seconds that the harness, this process's other child, has used so far. On a loaded machine they say more than a clock. */
function harnessCpuS(servicePid) {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(fields[1]) !== process.pid || Number(pid) === servicePid) continue;
      // Its own user and system time, and that of the children that it has waited for.
      ticks += fields.slice(11, 15).reduce((sum, n) => sum + Number(n), 0);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks / 100;
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

if (process.argv[2] === 'serve') await serve(new URL(process.argv[3]));
else if (process.argv[1] === self) {
  const base = process.argv[2] ? pathToFileURL(`${resolve(process.argv[2])}/`) : new URL('../dist/', import.meta.url);
  console.table(await benchOverhead(base));
}
