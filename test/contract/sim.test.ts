import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import {
  byRole,
  call,
  fail,
  http,
  type Reply,
  reset,
  type Script,
  type Sim,
  say,
  startSim,
  think,
  turns,
} from '../../src/sim/index.js';
import { type CleanHarness, cleanHarness, type HarnessRun } from '../support/cleanHarness.js';

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

/** A coordinator that may call two kinds of workers. */
const team: Options = {
  agent: 'coordinator',
  agents: {
    coordinator: { description: 'leads', prompt: 'You lead.', tools: ['Agent(coder)', 'Agent(tester)'] },
    coder: { description: 'codes', prompt: 'You code.', tools: ['Bash', 'Write'] },
    tester: { description: 'tests', prompt: 'You test.', tools: ['Bash'] },
  },
  tools: ['Agent', 'Bash', 'Write'],
  allowedTools: ['Agent', 'Bash', 'Write'],
};
const delegate = (subagent_type: string, prompt: string) =>
  ['Agent', { description: 'some work', prompt, subagent_type }] as const;

describe('the real program takes', () => {
  it('a plain turn', async () => {
    await start(turns([say('Hello, 世界.')]));
    const { result, error } = await harness.run('Say hello', { tools: [] });
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Hello, 世界.' });
    expect(sim.requests).toMatchObject([
      { kind: 'message', thread: 'main', prompt: 'Say hello', turn: 0, stream: true },
    ]);
    expect(sim.requests[0]?.session).toBe(result?.session_id);
  });

  it('parallel tool calls, and gives all results back', async () => {
    await start(({ turn }) => {
      if (turn === 1) return say('Done.');
      return say('Both.')
        .call('Read', { file_path: join(harness.cwd, 'a.txt') })
        .call('Bash', { command: 'echo 花' });
    });
    writeFileSync(join(harness.cwd, 'a.txt'), 'alpha');
    await harness.run('Read', { tools: ['Read', 'Bash'] });
    expect(sim.requests[1]).toMatchObject({
      turn: 1,
      results: [
        { tool: 'Read', isError: false, text: expect.stringContaining('alpha') },
        { tool: 'Bash', isError: false, text: '花', input: { command: 'echo 花' } },
      ],
    });
  });

  it('thinking blocks, and keeps them with their signatures', async () => {
    await start(turns([think('I look first.').call('Bash', { command: 'echo hi' }), say('Done.')]));
    await harness.run('Look', { tools: ['Bash'] });
    const answer = sim.requests[1]?.messages.find((message) => message.role === 'assistant');
    expect(answer?.content).toMatchObject([
      { type: 'thinking', thinking: 'I look first.', signature: expect.stringMatching(/^.{20}/) },
      { type: 'tool_use' },
    ]);
  });

  it('a title and a check of key and model from the sim itself', async () => {
    await start(turns([say('Working on it.')]));
    const running = harness.query('Build a tool that counts words in text files', {
      tools: [],
      env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: undefined },
    });
    await running.setModel('claude-sonnet-5-5');
    for await (const _ of running);
    expect(sim.requests.map(({ kind }) => kind).toSorted()).toEqual(
      expect.arrayContaining(['hello', 'message', 'probe', 'title']),
    );
    expect(sim.faults).toEqual([]);
  });

  it('a compaction, behind which a script goes on where it was', async () => {
    const usage = { input_tokens: 70_000 };
    await start(
      turns([call('Bash', { command: 'echo a' }), call('Bash', { command: 'echo b' }).usage(usage), say('Done.')]),
      {
        CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000',
      },
    );
    const { result } = await harness.run('First job', { tools: ['Bash'] });
    expect(result).toMatchObject({ result: 'Done.' });
    expect(sim.requests.map(({ kind, prompt, turn }) => [kind, prompt, turn])).toEqual([
      ['message', 'First job', 0],
      ['message', 'First job', 1],
      ['summary', 'First job', 1],
      ['message', 'First job', 2],
    ]);
  });
});

describe('workers', () => {
  it('are known by name, with equal prompts and at once', async () => {
    await start(
      byRole({
        coordinator: turns([
          call(...delegate('tester', 'Do the work')).call(...delegate('coder', 'Do the work')),
          ({ results }) => say(results.map(({ text }) => /\b(tested|coded)\b/.exec(text)?.[0]).join(' ')),
        ]),
        workers: {
          coder: turns([call('Bash', { command: 'echo code' }), say('coded')]),
          tester: turns([call('Bash', { command: 'echo test' }), say('tested')]),
        },
      }),
    );
    const { result } = await harness.run('Go', team);
    expect(result).toMatchObject({ result: 'tested coded' });
    expect(sim.faults).toEqual([]);
    expect(new Set(sim.requests.map(({ agentId }) => agentId)).size).toBe(3);
    expect(sim.requests.filter(({ agent }) => agent === 'coder').map(({ tools }) => tools)).toEqual([
      ['Bash', 'Write'],
      ['Bash', 'Write'],
    ]);
  });

  it('are known in several sessions at once that share their words', async () => {
    await start(
      byRole({
        coordinator: ({ prompt, turn, results }) =>
          turn === 0 ? call(...delegate(prompt, 'Go')) : say(results[0]?.text.match(/I am \w+/)?.[0] ?? ''),
        worker: ({ agent }) => say(`I am ${agent}`),
      }),
    );
    const runs = await Promise.all(['coder', 'tester'].map((name) => harness.run(name, team)));
    expect(runs.map(({ result }) => result)).toMatchObject([{ result: 'I am coder' }, { result: 'I am tester' }]);
    expect(new Set(sim.requests.map(({ session }) => session)).size).toBe(2);
  });

  it('are known by a new sim, after the old one took their calls with it', async () => {
    const script = byRole({
      coordinator: ({ prompt, turn, calls, results }) => {
        if (turn > 0) return say(`heard: ${results[0]?.text.match(/"message":"[^"]*|coder again/)?.[0]}`);
        const id = calls[0]?.result?.text.match(/^agentId: (\w+)/m)?.[1];
        return prompt === 'Go'
          ? call(...delegate('coder', 'Do it'))
          : call('SendMessage', { to: id, summary: 'once more', message: 'Once more' });
      },
      workers: { coder: ({ prompt }) => say(prompt === 'Once more' ? 'coder again' : 'done') },
      other: () => fail(400, 'nobody known'),
    });
    await start(script);
    const withMessages = {
      ...team,
      agents: {
        ...team.agents,
        coordinator: { description: 'leads', prompt: 'You lead.', tools: ['Agent(coder)', 'SendMessage'] },
      },
    };
    const first = await harness.run('Go', { ...withMessages, tools: ['Agent', 'Bash', 'SendMessage'] });
    const { port } = sim;
    await sim.close();
    sim = await startSim({ script, port });
    await harness.run('Again', {
      ...withMessages,
      tools: ['Agent', 'Bash', 'SendMessage'],
      resume: first.result?.session_id ?? '',
    });
    expect(sim.faults).toEqual([]);
    expect(sim.requests.filter(({ thread }) => thread === 'worker')).toMatchObject([
      { agent: 'coder', prompt: expect.stringContaining('Once more') },
    ]);
  });
});

describe('figures', () => {
  it('are the program’s own to the cent, workers and cache included', async () => {
    await start(
      byRole({
        coordinator: turns([
          think('Two at once.')
            .call(...delegate('coder', 'Write it'))
            .call(...delegate('tester', 'Try it')),
          say('Done.'),
        ]),
        worker: turns([call('Bash', { command: 'seq 1 400' }), call('Bash', { command: 'seq 1 900' }), say('Done.')]),
      }),
    );
    const { result } = await harness.run('Go', team);
    const total = sim.meter.total();
    expect(total.costUsd).toBeCloseTo(result?.total_cost_usd ?? 0, 9);
    expect(result?.modelUsage['claude-opus-5-5']).toMatchObject({
      inputTokens: total.inputTokens,
      outputTokens: total.outputTokens,
      cacheReadInputTokens: total.cacheReadTokens,
      cacheCreationInputTokens: total.cacheWrite5mTokens + total.cacheWrite1hTokens,
    });
    expect(sim.meter.total({ thread: 'main' }).requests).toBe(2);
    expect(sim.meter.total({ agent: 'coder' }).cacheReadTokens).toBeGreaterThan(
      sim.meter.total({ thread: 'main' }).cacheReadTokens / 2,
    );
    expect(result?.usage.cache_read_input_tokens).toBe(sim.meter.total({ thread: 'main' }).cacheReadTokens);
  });

  it('show that a resumed session reads back from the cache all that the first process wrote', async () => {
    await start(turns([call('Bash', { command: 'echo hi' }), say('Done.')]));
    const first = await harness.run('One', { tools: ['Bash', 'Read'] });
    const before = sim.requests.at(-1)?.usage;
    await harness.run('Two', { tools: ['Bash', 'Read'], resume: first.result?.session_id ?? '' });
    const after = sim.requests.find(({ prompt }) => prompt === 'Two')?.usage;
    expect(before?.cache_read_input_tokens).toBeGreaterThan(1_000);
    expect(after?.cache_read_input_tokens).toBe(
      (before?.cache_read_input_tokens ?? 0) + (before?.cache_creation_input_tokens ?? 0),
    );
  });

  it('are given to count_tokens', async () => {
    await start(turns([say('Hello.')]));
    const running = harness.query('Hi', { tools: ['Bash'] });
    let counted = 0;
    for await (const message of running) {
      if (message.type === 'assistant') counted = (await running.getContextUsage({ detail: 'full' })).totalTokens;
    }
    expect(sim.requests.filter(({ kind }) => kind === 'count_tokens').length).toBeGreaterThan(0);
    expect(counted).toBeGreaterThan(0);
    expect(sim.faults).toEqual([]);
  });
});

/** Two retries wait about a second and a half; the rows that need none run without. */
describe('trouble looks to the program like the real API’s', () => {
  const broken = say('Part one.').say('Part two.');
  const outage: Record<string, [reply: Reply, retries: number, requests: string, text: string]> = {
    '529 after its own two retries': [fail(529), 2, 'sss', 'API Error: Repeated 529 Overloaded errors.'],
    '500 without a retry': [fail(500), 0, 's', 'API Error: 500 Internal server error.'],
    '401 without a retry': [fail(401), 0, 's', 'Invalid API key'],
    '429 with a long wait, at once': [
      fail(429, 'Later', { retryAfterS: 3600 }),
      2,
      's',
      'API Error: Request rejected (429) · Later',
    ],
    'a prompt that is too long': [
      fail(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
      2,
      's',
      'Prompt is too long',
    ],
    'a reset before the headers': [reset(), 0, 's', 'API Error: Connection dropped (ECONNRESET).'],
    'a reset inside the first block': [
      broken.breakOff({ by: 'reset', after: { bytes: 600 } }),
      0,
      'sj',
      'API Error: Connection to the API was lost (ECONNRESET).',
    ],
    'a reset after a finished block': [
      broken.breakOff({ by: 'reset', after: { blocks: 1 } }),
      0,
      'ssss',
      'API Error: Connection lost mid-response.',
    ],
    'an error inside the stream': [
      broken.breakOff({ by: 'error', after: { blocks: 1 } }),
      0,
      'ssss',
      'API Error: Server error mid-response.',
    ],
    'a page of HTML': [
      http(200, '<html></html>', { 'content-type': 'text/html' }),
      0,
      'sj',
      'API Error: API returned an empty or malformed response (HTTP 200)',
    ],
    'an empty body': [http(200, ''), 0, 'sj', 'API Error: API returned an empty or malformed response (HTTP 200)'],
    'an answer that never fits': [say('x').stop('max_tokens'), 0, 'ssss', 'API Error: Claude’s response exceeded'],
    'a refusal': [say('x').stop('refusal'), 0, 'ss', 'API Error: Opus 5.5’s safeguards flagged'],
  };

  it.each(Object.entries(outage))('%s', async (_, [reply, retries, requests, text]) => {
    await start(() => reply, { CLAUDE_CODE_MAX_RETRIES: String(retries) });
    const run = await harness.run('Go', { tools: [] });
    expect(sim.requests.map(({ stream }) => (stream ? 's' : 'j')).join('')).toBe(requests);
    expect(run.result).toMatchObject({ subtype: 'success', is_error: true });
    expect(said(run).replaceAll("'", '’')).toContain(text);
    expect(run.error?.message).toContain('Claude Code returned an error result');
  });

  it('a fault of the script: no outage that is waited out, and its words reach the result', async () => {
    await start(turns([call('Bash', { command: 'echo hi' })]));
    const run = await harness.run('Go', { tools: ['Bash'] });
    expect(said(run)).toMatch(
      /API Error: 400 Script fault in request \d+: turns\(\) has 1 replies, and this is answer 2 to "Go"/,
    );
    expect(run.messages.filter(isRetry)).toEqual([]);
    expect(sim.faults[0]).toMatchObject({ n: 2 });
  });

  it('a stall: nothing comes until it is cut off', async () => {
    await start(() => say('half').breakOff({ by: 'stall', after: { blocks: 0 } }));
    const running = harness.query('Go', { tools: [] });
    const reading = (async () => {
      for await (const _ of running);
    })();
    await expect.poll(() => sim.requests.length, { timeout: 30_000 }).toBe(1);
    await running.interrupt();
    await expect(reading).rejects.toThrow('Claude Code returned an error result');
  });
});

function said({ result }: HarnessRun): string {
  return result?.subtype === 'success' ? result.result : '';
}

function isRetry(message: SDKMessage): boolean {
  return message.type === 'system' && message.subtype === 'api_retry';
}
