import { connect } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, fail, http, type Reply, reset, say, silence, stall, think } from './reply.js';
import { turns } from './script.js';
import { type Sim, startSim } from './startSim.js';

/** The vendor's own client reads the sim's answers here: what it takes, the real program takes. */
let sim: Sim;
let client: Anthropic;
let now = 0;

beforeEach(async () => {
  now = 0;
  sim = await startSim({ script: () => say('hello'), now: () => now, minimumCacheTokens: 0 });
  client = new Anthropic({ baseURL: sim.url, apiKey: 'sk-fake', maxRetries: 0, logLevel: 'off' });
});
afterEach(() => sim.close());

const body = (content: string | Anthropic.MessageParam[] = 'Hi'): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'claude-opus-5-5',
  max_tokens: 100,
  messages: typeof content === 'string' ? [{ role: 'user', content }] : content,
});
const answerWith = (reply: Reply) => sim.setScript(() => reply);
const plain = () => client.messages.create(body());
const streamed = () => client.messages.stream(body()).finalMessage();

describe('an answer', () => {
  const whole = think('Let me see: 花.')
    .say('Both – now.')
    .call('Write', { file_path: '/a', content: '"\\\n🌸'.repeat(100) })
    .call('Bash', {});

  it('is the same streamed and plain, block by block', async () => {
    answerWith(whole);
    const first = await plain();
    const second = await streamed();
    expect(second.content).toEqual(first.content);
    expect(second).toMatchObject({
      id: first.id,
      role: 'assistant',
      model: 'claude-opus-5-5',
      stop_reason: 'tool_use',
      usage: first.usage,
    });
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'Let me see: 花.', signature: expect.stringMatching(/^[\w+/=]{20,}$/) },
      { type: 'text', text: 'Both – now.' },
      { type: 'tool_use', name: 'Write', input: { file_path: '/a', content: '"\\\n🌸'.repeat(100) } },
      { type: 'tool_use', name: 'Bash', input: {} },
    ]);
  });

  it('has ids that the request decides: the same from another sim, others for other words, none twice', async () => {
    answerWith(call('Bash').call('Bash'));
    const idsOf = (message: Anthropic.Message) => [
      message.id,
      ...message.content.map((block) => (block.type === 'tool_use' ? block.id : '')),
    ];
    const first = idsOf(await plain());
    const other = idsOf(await client.messages.create(body('Something else')));
    await sim.close();
    sim = await startSim({ script: () => call('Bash').call('Bash') });
    const again = idsOf(await new Anthropic({ baseURL: sim.url, apiKey: 'sk-fake' }).messages.create(body()));
    expect(again).toEqual(first);
    expect(new Set([...first, ...other]).size).toBe(6);
  });

  it.each([
    ['end_turn', say('x')],
    ['tool_use', call('Bash')],
    ['max_tokens', say('x').stop('max_tokens')],
    ['refusal', say('').stop('refusal')],
  ] as const)('ends with %s', async (reason, reply) => {
    answerWith(reply);
    expect((await streamed()).stop_reason).toBe(reason);
  });

  it('may be empty', async () => {
    answerWith(silence());
    expect((await streamed()).content).toEqual([]);
  });

  it('charges prompt and output, and what the script overrides', async () => {
    answerWith(say('12345'));
    expect((await plain()).usage).toMatchObject({ input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0 });
    answerWith(say('x').usage({ input_tokens: 900_000, cache_creation_input_tokens: 10 }));
    expect((await streamed()).usage).toMatchObject({
      input_tokens: 900_000,
      output_tokens: 1,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 0 },
    });
    expect(sim.meter.total()).toMatchObject({
      requests: 2,
      inputTokens: 900_001,
      outputTokens: 3,
      cacheWrite5mTokens: 10,
    });
    expect(sim.meter.total().costUsd).toBeCloseTo(3.600004 + 0.00006 + 0.00005, 9);
  });

  it('lets the cache live by the given clock', async () => {
    const marked = body([
      { role: 'user', content: [{ type: 'text', text: 'x'.repeat(40), cache_control: { type: 'ephemeral' } }] },
    ]);
    const read = async (at: number) => {
      now = at;
      return (await client.messages.create(marked)).usage.cache_read_input_tokens;
    };
    expect([await read(0), await read(299_999), await read(900_000)]).toEqual([0, 10, 0]);
  });
});

describe('trouble', () => {
  it('gives any status with its body and headers', async () => {
    answerWith(fail(429, 'slow down', { retryAfterS: 7 }));
    const error = (await plain().catch((thrown: unknown) => thrown)) as InstanceType<typeof Anthropic.APIError>;
    expect(error).toMatchObject({
      status: 429,
      error: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
    });
    expect(error.headers?.get('retry-after')).toBe('7');
    expect(sim.meter.total().requests).toBe(0);
  });

  it('gives bodies that are no message', async () => {
    answerWith(http(200, '<html>Log in</html>', { 'content-type': 'text/html' }));
    const response = await fetch(`${sim.url}/v1/messages`, { method: 'POST', body: JSON.stringify(body()) });
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/html',
      '<html>Log in</html>',
    ]);
  });

  it('cuts before the headers', async () => {
    answerWith(reset());
    await expect(streamed()).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  });

  it.each([
    ['headers', [], false],
    [{ blocks: 0 }, [], true],
    [{ blocks: 1 }, ['one'], true],
    [{ blocks: 2 }, ['one', 'two'], true],
  ] as const)('cuts after %j', async (after, blocks, started) => {
    answerWith(say('one').say('two').breakOff({ by: 'reset', after }));
    const stream = client.messages.stream(body());
    const finished: string[] = [];
    let start = false;
    stream.on('streamEvent', (event) => {
      start ||= event.type === 'message_start';
    });
    stream.on('contentBlock', (block) => finished.push(block.type === 'text' ? block.text : ''));
    await expect(stream.finalMessage()).rejects.toThrow();
    expect([finished, start]).toEqual([blocks, started]);
  });

  it('cuts after so many bytes', async () => {
    answerWith(say('x'.repeat(1000)).breakOff({ by: 'reset', after: { bytes: 700 } }));
    const response = await fetch(`${sim.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ ...body(), stream: true }),
    });
    let bytes = 0;
    const reading = (async () => {
      for await (const piece of response.body ?? []) bytes += piece.length;
    })();
    await expect(reading).rejects.toThrow();
    expect(bytes).toBe(700);
  });

  it('sends an error inside the stream, and as a status where nothing streams', async () => {
    answerWith(say('one').breakOff({ by: 'error', after: { blocks: 1 } }));
    await expect(streamed()).rejects.toThrow('Overloaded');
    await expect(plain()).rejects.toMatchObject({ status: 529 });
  });

  it.each([['nothing'], ['headers']] as const)('stalls after %s until the sim closes', async (after) => {
    answerWith(stall(after));
    const settled = streamed().then(
      () => 'answered',
      () => 'cut',
    );
    await expect.poll(() => sim.requests[0]?.reply, { timeout: 30_000 }).toBeTruthy();
    await sim.close();
    expect(await settled).toBe('cut');
  });

  it('sends all bytes of a slow and late answer', async () => {
    answerWith(say('one').call('Bash', { command: 'ls' }).slow(50, 1).delay(5));
    expect((await streamed()).content).toMatchObject([{ text: 'one' }, { input: { command: 'ls' } }]);
  });
});

describe('other requests', () => {
  it('counts tokens without a script and without a charge', async () => {
    const { input_tokens } = await client.messages.countTokens({
      model: 'claude-opus-5-5',
      messages: [{ role: 'user', content: 'x'.repeat(41) }],
    });
    expect(input_tokens).toBe(11);
    expect(sim.meter.rows).toEqual([]);
  });

  it('greets, and names a path that it has not', async () => {
    expect((await fetch(`${sim.url}/api/hello`, { method: 'HEAD' })).status).toBe(200);
    const missing = await fetch(`${sim.url}/v1/models`);
    expect([missing.status, await missing.text()]).toEqual([
      404,
      expect.stringContaining('The sim has no GET /v1/models'),
    ]);
    expect(sim.requests.map((request) => request.kind)).toEqual(['hello', 'other']);
  });

  it('refuses what is no request', async () => {
    const response = await fetch(`${sim.url}/v1/messages`, { method: 'POST', body: 'not JSON' });
    expect(response.status).toBe(400);
    await expect(client.messages.create(body([{ role: 'assistant', content: 'x' }]))).rejects.toThrow(
      'first message must use the',
    );
    expect(sim.faults).toEqual([]);
  });
});

describe('a client that goes away', () => {
  it.each([
    ['in its request', 'POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{"half'],
    [
      'before a late answer',
      `POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: ${JSON.stringify(body()).length}\r\n\r\n${JSON.stringify(body())}`,
    ],
  ])('%s leaves the sim as it was', async (_, sent) => {
    answerWith(say('late').delay(50));
    const socket = connect(sim.port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.write(sent, () => resolve()));
    socket.destroy();
    expect(await streamed()).toMatchObject({ content: [{ text: 'late' }] });
    expect(sim.faults).toEqual([]);
  });
});

describe('a fault of the script', () => {
  it('is answered with a 400 that says so, and kept', async () => {
    sim.setScript(turns([]));
    await expect(streamed()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Script fault in request 1: turns() has 0 replies'),
    });
    expect(sim.faults).toMatchObject([
      { n: 1, message: expect.stringContaining('turns() has 0 replies'), cause: expect.any(Error) },
    ]);
  });

  it.each([
    ['no reply', () => undefined as unknown as Reply, 'the script must give a Reply, got undefined'],
    ['an input that is no JSON', () => call('Bash', { much: 1n }), 'BigInt'],
  ])('is %s too', async (_, script, message) => {
    sim.setScript(script);
    await expect(streamed()).rejects.toMatchObject({ status: 400 });
    expect(sim.faults).toMatchObject([{ message: expect.stringContaining(message) }]);
  });
});

describe('a sim', () => {
  it('can be started again at its address', async () => {
    await sim.close();
    await expect(streamed()).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
    sim = await startSim({ script: () => say('back'), port: sim.port });
    expect(await streamed()).toMatchObject({ content: [{ text: 'back' }] });
  });

  it('needs a script', async () => {
    await expect(startSim({} as never)).rejects.toThrow('startSim: script must be a function, got undefined');
  });
});

it('keeps no more requests than it is asked to, and counts and charges them all', async () => {
  await sim.close();
  sim = await startSim({ script: () => say('hello'), keepRequests: 2 });
  const to = new Anthropic({ baseURL: sim.url, apiKey: 'sk-fake', maxRetries: 0, logLevel: 'off' });
  for (const word of ['One', 'Two', 'Three']) await to.messages.create(body(word));
  expect(sim.requests.map(({ n, prompt }) => [n, prompt])).toEqual([
    [2, 'Two'],
    [3, 'Three'],
  ]);
  expect(sim.meter.total().requests).toBe(3);
});
