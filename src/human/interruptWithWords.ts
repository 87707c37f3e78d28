import type { HumanChannel } from './humanChannel.js';

/**
 * Interrupts a run at once and hands on what the person then says. The words are also kept in brief and log, as the next step is
 * a new session that would not know them. Blank words and a rejected promise mean: stop, nothing to say. A question that an agent waits with is
 * ended without an answer.
 *
 * @example
 * interruptWithWords(runtime, channel, readLine('What is it? '));
 */
export function interruptWithWords(
  run: { interrupt(message: Promise<string>): void },
  channel: HumanChannel | null,
  words: Promise<string>,
): void {
  channel?.interrupt();
  run.interrupt(
    words.then((said) => {
      channel?.note(said);
      return said;
    }),
  );
}
