import { join } from 'node:path';
import { query, startup } from '@anthropic-ai/claude-agent-sdk';
import { inTurn, median, ratioOf, round, spread } from './frame/figures.mjs';
import { inFolder, settingsFor } from './frame/place.mjs';
import { profiled } from './frame/profile.mjs';
import { startService } from './frame/service.mjs';
import { CALLS, timedWork } from './overhead/timedWork.mjs';

const ROUNDS = 5;
const STARTS = 9;

export const overhead = {
  name: 'overhead',
  title: 'What flower adds to the time of a session',
  question:
    'How much longer does the same session take through flower, with all guards, the workbench and the store, than through the bare query() of the SDK? The model answers at once, so what is not the model weighs as much as it can.',
  run: benchOverhead,
};

async function benchOverhead({ base }) {
  const service = await startService(new URL('overhead/service.mjs', import.meta.url), base);
  try {
    const work = await benchWork(base, service);
    const starts = await benchStarts(base, service);
    return { tables: [work.table, work.parts, starts.table], ratios: [...work.ratios, ...starts.ratios] };
  } finally {
    service.stop();
  }
}

/** 200 tool calls in a worker's proportions, by one agent and by a coordinator's worker. */
async function benchWork(base, service) {
  const { AgentSpec } = await import(new URL('agent/agentSpec.js', base));
  const { coordinator } = await import(new URL('agent/roles/coordinator.js', base));
  const { worker } = await import(new URL('agent/roles/worker.js', base));
  const roles = {
    'one agent': new AgentSpec({ name: 'coder', instructions: 'Work.', allowedTools: ['Bash', 'Read', 'Write'] }),
    'coordinator and worker': coordinator('work', '', { coder: worker('Writes code.', 'You write.') }),
  };
  const rows = [];
  const ratios = [];
  let profile = [];
  for (const [session, spec] of Object.entries(roles)) {
    const bare = () => timedWork(bareSession(base, service, spec), service);
    const hooked = () => timedWork(bareSession(base, service, spec, EMPTY_HOOKS), service);
    const flower = () => timedWork(runtimeSession(base, service, spec), service);
    await bare();
    profile = await profiled(flower);
    const times = await inTurn(ROUNDS, { bare, hooked, flower });
    const list = (which, what) => times[which].map((run) => run[what]);
    const perCall = (which) =>
      spread(
        list(which, 'wallMs').map((ms) => ms / CALLS),
        1,
      );
    const against = (which, what) => ratioOf(list(which, what), list('bare', what));
    const ratio = against('flower', 'wallMs');
    const cpuRatio = against('flower', 'cpuMs');
    const hookMs = list('hooked', 'wallMs').map((ms, n) => (ms - list('bare', 'wallMs')[n]) / CALLS / HOOKS_A_CALL);
    const hook = round(median(hookMs), 1);
    rows.push({
      session,
      'bare query(), ms a call': perCall('bare'),
      'through flower': perCall('flower'),
      ratio,
      'ratio of processor time': cpuRatio,
      [`bare with ${HOOKS_A_CALL} empty hooks`]: perCall('hooked'),
      'an empty hook, ms': hook,
    });
    const why = `a hook that does nothing takes ${hook} ms of a bare session too, most of it in the harness. flower needs one at each call, to stop a session where all results are stored, and one or two more where a command is checked and its output shortened`;
    ratios.push({ name: `tool call, ${session}, by the clock`, value: ratio, atMost: 1.1, noisy: true, why });
    ratios.push({ name: `tool call, ${session}, processor time`, value: cpuRatio });
  }
  const notes = [
    `${CALLS} calls a session: half Bash, a quarter Read, a quarter Write. A ratio is the median of ${ROUNDS} pairs.`,
    `The empty hooks answer at once: one before a call, two after it, one after the batch that it is in.`,
  ];
  return {
    table: { title: 'Per tool call', rows, notes },
    parts: {
      title: "Where flower's own process spends its time",
      rows: profile,
      notes: [
        `One session of ${CALLS} calls by a coordinator's worker, sampled. The rest of the clock it waits for the harness.`,
      ],
    },
    ratios,
  };
}

/** A session that only answers, so nearly all of it is starting and ending. */
async function benchStarts(base, service) {
  const { AgentSpec } = await import(new URL('agent/agentSpec.js', base));
  const { Runtime } = await import(new URL('runtime/runtime.js', base));
  const spec = new AgentSpec({ name: 'coder', instructions: 'Work.', allowedTools: ['Bash', 'Read', 'Write'] });
  const timed = (run) => () =>
    inFolder(async (folder) => {
      const { session, prepare = () => {}, end = () => {} } = await run(folder);
      await prepare();
      const before = process.cpuUsage();
      const begun = performance.now();
      let firstMs = 0;
      await session(() => {
        firstMs ||= performance.now() - begun;
      });
      const wholeMs = performance.now() - begun;
      const { user, system } = process.cpuUsage(before);
      await end();
      return { firstMs, wholeMs, ownMs: (user + system) / 1000 };
    });
  const makeRuntime = (folder) =>
    new Runtime({
      workspace: join(folder, 'work'),
      runDir: join(folder, 'runs'),
      settings: settingsFor(service.url),
      workbench: true,
    });
  const step = (runtime, heard) => runtime.run(spec, 'Say it.', { onEvent: ({ kind }) => kind === 'text' && heard() });
  const cases = {
    'bare query()': async (folder) => {
      const options = await bareOptions(base, service, spec, folder);
      return { session: (heard) => listen(query({ prompt: 'Say it.', options }), heard) };
    },
    'through flower, a new run': (folder) => ({
      session: async (heard) => {
        const runtime = makeRuntime(folder);
        await step(runtime, heard);
        await runtime.close();
      },
    }),
    'through flower, a further step': (folder) => {
      const runtime = makeRuntime(folder);
      return {
        prepare: () => step(runtime, () => {}),
        session: (heard) => step(runtime, heard),
        end: () => runtime.close(),
      };
    },
    'bare, started in advance': async (folder) => {
      const options = await bareOptions(base, service, spec, folder);
      let warm;
      return {
        prepare: async () => {
          warm = await startup({ options });
        },
        session: (heard) => listen(warm.query('Say it.'), heard),
      };
    },
  };
  const runs = Object.fromEntries(Object.entries(cases).map(([name, run]) => [name, timed(run)]));
  for (const run of Object.values(runs)) await run();
  const times = await inTurn(STARTS, runs);
  const list = (name, what) => times[name].map((run) => run[what]);
  const [BARE, NEW, FURTHER, ADVANCE] = Object.keys(cases);
  const added = (name, what) => Math.round(median(list(name, what).map((ms, n) => ms - list(BARE, what)[n])));
  const rows = Object.keys(cases).map((name) => ({
    session: name,
    'first answer, ms': spread(list(name, 'firstMs')),
    'against bare, ms': added(name, 'firstMs'),
    'whole, ms': spread(list(name, 'wholeMs')),
    'whole against bare, ms': added(name, 'wholeMs'),
    'processor time of the calling process, ms': spread(list(name, 'ownMs')),
  }));
  const saved = -added(ADVANCE, 'firstMs');
  return {
    table: {
      title: 'Per session and step',
      rows,
      notes: [
        `A process started in advance would answer ${saved} ms sooner. flower starts none: a judge or a successor is wanted once in many minutes, a waiting process takes 200 MB, and its options, which hold the round's documents, would have to be known before the round is over.`,
      ],
    },
    ratios: [
      { name: 'start of a new run', value: ratioOf(list(NEW, 'firstMs'), list(BARE, 'firstMs')), noisy: true },
      { name: 'start of a further step', value: ratioOf(list(FURTHER, 'firstMs'), list(BARE, 'firstMs')), noisy: true },
      {
        name: 'start of a further step, share of 60 ms added',
        value: round(added(FURTHER, 'firstMs') / 60),
        atMost: 1,
        noisy: true,
      },
      {
        name: 'start of a new run, share of 60 ms added',
        value: round(added(NEW, 'firstMs') / 60),
        atMost: 1,
        noisy: true,
      },
    ],
  };
}

const answer = async () => ({});
const EMPTY_HOOKS = {
  PreToolUse: [{ hooks: [answer] }],
  PostToolUse: [{ hooks: [answer, answer] }],
  PostToolBatch: [{ hooks: [answer] }],
};
const HOOKS_A_CALL = 4;

const bareSession = (base, service, spec, hooks) => async (folder, onCall, onEnd) => {
  const options = { ...(await bareOptions(base, service, spec, folder)), hooks };
  for await (const message of query({ prompt: `Work in ${join(folder, 'work')} now.`, options })) {
    if (message.type === 'user') onCall();
    if (message.type === 'result') onEnd();
    if (message.type === 'result' && message.is_error) throw new Error(message.result);
  }
};

const runtimeSession = (base, service, spec) => async (folder, onCall, onEnd) => {
  const { Runtime } = await import(new URL('runtime/runtime.js', base));
  const workspace = join(folder, 'work');
  const runtime = new Runtime({
    workspace,
    runDir: join(folder, 'runs'),
    settings: settingsFor(service.url),
    workbench: true,
  });
  const result = await runtime.run(spec, `Work in ${workspace} now.`, {
    onEvent: ({ kind }) => {
      if (kind === 'tool_result') onCall();
      if (kind === 'result') onEnd();
    },
  });
  await runtime.close();
  if (!result.ok) throw new Error(result.error);
};

/** What flower would give to `query`, without its hooks and its store. */
async function bareOptions(base, service, spec, folder) {
  const { buildOptions } = await import(new URL('agent/buildOptions.js', base));
  const { harnessEnvironment } = await import(new URL('runtime/harnessEnvironment.js', base));
  const env = harnessEnvironment({
    configDir: join(folder, 'harness'),
    projectKey: 'bench',
    startedAt: 1,
    settings: settingsFor(service.url),
  });
  return buildOptions(spec, { cwd: join(folder, 'work'), env });
}

async function listen(messages, heard) {
  for await (const message of messages) {
    if (message.type === 'assistant') heard();
    if (message.type === 'result' && message.is_error) throw new Error(message.result);
  }
}
