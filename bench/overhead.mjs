import { join } from 'node:path';
import { query, startup } from '@anthropic-ai/claude-agent-sdk';
import { inTurn, median, ratioOf, round, spread } from './frame/figures.mjs';
import { inFolder, settingsFor } from './frame/place.mjs';
import { plainSession } from './frame/plainSession.mjs';
import { profiled } from './frame/profile.mjs';
import { startService } from './frame/service.mjs';
import { harnessMb } from './overhead/harnessProcesses.mjs';
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

function benchOverhead({ base }) {
  return inFolder(async (home) => {
    process.env.HOME = home;
    const service = await startService(new URL('overhead/service.mjs', import.meta.url), base);
    try {
      const work = await benchWork(base, service);
      const starts = await benchStarts(base, service);
      return { tables: [...work.tables, starts.table], ratios: [...work.ratios, ...starts.ratios] };
    } finally {
      service.stop();
    }
  });
}

/** 200 tool calls in a worker's proportions, by one agent and by a coordinator's worker. */
async function benchWork(base, service) {
  const { AgentSpec } = await import(new URL('agent/agentSpec.js', base));
  const { coordinator } = await import(new URL('agent/roles/coordinator.js', base));
  const { worker } = await import(new URL('agent/roles/worker.js', base));
  const jobs = {
    'one agent': {
      words: 'Work',
      spec: new AgentSpec({ name: 'coder', instructions: 'Work.', allowedTools: ['Bash', 'Read', 'Write'] }),
    },
    'coordinator and worker': {
      words: 'Have somebody work',
      spec: coordinator('work', '', { coder: worker('Writes code.', 'You write.') }),
      agents: { coder: { description: 'Writes code.', prompt: 'You write.' } },
    },
  };
  const rows = [];
  const shares = [];
  const ratios = [];
  let profile = [];
  for (const [session, job] of Object.entries(jobs)) {
    let hookCalls = 0;
    const onHook = () => {
      hookCalls += 1;
    };
    const cases = {
      bare: bareSession(service, job),
      options: sessionLikeFlower(base, service, job),
      hooked: sessionLikeFlower(base, service, job, EMPTY_HOOKS),
      flower: runtimeSession(base, service, job, onHook),
    };
    const timed = Object.fromEntries(Object.entries(cases).map(([name, run]) => [name, () => timedWork(run, service)]));
    await timed.bare();
    profile = await profiled(timed.flower);
    const hooksACall = hookCalls / CALLS;
    const times = await inTurn(ROUNDS, timed);
    const list = (which, what) => times[which].map((run) => run[what] / CALLS);
    const against = (which, what = 'wallMs') => ratioOf(list('flower', what), list(which, what));
    /** Milliseconds more a call than in the other session of the same round. */
    const added = (which, other, what = 'wallMs') =>
      round(median(list(which, what).map((ms, n) => ms - list(other, what)[n])), 1);
    const hook = added('hooked', 'options') / EMPTY_HOOKS_A_CALL;
    const hooks = round(hook * hooksACall, 1);
    rows.push({
      session,
      'bare query(), ms a call': spread(list('bare', 'wallMs'), 1),
      'through flower': spread(list('flower', 'wallMs'), 1),
      ratio: against('bare'),
      'ratio of processor time': against('bare', 'cpuMs'),
      "query() with flower's options": spread(list('options', 'wallMs'), 1),
      'ratio to that': against('options'),
      [`and with ${EMPTY_HOOKS_A_CALL} empty hooks`]: spread(list('hooked', 'wallMs'), 1),
    });
    shares.push({
      session,
      'ms a call that flower adds': added('flower', 'bare'),
      "added to query() with flower's options": added('flower', 'options'),
      'calls of hooks': round(hooksACall),
      'of an empty hook, ms': round(hook, 1),
      'hooks in all, ms': hooks,
      "processor time of flower's process, ms": added('flower', 'bare', 'ownMs'),
      'share of a turn of 19 s, %': round(added('flower', 'bare') / 190),
    });
    const why = `of the ${added('flower', 'options')} ms that guards and store take ${hooks} are hooks that could as well do nothing: the harness pays ${round(hook, 1)} ms for each, and nothing but a hook can refuse a command, shorten its output or stop a session where all results are stored`;
    ratios.push({ name: `tool call, ${session}, by the clock`, value: against('bare'), atMost: 1.1, noisy: true, why });
    ratios.push({ name: `tool call, ${session}, processor time`, value: against('bare', 'cpuMs') });
    ratios.push({
      name: `tool call, ${session}, against query() with flower's options`,
      value: against('options'),
      noisy: true,
    });
  }
  const notes = [
    `${CALLS} calls a session: half Bash, a quarter Read, a quarter Write. A ratio is the median of ${ROUNDS} pairs.`,
    "The bare query() is the SDK as it comes: a prompt, a folder, the tools that need no approval, and of flower nothing. flower's options make a session a little faster, as they offer fewer tools: the second ratio is what guards and store alone add.",
    'The empty hooks answer at once: one before a call, two after it, one after the batch that it is in.',
    'A model thinks for seconds before each call, 19 in the run that the economy bench is made from: the share of such a turn is the last column of the next table.',
  ];
  return {
    tables: [
      { title: 'Per tool call', rows, notes },
      { title: 'Where the added time goes', rows: shares },
      {
        title: "Where flower's own process spends its time",
        rows: profile,
        notes: [`One session of ${CALLS} calls by a coordinator's worker, sampled every millisecond.`],
      },
    ],
    ratios,
  };
}

/** A session that only answers, so nearly all of it is starting and ending. The bare one has flower's options. */
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
  let waitingMb = 0;
  const cases = {
    'bare query()': async (folder) => {
      const options = await optionsLikeFlower(base, service, spec, folder);
      return { session: (onAnswer) => listen(query({ prompt: 'Say it.', options }), answered(onAnswer)) };
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
      const options = await optionsLikeFlower(base, service, spec, folder);
      let warm;
      return {
        prepare: async () => {
          warm = await startup({ options });
          waitingMb = harnessMb(service.pid);
        },
        session: (onAnswer) => listen(warm.query('Say it.'), answered(onAnswer)),
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
  const own = Math.round(median(list(NEW, 'ownMs')) - median(list(BARE, 'ownMs')));
  return {
    table: {
      title: 'Per session and step',
      rows,
      notes: [
        `A process started in advance would answer ${saved} ms sooner. flower starts none: a judge or a successor is wanted once in many minutes, a waiting process takes ${waitingMb} MB, and its options, which hold the round's documents, would have to be known before the round is over.`,
      ],
    },
    ratios: [
      { name: 'start of a new run', value: ratioOf(list(NEW, 'firstMs'), list(BARE, 'firstMs')), noisy: true },
      {
        name: 'start of a new run, processor time of the caller',
        value: ratioOf(list(NEW, 'ownMs'), list(BARE, 'ownMs')),
      },
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
        why: `of the ${added(NEW, 'firstMs')} ms ${own} are this process's own work, once a run: lock, database, books, workbench`,
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
const EMPTY_HOOKS_A_CALL = 4;

const promptFor = (folder, { words }) => `${words} in ${join(folder, 'work')} now.`;

const heard = (onCall, onEnd) => (message) => {
  if (message.type === 'user') onCall();
  if (message.type === 'result') onEnd();
};

/** As somebody calls the SDK who has no flower. */
const bareSession = (service, job) => (folder, onCall, onEnd) =>
  plainSession({ folder, url: service.url }, promptFor(folder, job), {
    agents: job.agents,
    onMessage: heard(onCall, onEnd),
  });

const answered = (onAnswer) => (message) => {
  if (message.type === 'assistant') onAnswer();
};

/** The session that flower makes, but without its guards and its store. */
const sessionLikeFlower = (base, service, job, hooks) => async (folder, onCall, onEnd) => {
  const options = { ...(await optionsLikeFlower(base, service, job.spec, folder)), hooks };
  await listen(query({ prompt: promptFor(folder, job), options }), heard(onCall, onEnd));
};

/** As `flower` runs it: with a channel to the person too. */
const runtimeSession = (base, service, job, onHook) => async (folder, onCall, onEnd) => {
  const { Runtime } = await import(new URL('runtime/runtime.js', base));
  const { HumanChannel } = await import(new URL('human/humanChannel.js', base));
  const workspace = join(folder, 'work');
  const runtime = new Runtime({
    workspace,
    runDir: join(folder, 'runs'),
    settings: settingsFor(service.url),
    workbench: true,
    query: ({ prompt, options }) => query({ prompt, options: { ...options, hooks: counted(options.hooks, onHook) } }),
  });
  const result = await runtime.run(job.spec, promptFor(folder, job), {
    channel: new HumanChannel({ timeoutS: 0 }),
    onEvent: ({ kind }) => {
      if (kind === 'tool_result') onCall();
      if (kind === 'result') onEnd();
    },
  });
  await runtime.close();
  if (!result.ok) throw new Error(result.error);
};

function counted(hooks, onHook) {
  const heard =
    (hook) =>
    (...given) => {
      onHook();
      return hook(...given);
    };
  const matchers = (list) => list.map((matcher) => ({ ...matcher, hooks: matcher.hooks.map(heard) }));
  return Object.fromEntries(Object.entries(hooks).map(([event, list]) => [event, matchers(list)]));
}

/** What flower would give to `query`, without its hooks and its store. */
async function optionsLikeFlower(base, service, spec, folder) {
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

async function listen(messages, onMessage) {
  for await (const message of messages) {
    onMessage(message);
    if (message.type === 'result' && message.is_error) throw new Error(message.result);
  }
}
