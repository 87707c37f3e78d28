import { randomUUID } from 'node:crypto';
import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import type { HumanChannel } from '../human/humanChannel.js';
import type { Mail } from '../human/mail.js';
import type { PromptStream } from './promptStream.js';

/**
 * Brings the mail of a channel to the main thread of one query, also if the model never looks into its inbox. It is written into the
 * input only where the harness takes it up at once: with the prompt, at a boundary of the main thread, behind a turn that is done. A
 * message that lay in the harness's queue would outlast a stop and run as a turn that nobody wants any more.
 */
export class MailPush {
  readonly #channel: HumanChannel;
  readonly #input: PromptStream;
  /** By the id of the message that they are in. */
  readonly #underWay = new Map<string, readonly Mail[]>();

  constructor(channel: HumanChannel, input: PromptStream) {
    this.#channel = channel;
    this.#input = input;
  }

  /** Begins the query: what waits goes behind the prompt. */
  begin(prompt: string): void {
    const mail = this.#channel.reserve();
    if (mail.length === 0) void this.#input.push(prompt);
    else void this.#send(mail, `${prompt}\n\n${this.#channel.mailText(mail)}`);
  }

  /** Writes what waits, null if nothing does. Once the promise is kept, it is in front of all that the harness is told later. */
  push(): Promise<void> | null {
    const mail = this.#channel.reserve();
    return mail.length === 0 ? null : this.#send(mail, this.#channel.mailText(mail));
  }

  /** Mail counts as delivered when the harness says that it has put it before the model. */
  note(message: SDKMessage): void {
    // The SDK sends this message and declares no type for it.
    const { type, command_uuid, state } = message as { type: string; command_uuid?: unknown; state?: unknown };
    if (type !== 'command_lifecycle' || state !== 'started') return;
    const mail = this.#underWay.get(String(command_uuid));
    if (mail) this.#channel.take({ reserved: mail });
  }

  /** The query has ended. What did not reach the model waits for the next one. */
  end(): void {
    for (const mail of this.#underWay.values()) this.#channel.release(mail);
  }

  #send(mail: readonly Mail[], words: string): Promise<void> {
    const uuid = randomUUID();
    this.#underWay.set(uuid, mail);
    return this.#input.push(words, { uuid, priority: 'next' });
  }
}
