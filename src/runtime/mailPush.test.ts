import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { HumanChannel } from '../human/humanChannel.js';
import { MailPush } from './mailPush.js';
import { PromptStream } from './promptStream.js';

function open() {
  const channel = new HumanChannel({ locale: 'en' });
  const input = new PromptStream();
  const push = new MailPush(channel, input);
  const reader = input[Symbol.asyncIterator]();
  const read = async () => (await reader.next()).value;
  return { channel, input, push, read };
}

const lifecycle = (uuid: unknown, state: string) =>
  ({ type: 'command_lifecycle', command_uuid: uuid, state }) as unknown as SDKMessage;

describe('mail on its way into a query', () => {
  it('counts as delivered when the harness has started it, not when it was written', async () => {
    const { channel, push, read } = open();
    push.begin('Go.');
    expect(await read()).not.toHaveProperty('uuid');
    expect(push.push()).toBeNull();

    channel.send('use port 8081');
    void push.push();
    const message = await read();
    push.note(lifecycle(message?.uuid, 'queued'));
    push.note(lifecycle('another', 'started'));
    expect(channel.pendingMail()).toHaveLength(1);
    expect(channel.take()).toEqual([]);
    push.note(lifecycle(message?.uuid, 'started'));
    expect(channel.pendingMail()).toEqual([]);
    push.end();
    expect(channel.reserve()).toEqual([]);
  });

  it('waits again when the query ends before', async () => {
    const { channel, push, read } = open();
    channel.send('use port 8081');
    push.begin('Go.');
    expect((await read())?.message.content).toMatch(/^Go\.\n\n.*use port 8081/s);
    channel.send('and quickly');
    void push.push();
    push.end();
    expect(channel.reserve().map((mail) => mail.text)).toEqual(['use port 8081', 'and quickly']);
  });

  it('is in the input before whoever waits for it goes on', async () => {
    const { channel, push, read } = open();
    channel.send('use port 8081');
    let written = false;
    push.push()?.then(() => {
      written = true;
    });
    await read();
    expect(written).toBe(false);
    void read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(true);
  });

  it('is not taken out of a closed input', async () => {
    const { channel, input, push } = open();
    channel.send('use port 8081');
    input.close();
    await push.push();
    push.end();
    expect(channel.pendingMail()).toHaveLength(1);
    expect(channel.reserve()).toHaveLength(1);
  });
});
