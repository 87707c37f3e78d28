import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, it } from 'vitest';
import type { Event } from '../../src/events/event.js';
import { type KnownAgents, normalize, normalizedMessages } from '../../src/events/normalize.js';
import { call, type Script, say, startSim, think, turns } from '../../src/sim/index.js';
import { cleanHarness } from '../support/cleanHarness.js';

/** One turn of the real program with a worker: thought, text, calls and results on both threads. */
const coordinator = turns([
  think('two steps').say('I look first.').call('Bash', { command: 'echo main' }),
  call('Agent', { description: 'write it', prompt: 'Write a.txt', subagent_type: 'coder' }),
  say('Done.'),
]);
const coder = turns([call('Bash', { command: 'echo worker' }), say('I wrote it.')]);
const script: Script = (request) => (request.thread === 'worker' ? coder(request) : coordinator(request));

async function stream(): Promise<readonly SDKMessage[]> {
  const sim = await startSim({ script });
  const harness = cleanHarness(sim.url);
  const agents = { coder: { description: 'Writes files', prompt: 'You write.', tools: ['Bash'] } };
  const { messages } = await harness.run('go', { agents, allowedTools: ['Bash', 'Agent'], forwardSubagentText: true });
  expect(sim.faults).toEqual([]);
  await sim.close();
  harness.remove();
  return messages;
}

it('the real stream holds nothing that normalize has not decided about, and tells main thread and worker apart (R10.3)', async () => {
  const messages = await stream();
  const agents: KnownAgents = new Map();
  const events = messages.flatMap((message) => normalize(message, { agents }));

  const names = messages.map((message) =>
    'subtype' in message && message.type === 'system' ? `system/${message.subtype}` : message.type,
  );
  expect(names.filter((name) => !normalizedMessages.includes(name))).toEqual([]);

  const said = (subagent: boolean) =>
    events.filter((event) => event.payload.subagent === subagent && event.kind !== 'system').map(brief);
  expect(said(false)).toEqual([
    'thinking two steps',
    'text I look first.',
    'tool_call Bash echo main',
    'tool_result main',
    'tool_call Agent ',
    'tool_result ',
    'text Done.',
  ]);
  expect(said(true)).toEqual([
    'prompt Write a.txt',
    'tool_call Bash echo worker',
    'tool_result worker',
    'text I wrote it.',
  ]);

  const tasks = events.filter((event) => event.kind === 'task').map((event) => event.payload);
  const [started] = tasks;
  for (const event of events.filter((one) => one.payload.subagent)) {
    expect(event.payload).toMatchObject({ agent_id: started?.task_id, agent_type: 'coder' });
  }
  expect(tasks.map((payload) => payload.kind)).toEqual([
    'TaskStartedMessage',
    'TaskProgressMessage',
    'TaskUpdatedMessage',
    'TaskNotificationMessage',
  ]);
  expect(tasks.at(-1)).toMatchObject({ status: 'completed' });
  expect(events.at(-1)).toMatchObject({ kind: 'result', text: 'success', payload: { terminal_reason: 'completed' } });
  for (const event of events.filter((one) => one.kind === 'text')) expect(event.payload.context).toBeGreaterThan(0);
});

function brief(event: Event): string {
  return [event.kind, event.tool, event.text].filter((part, i) => i !== 1 || part !== '').join(' ');
}
