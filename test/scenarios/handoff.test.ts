import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HandoffPolicy } from '../../src/agent/handoffPolicy.js';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import { Runtime } from '../../src/runtime/runtime.js';
import { byRole, call, Reply, reset, type SimRequest, say, startSim, turns } from '../../src/sim/index.js';
import { starterFlow } from '../../src/workflow/starterFlow.js';
import { tempFolder } from '../support/flowerProgram.js';
import { NO_RETRIES, type OneStep, withStep } from '../support/oneStep.js';
import { smallestRun } from '../support/scripts.js';

const HANDOFF = {
  doing: 'Half of the parser.',
  decided: 'No recursion.',
  deadends: '',
  next: 'The other half.',
  scene: '',
};
const bash = () => call('Bash', { command: 'echo 1', description: 'Work' });
const asksForHandoff = ({ prompt }: SimRequest) => prompt.includes('mcp__flower__submit_handoff');
const isSuccessor = ({ prompt }: SimRequest) => prompt.includes('taking over');
const writes = ({ turn }: SimRequest) =>
  turn === 0 ? call('mcp__flower__submit_handoff', HANDOFF) : say('Handed in.');

/** Every context of the main thread that was reported, by session, in order. */
const contextsOf = ({ events }: OneStep) =>
  events
    .filter(({ kind, payload }) => kind === 'tool_call' && payload.subagent === false)
    .map(({ payload }) => payload);

describe.concurrent('a context that fills up', () => {
  it('crosses the threshold of a million once; the successor starts near its floor and goes on from the document', async () => {
    const script = (request: SimRequest): Reply => {
      if (asksForHandoff(request)) return writes(request).usage({ input_tokens: 958_000 });
      if (isSuccessor(request)) return request.turn < 3 ? bash() : say('The other half is written.');
      return bash().usage({ input_tokens: 28_700 + 44_000 * request.turn });
    };
    await withStep(
      script,
      { runtime: { workbench: true, handoff: new HandoffPolicy({ window: 1_000_000 }) } },
      async (at) => {
        const result = await at.runtime.run(at.spec, 'Write the parser.', {
          onEvent: (event) => at.events.push(event),
        });
        expect(result).toMatchObject({ ok: true, attempts: 1, text: 'The other half is written.', errors: [] });
        expect(result.retired).toHaveLength(1);
        const contexts = contextsOf(at).map(({ context }) => Number(context));
        const crossed = contexts.findIndex((context) => context >= 950_000);
        // 28 700 and 21 times 44 000.
        expect(crossed).toBe(21);
        expect(contexts[crossed + 1]).toBeLessThan(HandoffPolicy.STARTUP_FLOOR);
        expect(Math.max(...contexts.slice(crossed + 1))).toBeLessThan(HandoffPolicy.STARTUP_FLOOR);
        expect(at.events.filter(({ payload }) => payload.phase === 'near')).toHaveLength(1);
        const first = at.sim.requests.find(isSuccessor);
        expect(first?.prompt).toContain('No recursion.');
        expect(JSON.stringify(first?.messages)).not.toContain('Write the parser.');
        const notes = join(at.runDir, 'workbench', 'notes');
        expect(readFileSync(join(notes, 'handoff-work.md'), 'utf8')).toContain('The other half.');
        expect(result.costUsd).toBeCloseTo(at.sim.meter.total().costUsd, 9);
      },
    );
  });

  it('is known by what the harness says of its model, not by a guess', async () => {
    const script = (request: SimRequest): Reply => {
      if (asksForHandoff(request)) return writes(request);
      return isSuccessor(request) ? say('Done.') : bash().usage({ input_tokens: 160_000 });
    };
    await withStep(script, { spec: { model: 'claude-haiku-4-5' } }, async (at) => {
      expect(at.runtime.handoff.at).toBe(950_000);
      const result = await at.runtime.run(at.spec, 'Work.', { onEvent: (event) => at.events.push(event) });
      expect(result).toMatchObject({ ok: true, text: 'Done.', retired: [expect.any(String)], errors: [] });
      expect(at.events.find(({ payload }) => payload.phase === 'near')?.payload).toMatchObject({
        window: 200_000,
        at: 150_000,
      });
    });
  });

  it('is written down also if the network fails just then: it is asked for again', async () => {
    let failed = false;
    const script = (request: SimRequest): Reply => {
      if (isSuccessor(request)) return say('Done.');
      if (request.calls.length === 0) return bash().usage({ input_tokens: 160_000 });
      if (!failed) {
        failed = true;
        return reset();
      }
      return call('mcp__flower__submit_handoff', HANDOFF);
    };
    const after = (request: SimRequest) =>
      request.results.some(({ tool }) => tool.endsWith('submit_handoff')) ? say('Handed in.') : script(request);
    const setup = { runtime: { handoff: new HandoffPolicy({ window: 200_000 }) }, spec: { env: NO_RETRIES } };
    await withStep(after, setup, async (at) => {
      const result = await at.runtime.run(at.spec, 'Work.', { onEvent: (event) => at.events.push(event) });
      expect(result).toMatchObject({ ok: true, text: 'Done.', attempts: 1 });
      expect(at.sim.requests.find(isSuccessor)?.prompt).toContain('No recursion.');
      expect(at.events.filter(({ kind }) => kind === 'retry')).toHaveLength(1);
      expect(at.slept).toEqual([4]);
    });
  });

  it('stays resumable if the network does not come back while it is written', async () => {
    const script = (request: SimRequest): Reply =>
      request.calls.length === 0 ? bash().usage({ input_tokens: 160_000 }) : reset();
    const setup = {
      runtime: { handoff: new HandoffPolicy({ window: 200_000 }) },
      spec: { env: NO_RETRIES },
      resilience: { maxAttempts: 2 },
    };
    await withStep(script, setup, async (at) => {
      const result = await at.runtime.run(at.spec, 'Work.');
      expect(result).toMatchObject({ ok: false, retired: [], sessionId: at.sim.requests[0]?.session });
      expect(result.error).toMatch(/ECONNRESET/);
    });
  });
});

describe.concurrent('what enters the context of the main thread', () => {
  it('is the brief and the report of each worker, a twentieth of what they read (M9.1, five workers of the 23)', async () => {
    const line = 'x'.repeat(83);
    const brief = (n: number) => `Task ${n}. ${'Mind the acceptance criteria. '.repeat(130)}`;
    const report = (n: string) => `Report on ${n}. ${'It works, see the artifact. '.repeat(150)}`;
    const read = (workspace: string, from: number) => {
      let reply = new Reply({ content: [] });
      for (let i = from; i < from + 41; i += 1)
        reply = reply.call('Read', { file_path: join(workspace, 'big.txt'), offset: 1 + 20 * i, limit: 20 });
      return reply;
    };
    const holder: { at?: OneStep } = {};
    const script = byRole({
      coordinator: (request) => {
        const done = request.calls.length;
        if (done === 5) return say('All done.');
        let reply = new Reply({ content: [] });
        for (let n = done; n < 5; n += 1)
          reply = reply.call('Agent', { subagent_type: 'coder', description: `task ${n}`, prompt: brief(n) });
        return reply;
      },
      worker: ({ turn, prompt }) =>
        turn < 2 ? read(holder.at?.workspace ?? '', 41 * turn) : say(report(prompt.slice(0, 8))),
    });
    await withStep(script, {}, async (at) => {
      holder.at = at;
      writeFileSync(join(at.workspace, 'big.txt'), `${line}\n`.repeat(20 * 82));
      const spec = coordinator('work', '', { coder: worker('Writes code.', 'You write.') });
      expect(await at.runtime.run(spec, 'Do it.')).toMatchObject({ ok: true, text: 'All done.' });
      const last = new Map(at.sim.requests.map((request) => [request.agentId, request]));
      const characters = [...last].map(([agent, request]) => ({ agent, n: request.characters.messages }));
      const main = characters.find(({ agent }) => agent === null)?.n ?? 0;
      const workers = characters.filter(({ agent }) => agent !== null);
      const calls = [...last.values()].filter(({ thread }) => thread === 'worker').flatMap((request) => request.calls);
      expect(workers).toHaveLength(5);
      expect(calls.filter(({ result }) => result?.isError === false)).toHaveLength(5 * 82);
      const read = workers.reduce((sum, { n }) => sum + n, 0);
      expect(read / (read + main)).toBeGreaterThan(0.948 - 0.02);
      expect(read / (read + main)).toBeLessThan(0.948 + 0.02);
      expect(JSON.stringify(last.get(null)?.messages)).not.toContain(line);
    });
  });

  it('begins anew with each of four steps (M9.3)', async () => {
    const folder = tempFolder('four-steps');
    const plain = smallestRun();
    const grown = async (request: SimRequest) => {
      const reply = await plain(request);
      return request.thread === 'main' && request.turn > 0 ? reply.usage({ input_tokens: 80_200 }) : reply;
    };
    const sim = await startSim({ script: grown });
    const flow = starterFlow('Write hello.txt', {
      workspace: folder.path,
      runDir: join(folder.path, 'runs'),
      timeoutS: 0,
    });
    const runtime = new Runtime({
      workspace: folder.path,
      runDir: join(folder.path, 'runs'),
      settings: { ANTHROPIC_BASE_URL: sim.url, ANTHROPIC_API_KEY: 'sk-fake' },
      workbench: flow.workbench ?? false,
    });
    await flow.run(runtime);
    const main = sim.requests.filter(({ kind, thread }) => kind === 'message' && thread === 'main');
    const used = ({ usage }: SimRequest) =>
      (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
    const sessions = [...new Set(main.map(({ session }) => session))];
    expect(sessions).toHaveLength(4);
    const curves = sessions.map((session) => main.filter((request) => request.session === session).map(used));
    for (const [first = 0] of curves) expect(first).toBeLessThan(HandoffPolicy.STARTUP_FLOOR);
    for (const curve of curves) expect(curve.at(-1)).toBeGreaterThan(80_000);
    expect(readdirSync(folder.path)).toContain('hello.txt');
    await runtime.close();
    await sim.close();
    folder.remove();
  });
});

describe('a handoff that cannot be written', () => {
  it('twice in a row stops the step, and the older document is kept', async () => {
    const script = turns([bash().usage({ input_tokens: 160_000 }), say('No.')]);
    await withStep(
      (request) => (asksForHandoff(request) ? say('No.') : script(request)),
      { runtime: { workbench: true, handoff: new HandoffPolicy({ window: 200_000 }) } },
      async (at) => {
        const result = await at.runtime.run(at.spec, 'Write the parser.');
        expect(result).toMatchObject({ ok: false, retired: [expect.any(String), expect.any(String)] });
        expect(result.error).toMatch(/degraded.*burn/s);
        expect(readdirSync(join(at.runDir, 'workbench', 'notes', 'archive', 'handoff'))).toHaveLength(1);
      },
    );
  });
});
