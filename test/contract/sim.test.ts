import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { byRole, call, type Script, type Sim, say, startSim, think, turns } from '../../src/sim/index.js';
import { type CleanHarness, cleanHarness } from '../support/cleanHarness.js';

let sim: Sim;
let harness: CleanHarness;

async function start(script: Script, env: Record<string, string> = {}): Promise<void> {
  sim = await startSim({ script });
  harness = cleanHarness(sim.url, env);
}

afterEach(async () => {
  await sim.close();
  harness.remove();
});

describe('the real program against the sim', () => {
  it('takes a plain turn', async () => {
    await start(turns([say('Hello.')]));
    const { result, error } = await harness.run('Say hello', { tools: [] });
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Hello.' });
    expect(sim.requests.map(({ kind, thread, prompt, turn }) => ({ kind, thread, prompt, turn }))).toEqual([
      { kind: 'message', thread: 'main', prompt: 'Say hello', turn: 0 },
    ]);
    expect(sim.requests[0]?.session).toBe(result?.session_id);
    expect(sim.faults).toEqual([]);
  });

  it('runs parallel tool calls and gives all results back', async () => {
    await start(
      turns([
        say('Reading both.')
          .call('Read', { file_path: join('/', 'nowhere') })
          .call('Bash', { command: 'echo 花' }),
        say('Done.'),
      ]),
    );
    writeFileSync(join(harness.cwd, 'a.txt'), 'alpha');
    sim.setScript(
      turns([
        say('Both.')
          .call('Read', { file_path: join(harness.cwd, 'a.txt') })
          .call('Bash', { command: 'echo 花' }),
        say('Done.'),
      ]),
    );
    await harness.run('Read', { tools: ['Read', 'Bash'] });
    const results = sim.requests[1]?.results ?? [];
    expect(results.map(({ tool, isError }) => ({ tool, isError }))).toEqual([
      { tool: 'Read', isError: false },
      { tool: 'Bash', isError: false },
    ]);
    expect(results[0]?.text).toContain('alpha');
    expect(results[1]?.text).toBe('花');
    expect(sim.requests[1]?.turn).toBe(1);
  });

  it('keeps thinking blocks and their signatures over the turns', async () => {
    await start(turns([think('I look first.').call('Bash', { command: 'echo hi' }), say('Done.')]));
    await harness.run('Look', { tools: ['Bash'] });
    const blocks = sim.requests[1]?.messages.find((message) => message.role === 'assistant')?.content;
    expect(blocks).toMatchObject([
      { type: 'thinking', thinking: 'I look first.', signature: expect.stringMatching(/.{20}/) },
      { type: 'tool_use' },
    ]);
  });

  it('knows two workers with the same prompt by their names', async () => {
    const order = { description: 'do it', prompt: 'Do the work' };
    await start(
      byRole({
        coordinator: turns([
          call('Agent', { ...order, subagent_type: 'tester' }).call('Agent', { ...order, subagent_type: 'coder' }),
          (request) =>
            say(
              request.results
                .map(
                  (result) =>
                    (result.input as { subagent_type: string }).subagent_type +
                    (result.text.includes('tested') ? ' tested' : ' coded'),
                )
                .join(', '),
            ),
        ]),
        workers: {
          coder: (request) => (request.turn === 0 ? call('Bash', { command: 'echo code' }) : say('coded')),
          tester: (request) => (request.turn === 0 ? call('Bash', { command: 'echo test' }) : say('tested')),
        },
      }),
    );
    const worker = { description: 'works', prompt: 'Work.', tools: ['Bash'] };
    const { result } = await harness.run('Go', {
      agent: 'coordinator',
      agents: {
        coordinator: { description: 'leads', prompt: 'Lead.', tools: ['Agent(coder)', 'Agent(tester)'] },
        coder: worker,
        tester: { ...worker, prompt: 'Test.' },
      },
      tools: ['Agent', 'Bash'],
      allowedTools: ['Agent', 'Bash'],
    });
    expect(result).toMatchObject({ result: 'tester tested, coder coded' });
    expect(sim.faults).toEqual([]);
  });
});
