import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { exponent, growth, round } from './frame/figures.mjs';
import { inFolder, settingsFor } from './frame/place.mjs';

const HOURS = 100;
const EVENTS_PER_HOUR = 1400;
const EVENTS = HOURS * EVENTS_PER_HOUR;
const MARKS = [1, 10, 25, 50, 100];
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

export const longRun = {
  name: 'longRun',
  title: 'Whether a run of days stays as it began',
  question:
    'What do time and memory do over 100 simulated hours of one step through Workflow, Runtime, the real normalizing, store, event log and books? The harness only plays messages: a handoff whenever the context is full, an interrupt, workers throughout.',
  run: benchLongRun,
};

async function benchLongRun({ base }) {
  const { rows, ...end } = await inFolder((place) => playRun(base, place));
  // The first hours hold what is loaded once.
  const long = rows.filter(({ hour }) => hour >= 10);
  const power = exponent(
    long.map(({ hour }) => hour),
    long.map((row) => row['processor time, s']),
  );
  const [first] = rows;
  const last = rows.at(-1);
  return {
    tables: [
      {
        title: `${EVENTS_PER_HOUR} events an hour`,
        rows,
        notes: [
          `Ended as ${end.ended.ended} after ${end.handoffs} handoffs with ${end.logged} logged events. Processor time grows with hours to the power of ${power}.`,
        ],
      },
    ],
    ratios: [
      {
        name: 'resident memory after 100 hours against the first',
        value: round(last['resident MB'] / first['resident MB']),
        atMost: 1.2,
      },
      growth('processor time of a run', power),
    ],
  };
}

async function playRun(base, place) {
  const from = (file) => import(new URL(file, base));
  const { Runtime } = await from('runtime/runtime.js');
  const { coordinator } = await from('agent/roles/coordinator.js');
  const { worker } = await from('agent/roles/worker.js');
  const { Step } = await from('workflow/step.js');
  const { Workflow } = await from('workflow/workflow.js');

  const rows = [];
  const begun = performance.now();
  const progress = {
    n: 0,
    async reached() {
      // The timers of a run: the event log writes ten times a second.
      await new Promise((resolve) => setTimeout(resolve, 1));
      const hour = progress.n / EVENTS_PER_HOUR;
      if (hour < MARKS[rows.length]) return;
      const { rss, heapUsed } = await settledMemory();
      rows.push({
        hour: MARKS[rows.length],
        events: progress.n,
        'resident MB': Math.round(rss / 2 ** 20),
        'heap MB': Math.round(heapUsed / 2 ** 20),
        'sessions.db MB': Math.round(statSync(join(place, 'runs', 'sessions.db')).size / 2 ** 20),
        seconds: round((performance.now() - begun) / 1000, 1),
        'processor time, s': round(process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6, 1),
      });
      if (rows.length === 2) runtime.interrupt('Mind the tests.');
    },
  };
  const runtime = new Runtime({
    workspace: join(place, 'work'),
    runDir: join(place, 'runs'),
    settings: settingsFor('http://127.0.0.1:9'),
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
  return { rows, ended: ctx._outcome, handoffs: step?.retired.length, logged };
}
