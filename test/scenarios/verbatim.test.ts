import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coordinator } from '../../src/agent/roles/coordinator.js';
import { worker } from '../../src/agent/roles/worker.js';
import { HumanChannel } from '../../src/human/humanChannel.js';
import { call, type SimRequest, say } from '../../src/sim/index.js';
import { withStep } from '../support/oneStep.js';

const textOf = (request: SimRequest | undefined) => JSON.stringify(request?.messages);

/** Prompts are put together from what a person, a model or a file said: nothing in them is an order to the harness. */
describe.concurrent('words reach the model as they were said', () => {
  it.each(['/help me with the parser', '/compact', '/clear', '/init a parser'])('%s is no command', async (prompt) => {
    await withStep(
      () => say('Understood.'),
      {},
      async ({ runtime, spec, sim }) => {
        expect(await runtime.run(spec, prompt)).toMatchObject({ ok: true, text: 'Understood.' });
        expect(sim.requests).toHaveLength(1);
        expect(textOf(sim.requests[0])).toContain(prompt);
      },
    );
  });

  it('a file that is named by @ does not come into a main thread, by prompt, interrupt or mail', async () => {
    const script = ({ calls, prompt }: SimRequest) =>
      calls.length === 0 ? call('Bash', { command: 'git status' }) : say(prompt.slice(0, 40));
    await withStep(script, {}, async ({ runtime, sim, workspace }) => {
      const channel = new HumanChannel({ locale: 'en', timeoutS: 0 });
      const boss = coordinator('boss', 'Plan.', { coder: worker('Writes code.', 'Code.') }, { channel });
      writeFileSync(join(workspace, 'notes.txt'), 'what the file says\n');
      let spoken = false;
      const onEvent = ({ kind }: { kind: string }) => {
        if (kind !== 'tool_call' || spoken) return;
        spoken = true;
        channel.send('Mail about @notes.txt');
        runtime.interrupt('Words about @notes.txt');
      };
      expect(await runtime.run(boss, 'Look at @notes.txt', { channel, onEvent })).toMatchObject({ ok: true });
      const last = textOf(sim.requests.at(-1));
      for (const who of ['Look at', 'Words about', 'Mail about']) expect(last).toContain(`${who} @notes.txt`);
      expect(sim.requests.map(textOf).join()).not.toContain('what the file says');
    });
  });
});
