import type { HookCallback } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { text } from '../locale/locale.js';

/**
 * Urgent mail for every worker that runs when it is sent, once each, at the next boundary of that worker. One that starts later is
 * told by its task: that comes from the main thread, which gets the mail as well.
 */
export class UrgentMail {
  readonly #channel: HumanChannel;
  readonly #before: number;
  /** How much of the channel's mail each worker has been told, or was older than the worker. */
  readonly #told = new Map<string, number>();

  constructor(channel: HumanChannel) {
    this.#channel = channel;
    this.#before = channel.mail.length;
  }

  hooks(): Hooks {
    const onStart: HookCallback = async (input) => {
      if (input.hook_event_name === 'SubagentStart') this.#told.set(input.agent_id, this.#channel.mail.length);
      return {};
    };
    return { SubagentStart: [{ hooks: [onStart] }] };
  }

  /** What this worker has not been told yet, in words for the model; null if there is nothing. */
  take(worker: string): string | null {
    const { mail, locale } = this.#channel;
    const urgent = mail.slice(this.#told.get(worker) ?? this.#before).filter(({ workers }) => workers);
    this.#told.set(worker, mail.length);
    return urgent.length > 0 ? [text('mail.urgent', {}, locale), ...urgent.map((one) => one.text)].join('\n') : null;
  }
}
