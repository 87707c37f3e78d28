import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { settingsFor } from '../frame/place.mjs';
import { plainSession } from '../frame/plainSession.mjs';
import { words } from './job.mjs';
import { common } from './shapes.mjs';

/** Three ways to have the same job done: each gives the script of the model, and drives the sessions. */
export const approaches = {
  'one session': (at) => oneSession(at, {}),
  'one session, 200 K window': (at) => oneSession(at, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' }),
  'loop of sessions': loopOfSessions,
  flower: throughFlower,
};

function oneSession({ job, sim }, env) {
  const steps = job.packages.flat();
  return {
    script: (request) => (request.turn < steps.length ? sim.does(steps[request.turn]) : sim.says(2000, 'All is done.')),
    drive: (place) => plainSession(place, `Do all of this, one package after the other.\n\n${job.plan()}`, { env }),
  };
}

/** Each session reads plan and progress, does the first package that is not ticked off, and notes down how far it came. */
function loopOfSessions({ job, sim }) {
  const inPlan = (p, mark) => `- [${mark}] ${job.planned(p)}`;
  const file = (name) => join(job.workspace, name);
  const sessions = job.packages.map((steps, p) => [
    { tool: 'Read', input: { file_path: file('PLAN.md') } },
    { tool: 'Read', input: { file_path: file('PROGRESS.md') } },
    ...steps,
    { tool: 'Edit', input: { file_path: file('PLAN.md'), old_string: inPlan(p, ' '), new_string: inPlan(p, 'x') } },
    {
      tool: 'Edit',
      input: {
        file_path: file('PROGRESS.md'),
        old_string: `(next: ${p})`,
        new_string: `${words(common.progress, `progress ${p}`)}\n(next: ${p + 1})`,
      },
    },
  ]);
  return {
    script: (request) => {
      const steps = sessions[Number(/session (\d+)/.exec(request.prompt)?.[1])];
      return request.turn < steps.length ? sim.does(steps[request.turn]) : sim.says(300, 'One package is done.');
    },
    drive: async (place) => {
      writeFileSync(file('PLAN.md'), job.plan());
      writeFileSync(file('PROGRESS.md'), '# Progress\n(next: 0)\n');
      const order =
        'Read PLAN.md and PROGRESS.md, do the first package that is not ticked off, tick it off, add what the next session must know to PROGRESS.md, and stop.';
      for (let p = 0; p < sessions.length; p += 1) await plainSession(place, `${order} This is session ${p}.`);
    },
  };
}

async function throughFlower({ job, sim, from }) {
  const { starterFlow } = await from('workflow/starterFlow.js');
  const { Runtime } = await from('runtime/runtime.js');
  const { byRole, call } = await from('sim/index.js');
  const { dispatch, around } = job.shape;
  const looks = (count, then) => (request) => {
    if (request.turn < count) return sim.does(job.look(request.turn));
    return request.turn === count ? then : sim.says(200, 'Handed in.');
  };
  const asked = (p) => Math.floor((p * dispatch.inbox) / job.packages.length);
  const looksIntoInbox = (p) => asked(p + 1) > asked(p);
  const inTurn = job.packages.flatMap((_, p) => [
    call('Agent', {
      subagent_type: 'coder',
      description: `Package ${p}`,
      prompt: `Package ${p}: ${words(dispatch.brief, `brief ${p}`)}`,
    }),
    ...(looksIntoInbox(p) ? [call('mcp__human__inbox', {})] : []),
  ]);
  const items = Array.from({ length: around.checks }, (_, n) => ({ text: words(200, `\`check ${n}\` prints`) }));
  const state = { state: 'met', evidence: words(200, 'Ran it') };
  const script = byRole({
    clarify: looks(
      around.clarify,
      call('mcp__flower__submit_brief', {
        goal: words(common.brief / 2, 'goal'),
        accept: words(common.brief / 2, 'accept'),
        bounds: 'none',
        unknowns: 'none',
      }),
    ),
    goal: looks(around.goal, call('mcp__flower__submit_goal', { statement: words(200, 'It works'), items })),
    coordinator: ({ turn }) => (turn < inTurn.length ? sim.thinks(inTurn[turn]) : sim.says(2000, 'All is done.')),
    worker: ({ turn, prompt }) => {
      const steps = job.packages[Number(/^Package (\d+)/.exec(prompt)?.[1])];
      return turn < steps.length ? sim.does(steps[turn]) : sim.says(dispatch.report, 'Conclusion: it works.');
    },
    judge: looks(
      around.judge,
      call('mcp__flower__submit_verdict', {
        items: items.map((_, n) => ({ number: n + 1, ...state })),
        reason: '',
      }),
    ),
  });
  return {
    script: readingOn(sim, job.workspace, script),
    drive: async ({ folder, url }) => {
      const workspace = join(folder, 'work');
      const runDir = join(folder, 'runs');
      const flow = starterFlow(`Do all of this.\n\n${job.plan()}`, { workspace, runDir, timeoutS: 0, locale: 'en' });
      const runtime = new Runtime({
        workspace,
        runDir,
        locale: 'en',
        workbench: flow.workbench,
        settings: settingsFor(url),
      });
      const { _outcome: outcome } = await flow.run(runtime);
      const handoffs = runtime.results.reduce((sum, { retired }) => sum + retired.length, 0);
      await runtime.close();
      if (outcome.verified !== 'achieved') throw new Error(`flower ended with ${JSON.stringify(outcome)}`);
      return { handoffs };
    },
  };
}

/** Whoever reads a file wants its text: where flower gives a pointer to a copy in place of a long one, the model reads on there. */
function readingOn(sim, workspace, script) {
  const pathOf = ({ tool, text }) => (tool === 'Read' ? /stored in (\S+); use Read/.exec(text)?.[1] : undefined);
  return (request) => {
    const path = request.results.map(pathOf).find((found) => found !== undefined);
    if (path !== undefined) return sim.does({ tool: 'Read', input: { file_path: resolve(workspace, path) } });
    const read = request.calls.filter(
      ({ result, ...call }) => pathOf({ ...call, text: result?.text ?? '' }) !== undefined,
    );
    return script({ ...request, turn: request.turn - read.length });
  };
}
