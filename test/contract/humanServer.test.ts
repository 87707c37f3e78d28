import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ask } from '../../src/human/ask.js';
import { HumanChannel } from '../../src/human/humanChannel.js';
import { askingAgentsHooks } from '../../src/runtime/askingAgents.js';
import { call, type Script, type Sim, type SimRequest, say, startSim, turns } from '../../src/sim/index.js';
import { type CleanHarness, cleanHarness } from '../support/cleanHarness.js';

let sim: Sim;
let harness: CleanHarness;
beforeEach(async () => {
  sim = await startSim({ script: () => say('no script') });
  harness = cleanHarness(sim.url);
});
afterEach(async () => {
  await sim.close();
  harness.remove();
});

const ask = 'mcp__human__ask';
const tools = { tools: [], allowedTools: ['mcp__human'] };

/** The texts of the tool results in the last request. */
const results = () => lastRequest().results.map((result) => result.text);
function lastRequest(): SimRequest {
  const request = sim.requests.findLast((one) => one.kind === 'message');
  if (!request) throw new Error('the sim got no request');
  return request;
}

/** Waits until so many questions are open. */
const opened = (channel: HumanChannel, count: number): Promise<Ask[]> =>
  vi.waitFor(
    () => {
      expect(channel.pending()).toHaveLength(count);
      return channel.pending();
    },
    { timeout: 30_000 },
  );

describe('the human server, with the real program', () => {
  it('offers both tools at once, with their parameters, and only ask where the inbox is left out', async () => {
    sim.setScript(() => say('hello'));
    const channel = new HumanChannel({ locale: 'en' });
    await harness.run('go', { ...tools, mcpServers: channel.mcpServers() });
    expect(lastRequest().tools).toEqual(expect.arrayContaining([channel.toolName, channel.inboxName]));
    const offered = lastRequest().body.tools?.find((tool) => tool.name === ask);
    expect(offered?.input_schema).toMatchObject({
      properties: { question: { type: 'string' }, options: { type: 'array' }, default: { type: 'string' } },
      required: ['question'],
    });

    await harness.run('go', { ...tools, mcpServers: channel.mcpServers({ inbox: false }) });
    expect(lastRequest().tools).toContain(channel.toolName);
    expect(lastRequest().tools).not.toContain(channel.inboxName);
  });

  it('gives the answer of a person as the result of the call, some seconds later', async () => {
    sim.setScript(turns([call(ask, { question: 'Which port?', options: ['80', '8080'], default: '80' }), say('fine')]));
    const channel = new HumanChannel({ locale: 'en' });
    const run = harness.run('go', { ...tools, mcpServers: channel.mcpServers({ from: { role: 'clarify' } }) });
    const [open] = await opened(channel, 1);
    expect(open).toMatchObject({
      question: 'Which port?',
      options: ['80', '8080'],
      default: '80',
      from: { role: 'clarify' },
    });
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(channel.answer('q1', '8080')).toBe(true);
    expect((await run).result?.subtype).toBe('success');
    expect(results()).toEqual(['8080']);
  });

  it('has two questions of one message open together, answered in any order (F7.6)', async () => {
    sim.setScript(turns([call(ask, { question: 'first?' }).call(ask, { question: 'second?' }), say('fine')]));
    const channel = new HumanChannel({ locale: 'en' });
    const run = harness.run('go', { ...tools, mcpServers: channel.mcpServers() });
    const open = await opened(channel, 2);
    for (const one of open.toReversed()) channel.answer(one.id, `answer to ${one.question}`);
    await run;
    expect(results()).toEqual(['answer to first?', 'answer to second?']);
  });

  it('knows which worker asks where a hook has seen the call, three of them at once', async () => {
    const worker = turns([
      (request) => call(ask, { question: `${request.prompt}?` }),
      (request) => say(`got ${request.results[0]?.text}`),
    ]);
    const dispatch = (name: string) => ({ description: name, prompt: name, subagent_type: 'coder' });
    const main = turns([
      call('Agent', dispatch('a')).call('Agent', dispatch('b')).call('Agent', dispatch('c')),
      say('fine'),
    ]);
    const script: Script = (request) => (request.thread === 'worker' ? worker(request) : main(request));
    sim.setScript(script);

    const channel = new HumanChannel({ locale: 'en' });
    const server = channel.mcpServers({ from: { role: 'coordinator' } });
    const run = harness.run('go', {
      allowedTools: ['mcp__human', 'Agent'],
      mcpServers: server,
      agents: { coder: { description: 'writes', prompt: 'You write.', tools: [ask] } },
      hooks: askingAgentsHooks(channel),
    });
    const open = await opened(channel, 3);
    expect(open.map((one) => one.from?.role)).toEqual(['coder', 'coder', 'coder']);
    expect(new Set(open.map((one) => one.from?.agentId)).size).toBe(3);
    expect(open.map((one) => one.question).toSorted()).toEqual(['a?', 'b?', 'c?']);
    for (const one of open) channel.answer(one.id, `for ${one.question}`);
    await run;
    expect(results().map((text) => /got for .\?/.exec(text)?.[0])).toEqual(['got for a?', 'got for b?', 'got for c?']);
  });

  it('waits longer than the limit that is set for tool calls in general', async () => {
    sim.setScript(turns([call(ask, { question: 'a?' }), say('fine')]));
    const channel = new HumanChannel({ locale: 'en' });
    const run = harness.run('go', { ...tools, mcpServers: channel.mcpServers(), env: { MCP_TOOL_TIMEOUT: '1000' } });
    await opened(channel, 1);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(channel.answer('q1', 'here I am')).toBe(true);
    await run;
    expect(results()).toEqual(['here I am']);
  });

  it.each([
    ['timeoutS 0', { timeoutS: 0 }, /^Nobody answered/],
    ['maxAsks 0', { maxAsks: 0 }, /^No questions are left/],
  ])('never blocks with %s, and gives its note as a result that is no error', async (_name, options, note) => {
    sim.setScript(turns([call(ask, { question: 'a?' }), say('fine')]));
    const channel = new HumanChannel({ locale: 'en', ...options });
    const { result } = await harness.run('go', { ...tools, mcpServers: channel.mcpServers() });
    expect(result?.is_error).toBe(false);
    expect(results()).toEqual([expect.stringMatching(note)]);
    expect(lastRequest().results[0]?.isError).toBe(false);
  });

  it('C35.5: is the only way to a person: the question tool of the program itself is refused, not answered', async () => {
    const question = {
      question: 'Keep or delete?',
      header: 'Files',
      multiSelect: false,
      options: ['keep', 'delete'].map((label) => ({ label, description: label })),
    };
    sim.setScript(turns([call('AskUserQuestion', { questions: [question] }), say('fine')]));
    const channel = new HumanChannel({ locale: 'en' });
    await harness.run('go', { ...tools, mcpServers: channel.mcpServers() });
    expect(lastRequest().tools).not.toContain('AskUserQuestion');
    expect(lastRequest().results.map((result) => [result.isError, /keep|delete/.test(result.text)])).toEqual([
      [true, false],
    ]);
  });

  it('stops waiting when the turn is interrupted (F7.8)', async () => {
    sim.setScript(turns([call(ask, { question: 'a?' }), say('fine')]));
    const channel = new HumanChannel({ locale: 'en' });
    const input = held('go');
    const session = query({
      prompt: input.messages,
      options: {
        ...tools,
        model: 'claude-opus-5-5',
        settingSources: [],
        cwd: harness.cwd,
        env: { ...harness.env },
        mcpServers: channel.mcpServers(),
      },
    });
    const ended = (async () => {
      for await (const message of session) if (message.type === 'result') input.close();
    })();
    await opened(channel, 1);
    await session.interrupt();
    await ended.catch(() => {});
    expect(channel.asks.map((one) => one.state)).toEqual(['interrupted']);
    expect(channel.pending()).toEqual([]);
  });

  it('gives the inbox what a person said, once', async () => {
    const look = 'mcp__human__inbox';
    sim.setScript(turns([call(look), call(look), say('fine')]));
    const channel = new HumanChannel({ locale: 'en' });
    channel.send('use port 8081');
    await harness.run('go', { ...tools, mcpServers: channel.mcpServers() });
    const texts = sim.requests.filter((one) => one.kind === 'message').map((one) => one.results.at(-1)?.text);
    expect(texts.at(-2)).toContain('1. use port 8081');
    expect(texts.at(-1)).toMatch(/^The inbox is empty/);
  });
});

/** A prompt whose stream stays open until it is closed. */
function held(prompt: string): { messages: AsyncIterable<SDKUserMessage>; close: () => void } {
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  async function* messages(): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null };
    await closed;
  }
  return { messages: messages(), close: () => close() };
}
