/**
 * Does a run of days keep its memory flat? 72 simulated hours of one step through `Workflow`, `Runtime`, the real normalizing, store,
 * event log and books, with a harness that only plays messages: 100,000 events, a handoff whenever the context is full, an
 * interrupt every few hours, workers throughout. Prints the resident size after each part; the target is an end within 1.2 of that
 * after the first hour.
 *
 * node --expose-gc bench/longRun.mjs [folder of the build]
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';

const HOURS = 72;
const EVENTS = 100_000;
const MARKS = [1, 12, 24, 48, 72];
const HANDOFF = '## What is being done now\nHalf of it.\n\n## Next step\nThe other half.';
const words = (n) => `Step ${n}: ${'the reader takes one row after the other and says what it skips. '.repeat(4)}`;

/**
 * Memory as it is while a run waits for its model, which is nearly always. V8 gives pages that a collection has freed back to the system
 * in the background, moments later: measured at once they would count as the run's.
 */
async function settledMemory() {
  let memory = process.memoryUsage();
  for (let calm = 0; calm < 3; ) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = process.memoryUsage();
    calm = now.rss < memory.rss - 2 ** 20 ? 0 : calm + 1;
    memory = now;
  }
  return memory;
}

/** Plays one session of a coordinator that dispatches workers, until it is stopped or the day is done. */
function harness(progress) {
  return ({ prompt, options }) => {
    const session = options.resume ?? randomUUID();
    const key = { projectKey: options.env.CLAUDE_CODE_PROJECT_DIR_NAME, sessionId: session };
    const of = (fields) => ({ uuid: randomUUID(), session_id: session, ...fields });
    const batch = async (agent) => {
      const input = { hook_event_name: 'PostToolBatch', tool_calls: [], ...(agent && { agent_id: agent }) };
      const hooks = (options.hooks.PostToolBatch ?? []).flatMap((matcher) => matcher.hooks);
      const said = await Promise.all(
        hooks.map((hook) => hook(input, undefined, { signal: new AbortController().signal })),
      );
      return said.some((answer) => answer.continue === false);
    };
    const answer = async (n, { text, tool, context, worker }) => {
      const id = `msg_${n}_${session}`;
      const content = [
        ...(text ? [{ type: 'text', text }] : []),
        ...(tool ? [{ type: 'tool_use', id: `toolu_${n}`, name: tool, input: { command: words(n) } }] : []),
      ];
      const usage = { input_tokens: context, output_tokens: 300 };
      const message = { id, role: 'assistant', model: 'claude-opus-5-5', usage, content };
      const entry = {
        type: 'assistant',
        uuid: randomUUID(),
        parentUuid: null,
        timestamp: new Date().toISOString(),
        message,
      };
      await options.sessionStore.append(worker ? { ...key, subpath: `subagents/agent-${worker}` } : key, [entry]);
      return of({
        type: 'assistant',
        message,
        parent_tool_use_id: worker ? `toolu_${worker}` : null,
        agent_id: worker,
      });
    };
    const result = async (n, worker) => {
      const content = [{ type: 'tool_result', tool_use_id: `toolu_${n}`, content: words(n) }];
      const message = { role: 'user', content };
      const entry = {
        type: 'user',
        uuid: randomUUID(),
        parentUuid: null,
        timestamp: new Date().toISOString(),
        message,
      };
      await options.sessionStore.append(worker ? { ...key, subpath: `subagents/agent-${worker}` } : key, [entry]);
      return of({ type: 'user', message, parent_tool_use_id: worker ? `toolu_${worker}` : null, agent_id: worker });
    };
    const end = (fields = {}) =>
      of({
        type: 'result',
        subtype: 'success',
        is_error: false,
        terminal_reason: 'completed',
        num_turns: 1,
        total_cost_usd: 0,
        ...fields,
      });

    async function* play() {
      const first = (await prompt[Symbol.asyncIterator]().next()).value.message.content;
      if (options.resume) await options.sessionStore.load(key);
      yield of({
        type: 'system',
        subtype: 'init',
        tools: options.agents.coordinator.tools.map((name) => name.split('(')[0]),
      });
      if (String(first).includes('submit_handoff')) {
        yield await answer(progress.n, { text: HANDOFF, context: 150_000 });
        yield end();
        return;
      }
      let context = 30_000;
      while (progress.n < EVENTS) {
        const dispatch = progress.n;
        const worker = `a${dispatch.toString(16).padStart(16, '0')}`;
        yield await answer(dispatch, { text: words(dispatch), tool: 'Agent', context });
        yield of({
          type: 'system',
          subtype: 'task_started',
          task_id: worker,
          tool_use_id: `toolu_${dispatch}`,
          subagent_type: 'coder',
        });
        for (let i = 0; i < 40; i += 1) {
          const call = progress.n;
          yield await answer(call, { text: i % 4 === 0 ? words(i) : '', tool: 'Bash', context: 20_000, worker });
          yield await result(call, worker);
          await batch(worker);
        }
        yield await result(dispatch);
        context += 600;
        await progress.reached();
        if (await batch()) {
          yield end({ terminal_reason: 'hook_stopped' });
          return;
        }
      }
      yield await answer(progress.n, { text: 'All done.', context });
      yield end();
    }
    return Object.assign(play(), {
      interrupt: async () => undefined,
      getContextUsage: async () => ({ maxTokens: 200_000 }),
      close: () => undefined,
    });
  };
}

export async function benchLongRun(base) {
  const from = (file) => import(new URL(file, base));
  const { Runtime } = await from('runtime/runtime.js');
  const { coordinator } = await from('agent/roles/coordinator.js');
  const { worker } = await from('agent/roles/worker.js');
  const { Step } = await from('workflow/step.js');
  const { Workflow } = await from('workflow/workflow.js');

  const place = mkdtempSync(join(tmpdir(), 'flower-long-'));
  mkdirSync(join(place, 'work'));
  const rows = [];
  const begun = performance.now();
  let firstHour = 0;
  const progress = {
    n: 0,
    async reached() {
      // The timers of a run: the event log writes ten times a second.
      await new Promise((resolve) => setTimeout(resolve, 1));
      const hour = (progress.n / EVENTS) * HOURS;
      if (hour < MARKS[rows.length]) return;
      const { rss, heapUsed } = await settledMemory();
      firstHour ||= rss;
      rows.push({
        'hour of 72': MARKS[rows.length],
        events: progress.n,
        'resident MB': Math.round(rss / 2 ** 20),
        'heap MB': Math.round(heapUsed / 2 ** 20),
        'against the first hour': Number((rss / firstHour).toFixed(3)),
        'sessions.db MB': Math.round(statSync(join(place, 'runs', 'sessions.db')).size / 2 ** 20),
        seconds: Math.round((performance.now() - begun) / 1000),
      });
      if (rows.length === 2) runtime.interrupt('Mind the tests.');
    },
  };
  const runtime = new Runtime({
    workspace: join(place, 'work'),
    runDir: join(place, 'runs'),
    settings: { ANTHROPIC_API_KEY: 'sk-fake' },
    workbench: true,
    query: harness(progress),
  });
  const spec = coordinator('work', '', { coder: worker('Writes code.', 'You write.') });
  const flow = new Workflow([new Step('work', spec, 'Do it.')], { workbench: runtime.workbench });
  const ctx = await flow.run(runtime, {
    onEvent: () => {
      progress.n += 1;
    },
  });
  progress.n = EVENTS;
  if (rows.length < MARKS.length) await progress.reached();
  const [step] = runtime.results;
  const logged = runtime.books.lastSeq(runtime.runId);
  await runtime.close();
  rmSync(place, { recursive: true, force: true });
  return { rows, ended: ctx._outcome, handoffs: step?.retired.length, logged };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!globalThis.gc) {
    const again = ['--expose-gc', ...process.argv.slice(1)];
    process.exit(spawnSync(process.execPath, again, { stdio: 'inherit' }).status ?? 1);
  }
  const base = process.argv[2] ? pathToFileURL(`${resolve(process.argv[2])}/`) : new URL('../dist/', import.meta.url);
  const { rows, ...end } = await benchLongRun(base);
  console.table(rows);
  console.log(end);
}
