import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it, vi } from 'vitest';
import { HumanChannel } from '../human/humanChannel.js';

type Server = ReturnType<HumanChannel['mcpServers']>['human'];

async function connected(server: Server): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([client.connect(ours), server.instance.connect(theirs)]);
  return client;
}

function asking(client: Client, callId: string | null, question: string, signal?: AbortSignal): Promise<unknown> {
  const _meta = callId === null ? {} : { 'claudecode/toolUseId': callId };
  const given = { name: 'ask', arguments: { question }, _meta };
  return client.callTool(given, undefined, signal && { signal }).then((result) => result.content);
}

const words = (text: string) => [{ type: 'text', text }];
const opened = (channel: HumanChannel, count: number) =>
  vi.waitFor(() => expect(channel.pending()).toHaveLength(count));

describe('humanServer', () => {
  it('is a new instance on every call, all with one queue (case 10, R10.31)', async () => {
    const channel = new HumanChannel({ locale: 'en' });
    const [one, two] = [
      channel.mcpServers({ from: { role: 'judge' } }),
      channel.mcpServers({ from: { role: 'clarify' } }),
    ];
    expect(one.human.instance).not.toBe(two.human.instance);
    const clients = await Promise.all([connected(one.human), connected(two.human)]);
    const answers = clients.map((client, i) => asking(client, `t${i}`, `question ${i}?`));
    await opened(channel, 2);
    expect(channel.pending().map((ask) => ask.event().payload.from)).toEqual([
      { role: 'judge', agent_id: null },
      { role: 'clarify', agent_id: null },
    ]);
    for (const ask of channel.pending()) channel.answer(ask.id, `to ${ask.question}`);
    expect(await Promise.all(answers)).toEqual([words('to question 0?'), words('to question 1?')]);
  });

  it('tells the harness to load its tools always and to run ask side by side', async () => {
    const client = await connected(new HumanChannel().mcpServers().human);
    const { tools } = await client.listTools();
    expect(
      tools.map((tool) => [tool.name, tool.annotations?.readOnlyHint, tool._meta?.['anthropic/alwaysLoad']]),
    ).toEqual([
      ['ask', true, true],
      ['inbox', undefined, true],
    ]);
  });

  it('asks a person once for one call, however often the program sends it', async () => {
    const channel = new HumanChannel();
    const client = await connected(channel.mcpServers().human);
    const again = await connected(channel.mcpServers().human);
    const first = asking(client, 't1', 'a?');
    await opened(channel, 1);
    const second = asking(again, 't1', 'a?');
    channel.answer('q1', 'yes');
    expect(await Promise.all([first, second, asking(again, 't1', 'a?')])).toEqual([
      words('yes'),
      words('yes'),
      words('yes'),
    ]);
    expect(channel.asks).toHaveLength(1);
  });

  it('takes calls without an id, or with one that another question had, for questions of their own', async () => {
    const channel = new HumanChannel({ timeoutS: 0, timeoutText: 'nobody' });
    const client = await connected(channel.mcpServers().human);
    await asking(client, null, 'a?');
    await asking(client, null, 'a?');
    await asking(client, 't1', 'a?');
    await asking(client, 't1', 'b?');
    expect(channel.asks.map((ask) => ask.question)).toEqual(['a?', 'a?', 'a?', 'b?']);
  });

  it('stops waiting when the call is cancelled, and asks anew if the call comes again', async () => {
    const channel = new HumanChannel();
    const client = await connected(channel.mcpServers().human);
    const stop = new AbortController();
    const cancelled = asking(client, 't1', 'a?', stop.signal).catch((error: unknown) => String(error));
    await opened(channel, 1);
    stop.abort('remote-cancel');
    expect(await cancelled).toContain('remote-cancel');
    await opened(channel, 0);
    expect(channel.asks.map((ask) => ask.state)).toEqual(['interrupted']);
    const again = asking(client, 't1', 'a?');
    await opened(channel, 1);
    channel.answer('q2', 'yes');
    expect(await again).toEqual(words('yes'));
  });

  it('speaks the locale of its channel', async () => {
    const client = await connected(new HumanChannel({ locale: 'zh' }).mcpServers().human);
    const { tools } = await client.listTools();
    expect(tools[0]?.description).toMatch(/\p{Script=Han}/u);
  });
});
